package stackweave.jfr.control;

import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;

/**
 * Starts and stops recordings: JFR tells the control of each change with its own lock held, and an
 * application's thread waits there for the control's lock. Ends only if the control never waits for
 * JFR's lock while it holds its own.
 */
public final class LockOrderProbe {
  private static final int CYCLES = 300;
  private static final long PATIENCE_SECONDS = 300;

  private LockOrderProbe() {}

  public static void main(String[] args) throws Exception {
    SamplingControl control =
        new SamplingControl(false, SamplingDefaults.STANDARD, request -> {}, null);
    control.start();
    Thread application = new Thread(LockOrderProbe::changeRecordings, "application");
    application.setDaemon(true);
    try (Recording recording = new Recording()) {
      recording.enable("stackweave.NativeSample").with("interval", "10 ms");
      recording.start();
      TimeUnit.MILLISECONDS.sleep(500);
      application.start();
      application.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
      if (application.isAlive()) {
        System.out.println("hangs");
        Runtime.getRuntime().halt(1);
      }
    }
    control.close();
    System.out.println("done");
  }

  private static void changeRecordings() {
    for (int i = 0; i < CYCLES; i++) {
      try (Recording recording = new Recording()) {
        recording.start();
        recording.stop();
      }
    }
  }
}
