package stackweave.jfr.event.load;

import jdk.jfr.FlightRecorder;

/**
 * Whether JFR knows the events of loads. Threads that load libraries ask first: the first use of an
 * event's class registers it, which takes JFR's locks, and they may hold one that JFR needs.
 * Thread-safe.
 */
public final class LoadEvents {
  private static volatile boolean early;
  private static volatile boolean registered;

  /** Null if nobody is to be told. */
  private static volatile Runnable unsampled;

  private LoadEvents() {}

  /**
   * From now on the events are registered as soon as JFR runs, not when sampling begins.
   *
   * @param unsampled is told by {@link #notSampled}
   */
  public static void early(Runnable unsampled) {
    LoadEvents.unsampled = unsampled;
    early = true;
  }

  /** No recording asks for samples, so nobody reads what is kept for their decoding. */
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
      registered = false; // when sampling begins it is tried again, and its failure is told
    }
  }

  /** Registers the events. Takes JFR's locks: not on a thread that loads a library. */
  public static void register() {
    FlightRecorder.register(NativeLibraryLoad.class);
    FlightRecorder.register(NativeLibraryMapped.class);
    registered = true;
  }

  /** Undoes it. */
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
