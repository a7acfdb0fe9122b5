package stackweave.agent.cli.toggle;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.HelpOption;
import stackweave.agent.cli.process.ActingThread;
import stackweave.agent.cli.process.UserFiles;
import stackweave.agent.linux.Descriptor;
import stackweave.agent.linux.OwnDirectory;

/** The options of {@code off} and {@code on}, which select the JVMs. */
final class SwitchOption {
  private static final int ROOT = 0;

  /** The next value, (uid_t) −1, means "unchanged" to the kernel. */
  private static final long MAX_UID = 0xffff_fffeL;

  private static final Path USERS = Path.of("/etc/passwd");

  @Option(
      names = "--user",
      paramLabel = "USER",
      description = "All JVMs of this user, by name or number; for root. Default: your own.")
  private String user;

  @Option(
      names = "--pid",
      paramLabel = "PID",
      description =
          "Where this one JVM looks: in its own root, with a switch file of its own if an option"
              + " names one.")
  private Long pid;

  @Mixin private HelpOption help;

  /**
   * Carries out the command.
   *
   * @return the exit code
   */
  int turn(boolean off) throws FailedException {
    if (pid != null && user != null) {
      throw new FailedException("--user and --pid don't go together: a process has its user");
    }
    return pid != null ? SwitchTurn.ofProcess(pid, off) : ofUser(off);
  }

  private int ofUser(boolean off) throws FailedException {
    try {
      int own = OwnDirectory.effectiveUid();
      int uid = user == null ? own : uid(user);
      if (own != ROOT && own != uid) {
        throw new FailedException("only root may switch another user's JVMs");
      }
      int gid = uid == own ? (int) Files.getAttribute(Path.of("/proc/self"), "unix:gid") : gid(uid);
      try (UserFiles files =
          new UserFiles(
              Descriptor.directory("/"),
              uid,
              own != uid ? ActingThread.as(uid, gid, new int[0]) : ActingThread.asCaller())) {
        return SwitchTurn.ofUser(files, off);
      }
    } catch (IOException e) {
      throw new FailedException(
          "can't act as that user (" + FailedException.reason(e) + "): run this as that user");
    }
  }

  private static int uid(String user) throws FailedException, IOException {
    if (user.matches("\\d{1,10}")) {
      long number = Long.parseLong(user);
      if (number > MAX_UID) {
        throw new FailedException("there is no user " + user + ": numbers end at " + MAX_UID);
      }
      return (int) number;
    }
    for (String[] fields : users()) {
      if (fields[0].equals(user)) {
        return (int) Long.parseLong(fields[2]);
      }
    }
    throw new FailedException(
        "no user '" + user + "' in " + USERS + ": give the number (id -u " + user + ")");
  }

  /** The user's group of /etc/passwd; without an entry the same number as the uid. */
  private static int gid(int uid) throws IOException {
    for (String[] fields : users()) {
      if (fields[2].equals(Integer.toUnsignedString(uid))) {
        return (int) Long.parseLong(fields[3]);
      }
    }
    return uid;
  }

  private static List<String[]> users() throws IOException {
    return Files.readAllLines(USERS, StandardCharsets.ISO_8859_1).stream()
        .map(line -> line.split(":"))
        .filter(
            fields -> fields.length > 3 && fields[2].matches("\\d+") && fields[3].matches("\\d+"))
        .toList();
  }
}
