package stackweave.samples;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Says how much of a recorded JVM's CPU time its samples stand for: {@code Coverage RECORDING}.
 *
 * <p>Reads {@code stackweave.SamplerStatus} as any user of JFR can: each of which counts since the
 * one before.
 */
public final class Coverage {

  private Coverage() {}

  public static void main(String[] args) throws IOException {
    Path recording = Path.of(args[0]);
    long used = 0;
    long covered = 0;
    long missed = 0;
    long samples = 0;
    long statuses = 0;
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        switch (event.getEventType().getName()) {
          case "stackweave.StackSample", "stackweave.NativeSample" -> samples++;
          case "stackweave.SamplerStatus" -> {
            statuses++;
            used += event.getLong("cpuUsed");
            covered += event.getLong("cpuCovered");
            missed += event.getLong("cpuMissed");
          }
          default -> {}
        }
      }
    }
    if (samples == 0) {
      System.err.printf(
          Locale.ROOT,
          "%s holds no samples: the agent's line above says why it did not sample%n",
          recording);
      System.exit(1);
    }
    System.out.printf(Locale.ROOT, "%,d samples, %d status events%n", samples, statuses);
    System.out.printf(
        Locale.ROOT,
        "CPU time used by the JVM %.2f s, covered by samples %.2f s (%.1f %%),"
            + " before sampling began %.2f s%n",
        seconds(used),
        seconds(covered),
        used == 0 ? 0 : 100.0 * covered / used,
        seconds(missed));
  }

  private static double seconds(long nanos) {
    return Duration.ofNanos(nanos).toMillis() / 1000.0;
  }
}
