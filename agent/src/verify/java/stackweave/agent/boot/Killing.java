package stackweave.agent.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.testing.Gcc;

/** Makes seccomp filters that kill, as those of systemd do where nothing else is said. */
final class Killing {
  private final String program;

  private Killing(String program) {
    this.program = program;
  }

  /** Compiles the program that installs them. */
  static Killing in(Path directory) throws Exception {
    List<String> allowed = new ArrayList<>();
    List<String> known = new ArrayList<>();
    for (String call : Gcc.lines("syscalls.txt")) {
      known.add(ifKnown(call, "{\"" + call + "\", SYS_" + call + "},"));
    }
    for (String call : Gcc.lines("system-service.txt")) {
      allowed.add(ifKnown(call, "SYS_" + call + ","));
    }
    write(directory.resolve("calls.h"), known);
    write(directory.resolve("system-service.h"), allowed);
    return new Killing(Gcc.compile(directory, "killing.c", "killing", "-I" + directory).toString());
  }

  private static String ifKnown(String call, String line) {
    return "#ifdef SYS_" + call + "\n" + line + "\n#endif";
  }

  private static void write(Path header, List<String> lines) throws IOException {
    Files.write(header, lines);
  }

  /**
   * What a command is to be put behind.
   *
   * @param calls names with commas between; or {@code @system-service} for all calls that are not
   *     in systemd's set of that name
   */
  List<String> whoCalls(String calls) {
    return List.of(program, calls);
  }
}
