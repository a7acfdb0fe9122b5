package stackweave.jfr.control;

import java.lang.reflect.Method;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.SettingControl;
import jdk.jfr.SettingDefinition;
import stackweave.jfr.event.SettingChange;

/**
 * Starts and stops recordings with an event whose setting, under JFR's lock, tells the control of
 * changes: an application's thread waits there for the control's lock. Ends only if that one never
 * waits for JFR's.
 */
public final class LockOrderProbe {
  private static final int CYCLES = 300;
  private static final long PATIENCE_SECONDS = 300;

  private LockOrderProbe() {}

  /** What is told of changes slowly. */
  @Name("test.Slow")
  public static final class Slow extends Event {
    @SettingDefinition
    boolean tells(Teller teller) {
      return teller != null;
    }
  }

  /** Its setting. */
  public static final class Teller extends SettingControl {
    private static Method signal;

    @Override
    public String combine(Set<String> values) {
      return "any";
    }

    @Override
    public void setValue(String value) {
      try {
        for (int i = 0; i < 3 && signal != null; i++) {
          signal.invoke(null);
          TimeUnit.MILLISECONDS.sleep(1);
        }
      } catch (ReflectiveOperationException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public String getValue() {
      return "any";
    }
  }

  public static void main(String[] args) throws Exception {
    Method signal = SettingChange.class.getDeclaredMethod("signal");
    signal.setAccessible(true);
    SamplingControl control =
        new SamplingControl(false, SamplingDefaults.STANDARD, request -> {}, null);
    control.start();
    FlightRecorder.register(Slow.class);
    Thread application = new Thread(LockOrderProbe::changeRecordings, "application");
    application.setDaemon(true);
    try (Recording recording = new Recording()) {
      recording.enable("stackweave.NativeSample").with("interval", "10 ms");
      recording.start();
      TimeUnit.MILLISECONDS.sleep(500);
      Teller.signal = signal;
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
        recording.enable(Slow.class).with("tells", "any");
        recording.start();
        recording.stop();
      }
    }
  }
}
