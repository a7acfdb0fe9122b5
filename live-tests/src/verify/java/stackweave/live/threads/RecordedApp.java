package stackweave.live.threads;

import java.nio.file.Path;
import jdk.jfr.Recording;
import stackweave.lab.Sampling;

/** An application that is recorded a number of times. */
final class RecordedApp {
  private static final long MAX_MILLIS = 300_000;

  private RecordedApp() {}

  public static void main(String[] args) throws Exception {
    for (int i = 0; i < Integer.parseInt(args[0]); i++) {
      try (Recording recording = new Recording()) {
        recording.enable("stackweave.NativeSample").with("interval", "10ms");
        recording.setDestination(Path.of("app-" + ProcessHandle.current().pid() + ".jfr"));
        recording.start();
        await(true);
        Thread.sleep(1_000);
      }
      await(false);
      Thread.sleep(500);
    }
  }

  private static void await(boolean sampled) throws Exception {
    for (long t = 0; Sampling.hasTimers() != sampled && t < MAX_MILLIS; t += 10) {
      Thread.sleep(10);
    }
  }
}
