package stackweave.jfr.event;

/**
 * Where JFR says that a setting of {@link NativeSample} may have changed. It says so under the
 * recorder's monitor, maybe on an application thread: the receiver may only take note.
 */
public final class SettingChange {
  private static volatile Runnable receiver;

  private SettingChange() {}

  /** Sets who is told, null for nobody. */
  public static void setReceiver(Runnable receiver) {
    SettingChange.receiver = receiver;
  }

  static void signal() {
    Runnable told = receiver;
    if (told != null) {
      told.run();
    }
  }
}
