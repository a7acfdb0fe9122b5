package stackweave.jfr.event;

/**
 * Notifies of a possible change of a setting of {@link NativeSample}. JFR calls it holding the
 * recorder's monitor, possibly on an application thread: the receiver must not block or call JFR.
 * Thread-safe.
 */
public final class SettingChange {
  private static volatile Runnable receiver;

  private SettingChange() {}

  /** Sets the receiver, null for none. */
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
