package stackweave.agent.cli.switching;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;
import stackweave.agent.attach.DrainThreadName;
import stackweave.agent.attach.SwitchPlaces;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.common.Waiting;
import stackweave.agent.cli.process.NamedJvm;
import stackweave.agent.cli.process.ProcessStatus;
import stackweave.agent.cli.process.TargetJvm;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.agent.cli.process.UserFiles;
import stackweave.agent.cli.process.UserRights;
import stackweave.linux.Descriptor;
import stackweave.linux.OwnDirectory;

/**
 * The commands {@code off} and {@code on}: create or remove the switch files, then ask the JVMs
 * whether they noticed. They report what could not be done and what to do instead.
 */
abstract class SwitchCommand implements Callable<Integer> {
  /** The next value, (uid_t) −1, means "unchanged" to the kernel. */
  private static final long MAX_UID = 0xffff_fffeL;

  private static final Path USERS = Path.of("/etc/passwd");

  /** How long a JVM may take to notice: the agent checks every second, or less often if busy. */
  private static final long NOTICE_NANOS = 15_000_000_000L;

  /**
   * Time limit for asking all JVMs of a user, since each that doesn't answer costs {@link
   * #NOTICE_NANOS}.
   */
  private static final long ASKING_NANOS = 180_000_000_000L;

  private static final int PAUSE_MILLIS = 250;
  private static final String DORMANT = "state: dormant";

  /** The option switch= of a -javaagent option, whose path the JVM cuts at the first '='. */
  private static final Pattern OPTION =
      Pattern.compile("-javaagent:[^=]*=(?:.*,)?switch=(/[^,]*)(?:,.*)?", Pattern.DOTALL);

  /** The switch file in the agent's status. */
  private static final Pattern STATUS = Pattern.compile("(?m)^" + SwitchPlaces.STATUS + "(.*)$");

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
              + " names one. A part of its main class's name will do, as for other commands.")
  private String target;

  private final boolean off;

  SwitchCommand(boolean off) {
    this.off = off;
  }

  @Override
  public final Integer call() throws FailedException {
    if (target != null && user != null) {
      throw new FailedException("--user and --pid don't go together: a process has its user");
    }
    return (target != null ? ofProcess(NamedJvm.pid(target)) : ofUser()) ? 0 : 2;
  }

  /** Switches all JVMs of a user that share this process's file system. */
  private boolean ofUser() throws FailedException {
    try {
      int own = OwnDirectory.effectiveUid();
      int uid = user == null ? own : uid(user);
      if (own != TargetProcess.ROOT && own != uid) {
        throw new FailedException("only root may switch another user's JVMs");
      }
      UserRights rights =
          own != uid ? UserRights.of(uid, gid(uid), new int[0]) : UserRights.ofCaller();
      try (UserFiles files = new UserFiles(Descriptor.directory("/"), uid, rights)) {
        files.act(() -> null); // fails if its rights are not available
        SwitchFiles switches = new SwitchFiles(files, uid, off);
        switches.turnUsual();
        return askAll(uid) && switches.isGood();
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
    return id(0, user, 2)
        .orElseThrow(
            () ->
                new FailedException(
                    "no user '%s' in %s: give the number (id -u %s)", user, USERS, user));
  }

  /** The user's group in /etc/passwd; without an entry, the number of the uid. */
  private static int gid(int uid) throws IOException {
    return id(2, Integer.toUnsignedString(uid), 3).orElse(uid);
  }

  /** A number from the line of /etc/passwd that has this value in another column. */
  private static Optional<Integer> id(int column, String value, int wanted) throws IOException {
    return Files.readAllLines(USERS, StandardCharsets.ISO_8859_1).stream()
        .map(line -> line.split(":"))
        .filter(fields -> fields.length > wanted && fields[column].equals(value))
        .filter(fields -> fields[wanted].matches("\\d{1,10}"))
        .map(fields -> (int) Long.parseLong(fields[wanted]))
        .findFirst();
  }

  /** Switches one JVM, in the file system that it sees. */
  private boolean ofProcess(long pid) throws FailedException {
    try (TargetProcess process = TargetProcess.open(pid)) {
      String status = null;
      String problem = null;
      List<String> options = new ArrayList<>(process.commandLine());
      try (TargetJvm jvm = TargetJvm.open(pid)) {
        status = jvm.status();
        // includes options from variables and files
        options.addAll(List.of(jvm.options().split(" ")));
      } catch (FailedException e) {
        problem = FailedException.worded(e); // then only the files are created or removed
      }
      if (status == null && problem == null) {
        throw new FailedException("no Stackweave agent in process " + pid);
      }
      SwitchFiles switches = new SwitchFiles(process.files(), process.uidThere(), off);
      String named = named(status);
      if (named == null) {
        // The agent may not have begun yet, or the JVM does not answer.
        named = inOptions(options);
      }
      if (named == null) {
        switches.turnUsual();
      } else {
        switches.turnNamed(named);
      }
      if (problem != null) {
        throw new FailedException(
            "not verified whether sampling " + (off ? "stopped" : "goes on") + ": " + problem);
      }
      return ask(pid, named != null);
    }
  }

  /** The switch file that an agent option names, or null. */
  private static String named(String status) {
    Matcher matcher = STATUS.matcher(status == null ? "" : status);
    return matcher.find() ? matcher.group(1) : null;
  }

  static String inOptions(List<String> options) {
    return options.stream()
        .map(OPTION::matcher)
        .filter(Matcher::matches)
        .map(matcher -> matcher.group(1))
        .findFirst()
        .orElse(null);
  }

  /** Checks whether all sampling JVMs of the user have noticed. */
  private boolean askAll(int uid) {
    boolean isGood = true;
    long start = System.nanoTime();
    List<Long> pids =
        ProcessHandle.allProcesses()
            .map(ProcessHandle::pid)
            .filter(process -> isSampling(Path.of("/proc/" + process), uid))
            .toList();
    for (long process : pids) {
      if (System.nanoTime() - start > ASKING_NANOS) {
        System.out.printf(
            "process %1$s: not checked, because others did not answer in time: off --pid %1$s%n",
            process);
        isGood = false;
      } else {
        isGood &= ask(process, false);
      }
    }
    return isGood;
  }

  /** Whether a process of a user has an agent whose drain thread runs. */
  static boolean isSampling(Path process, int uid) {
    try {
      // Not the owner of the /proc directory: that is root if a process is not dumpable.
      File[] tasks = process.resolve("task").toFile().listFiles();
      if (tasks == null || ProcessStatus.of(process).uid() != uid) {
        return false;
      }
      for (File task : tasks) {
        // In ISO 8859-1: names of threads are cut at 15 bytes, which may be within a character.
        Path comm = task.toPath().resolve("comm");
        String name = Files.readString(comm, StandardCharsets.ISO_8859_1).strip();
        if (DrainThreadName.isComm(name)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      return false; // it ended
    }
  }

  /**
   * Reads a JVM's status until it has noticed, and prints the result.
   *
   * @param isNamed whether an option of its agent names the files
   */
  private boolean ask(long process, boolean isNamed) {
    String said;
    boolean isGood = false;
    try (TargetJvm jvm = TargetJvm.open(process)) {
      long start = System.nanoTime();
      String status = jvm.status();
      while (status != null
          && status.contains(SwitchPlaces.SWITCHED_OFF) != off
          && !status.startsWith(DORMANT)
          && System.nanoTime() - start < NOTICE_NANOS) {
        Waiting.pause(PAUSE_MILLIS);
        status = jvm.status();
      }
      if (status == null) {
        return true; // detached meanwhile
      }
      boolean isOff = status.contains(SwitchPlaces.SWITCHED_OFF);
      isGood = isOff == off || status.startsWith(DORMANT);
      if (!isGood) {
        said = unmoved(process, named(status) != null && !isNamed);
      } else if (isOff) {
        said = "switched off";
      } else {
        said =
            status.startsWith(DORMANT) ? "dormant, no recording asks for samples" : "switched on";
      }
    } catch (FailedException e) {
      said = "not verified: " + Plain.line(FailedException.worded(e));
    }
    System.out.println("process " + process + ": " + said);
    return isGood;
  }

  /** Why a JVM's state did not change, as text for the user. */
  private String unmoved(long process, boolean hasOwn) {
    if (!off) {
      return "still switched off, by another file: status " + process + " names it";
    }
    return hasOwn
        ? "still sampling; a switch file of its own counts for it: off --pid " + process
        : String.format(
            "still sampling after 15 s: in a container, or with PrivateTmp=, it doesn't see these"
                + " files: off --pid %1$s; else status %1$s says more",
            process);
  }
}
