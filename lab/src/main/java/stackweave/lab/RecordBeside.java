package stackweave.lab;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The command {@code record} beside a JVM, until that JVM ends. Not thread-safe. */
public final class RecordBeside {
  private static final String PERF_EVENT = "anon_inode:[perf_event]";
  private static final long START_NANOS = 120_000_000_000L;
  private static final long END_SECONDS = 300;
  private static final int LOOK_MILLIS = 20;

  private final Process command;
  private final Path out;

  /**
   * What a command took.
   *
   * @param nanos its CPU time
   * @param kibibytes the most memory that it had
   */
  public record Taken(long nanos, long kibibytes) {}

  private RecordBeside(Process command, Path out) {
    this.command = command;
    this.out = out;
  }

  /**
   * Starts the command, and waits until the kernel has its events.
   *
   * @param target the JVM's process id
   * @param java that runs the command
   * @param agentJar the agent's jar
   * @param options of {@code record}
   * @param out gets what the command says
   * @throws IOException if it does not sample
   */
  public static RecordBeside start(
      long target, Path java, Path agentJar, List<String> options, Path out)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(java.toString(), "-jar", agentJar.toString()));
    words.addAll(List.of("record", "" + target, "--duration=1h", "--no-weave"));
    words.addAll(options);
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    Process command = builder.redirectOutput(Redirect.to(out.toFile())).start();
    RecordBeside beside = new RecordBeside(command, out);
    long end = System.nanoTime() + START_NANOS;
    while (!hasEvents(command.pid()) && !hasEvents(target)) {
      if (!command.isAlive() || System.nanoTime() > end) {
        throw beside.failed("does not sample");
      }
      Thread.sleep(LOOK_MILLIS);
    }
    return beside;
  }

  private IOException failed(String what) throws IOException {
    command.destroyForcibly();
    return new IOException("record " + what + ": " + Files.readString(out));
  }

  private static boolean hasEvents(long pid) {
    Path descriptors = Path.of("/proc/" + pid + "/fd");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(descriptors)) {
      for (Path file : files) {
        if (Files.readSymbolicLink(file).toString().equals(PERF_EVENT)) {
          return true;
        }
      }
    } catch (IOException e) {
      return false; // a descriptor is closed meanwhile, or the process has ended
    }
    return false;
  }

  /** Ends the command, while the JVM goes on, and waits for that. */
  public void interrupt() throws InterruptedException {
    command.destroy();
    command.waitFor();
  }

  /** Whether the command has not ended yet; it may be faster than who waits for the JVM's end. */
  public boolean isRunning() {
    return command.isAlive();
  }

  /**
   * Waits for the command's end, after that of the JVM.
   *
   * @param before CPU time of all children that had ended at the JVM's end
   * @throws IOException if it failed
   */
  public Taken end(long before) throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
    long kibibytes = 0;
    do {
      kibibytes = Math.max(kibibytes, peakKibibytes());
      if (System.nanoTime() > end) {
        throw failed("does not end");
      }
    } while (!command.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS));
    if (command.exitValue() != 0) {
      throw failed("ended with " + command.exitValue());
    }
    return new Taken(CpuTime.ofChildren() - before, kibibytes);
  }

  private long peakKibibytes() {
    try {
      return Kibibytes.in(Path.of("/proc/" + command.pid() + "/status"), "VmHWM:");
    } catch (IOException e) {
      return 0; // it has ended
    }
  }
}
