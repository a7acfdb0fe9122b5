package stackweave.jfr.event.load;

import jdk.jfr.FlightRecorder;

/**
 * Whether JFR knows the events of loads. Threads that load libraries must ask before they use one:
 * the first use of an event's class registers it, which takes JFR's locks, and such a thread may
 * hold a lock that JFR needs. Thread-safe.
 */
public final class LoadEvents {
  private static volatile boolean early;
  private static volatile boolean registered;

  /** Called by {@link #notSampled}; null for nobody. */
  private static volatile Runnable unsampled;

  private LoadEvents() {}

  /**
   * From now on the events are registered as soon as JFR runs, not when sampling begins.
   *
   * @param unsampled called by {@link #notSampled}
   */
  public static void early(Runnable unsampled) {
    LoadEvents.unsampled = unsampled;
    early = true;
  }

  /** No recording asks for samples, so nothing will decode what was kept for them. */
  public static void notSampled() {
    Runnable told = unsampled;
    if (told != null) {
      told.run();
    }
  }

  /** JFR runs: registers the events if they are wanted {@link #early}. Throws nothing. */
  public static void registerEarly() {
    if (!early) {
      return;
    }
    try {
      register();
    } catch (RuntimeException | Error e) {
      registered = false; // tried again, and the failure reported, when sampling begins
    }
  }

  /** Registers the events. Takes JFR's locks: not on a thread that loads a library. */
  public static void register() {
    FlightRecorder.register(NativeLibraryLoad.class);
    FlightRecorder.register(NativeLibraryMapped.class);
    registered = true;
  }

  /** Unregisters the events. */
  public static void unregister() {
    registered = false;
    early = false;
    unsampled = null;
    FlightRecorder.unregister(NativeLibraryLoad.class);
    FlightRecorder.unregister(NativeLibraryMapped.class);
  }

  /** Whether the events may be used. */
  public static boolean areRegistered() {
    return registered;
  }
}
