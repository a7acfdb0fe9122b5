package stackweave.live.harm;

import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import stackweave.lab.Sampling;

/**
 * Is sampled, switches that off by a file (the argument), and on again; prints after how many
 * milliseconds each took effect.
 */
final class SwitchFileApp {
  /** The time from the moment that it is seen to be off to the file's deletion. */
  @Name("test.Off")
  @Label("Off")
  static final class OffEvent extends Event {}

  private static final int MAX_MILLIS = 300_000;

  private SwitchFileApp() {}

  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[0]);
    try (Recording recording = new Recording()) {
      recording.enable("stackweave.NativeSample").with("interval", "1 ms");
      recording.setDestination(Path.of("switch.jfr"));
      recording.start();
      recording.enable(OffEvent.class);
      burnUntil(true);
      burn(500);
      Files.createFile(file);
      System.out.println("off after " + burnUntil(false));
      OffEvent off = new OffEvent();
      off.begin();
      burn(500);
      off.commit();
      Files.delete(file);
      System.out.println("on after " + burnUntil(true));
      burn(500);
    }
  }

  private static long burnUntil(boolean sampled) throws Exception {
    long start = System.nanoTime();
    while (Sampling.isOn() != sampled) {
      long millis = (System.nanoTime() - start) / 1_000_000;
      if (millis > MAX_MILLIS) {
        throw new IllegalStateException("nothing happens for " + millis + " ms");
      }
      burn(20);
    }
    return (System.nanoTime() - start) / 1_000_000;
  }

  private static void burn(long millis) {
    long end = Sampling.cpuNanos() + millis * 1_000_000;
    long x = 1;
    while (Sampling.cpuNanos() < end || x == 0) {
      x = x * 6364136223846793005L + 1442695040888963407L;
    }
  }
}
