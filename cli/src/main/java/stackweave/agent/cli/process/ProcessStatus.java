package stackweave.agent.cli.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The file {@code status} of a process's directory in /proc; proc_pid_status(5).
 *
 * @param fields by name
 */
public record ProcessStatus(Map<String, String> fields) {
  /** Index among the ids real, effective, saved and file system. */
  private static final int EFFECTIVE = 1;

  private static final int SIGQUIT = 3;

  /**
   * Reads it.
   *
   * @param directory the process's directory
   * @throws IOException if the process has ended
   */
  public static ProcessStatus of(Path directory) throws IOException {
    // In ISO 8859-1: names of threads are cut at 15 bytes, which may be within a character.
    Map<String, String> fields = new HashMap<>();
    for (String line :
        Files.readString(directory.resolve("status"), StandardCharsets.ISO_8859_1).split("\n")) {
      int colon = line.indexOf(':');
      fields.put(line.substring(0, Math.max(0, colon)), line.substring(colon + 1).strip());
    }
    return new ProcessStatus(fields);
  }

  /** The effective user id. */
  public int uid() {
    return ids("Uid")[EFFECTIVE];
  }

  /** The effective group id. */
  int gid() {
    return ids("Gid")[EFFECTIVE];
  }

  /** The supplementary groups. */
  int[] groups() {
    return ids("Groups");
  }

  private int[] ids(String name) {
    // Unsigned, as in the kernel.
    return Arrays.stream(fields.getOrDefault(name, "").split("\\s+"))
        .filter(id -> !id.isEmpty())
        .mapToInt(id -> (int) Long.parseLong(id))
        .toArray();
  }

  /** Whether all its ids are of one user and group, unlike those of a set-id process. */
  boolean isOfOneUser() {
    return Arrays.stream(ids("Uid")).distinct().count() == 1
        && Arrays.stream(ids("Gid")).distinct().count() == 1;
  }

  /** Whether both have the same users and groups. */
  boolean hasUserOf(ProcessStatus other) {
    return List.of("Uid", "Gid", "Groups").stream()
        .allMatch(name -> Objects.equals(fields.get(name), other.fields.get(name)));
  }

  /** Whether both have the same access to files. */
  boolean mayAs(ProcessStatus other) {
    return uid() == other.uid() && gid() == other.gid() && Arrays.equals(groups(), other.groups());
  }

  /** Its id in its own pid namespace. */
  int pidThere() {
    String[] pids = fields.getOrDefault("NSpid", fields.get("Pid")).split("\\s+");
    return Integer.parseInt(pids[pids.length - 1]);
  }

  /** The process of a thread: /proc has a directory of each thread, too, which it does not list. */
  String process() {
    return fields.getOrDefault("Tgid", "");
  }

  /** Whether it handles SIGQUIT. */
  boolean takesSigQuit() {
    long caught = Long.parseUnsignedLong(fields.get("SigCgt"), 16);
    return (caught & 1L << (SIGQUIT - 1)) != 0;
  }

  /** Whether it has ended. Its main thread may be a zombie while others run. */
  boolean hasEnded() {
    return state().matches("[ZX]") && fields.getOrDefault("Threads", "1").matches("[01]");
  }

  /** Why it does not run, to follow its name; empty if it runs. */
  String whyStopped() {
    return switch (state()) {
      case "T" -> "is stopped and can't answer: kill -CONT " + process() + " lets it go on";
      case "t" ->
          "is held by a debugger, the process "
              + fields.get("TracerPid")
              + ", and can't answer: let it go on there";
      default -> "";
    };
  }

  private String state() {
    return fields.getOrDefault("State", "").replaceFirst(" .*", "");
  }
}
