package stackweave.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The command {@code record} that samples a JVM of the lab from outside. Thread-safe. */
public final class OutsideCommand {
  /** Time for the command's start and end on a busy machine, in seconds. */
  private static final long PATIENCE_SECONDS = 240;

  /** The bit of SIGQUIT, by which a JVM is attached to, in the masks of proc(5). */
  private static final long SIGQUIT = 1 << 2;

  private final Process process;

  private OutsideCommand(Process process) {
    this.process = process;
  }

  /**
   * Starts it as soon as the JVM can be attached to. It ends with the JVM.
   *
   * @param interval CPU time between two samples
   * @param directory gets what the command prints
   */
  public static OutsideCommand start(Process jvm, Path recording, String interval, Path directory)
      throws IOException, InterruptedException {
    while (jvm.isAlive() && !handlesAttach(jvm.pid())) {
      Thread.sleep(50);
    }
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-jar",
            Built.agentJar().toString(),
            "record",
            Long.toString(jvm.pid()),
            "--duration=1h",
            "--interval=" + interval,
            "--output=" + recording);
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    return new OutsideCommand(
        builder
            .redirectOutput(directory.resolve("record.out").toFile())
            .redirectError(directory.resolve("record.err").toFile())
            .start());
  }

  private static boolean handlesAttach(long pid) throws IOException {
    Path status = Path.of("/proc", Long.toString(pid), "status");
    return Files.readAllLines(status).stream()
        .filter(line -> line.startsWith("SigCgt:"))
        .anyMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & SIGQUIT) != 0);
  }

  /** Waits for its end; null, or what went wrong. */
  public String untilEnd() throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      return "record hangs";
    }
    return process.exitValue() == 0 ? null : "record ended with " + process.exitValue();
  }
}
