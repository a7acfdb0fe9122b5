package stackweave.agent.drain;

import java.util.concurrent.locks.LockSupport;
import stackweave.engine.SampleEngine;

/**
 * Tells the drain thread to end, and ends its waits: those for samples, of the engine that runs,
 * and those without an engine. Thread-safe; nothing here blocks or throws but {@link #park}.
 */
final class StopSignal {
  private volatile boolean set;
  private volatile Thread waiting;
  private volatile SampleEngine engine;

  /** The thread that waits is to end. */
  void set() {
    set = true;
    wake();
  }

  boolean isSet() {
    return set;
  }

  /** Ends the present wait, or else the next. Also called under JFR's monitor. */
  void wake() {
    SampleEngine running = engine;
    if (running != null) {
      running.wake();
    }
    LockSupport.unpark(waiting);
  }

  /** Sets the engine that is waited for; null for none. */
  void waitFor(SampleEngine running) {
    engine = running;
  }

  /** Waits until {@link #wake}, but no longer than so. For one thread. */
  void park(long nanos) {
    waiting = Thread.currentThread();
    if (!set) {
      LockSupport.parkNanos(this, nanos);
    }
    clearInterrupt();
  }

  /**
   * Clears an interrupt by an application that interrupts all threads: an interrupted thread never
   * parks and can't read files by channels.
   */
  static void clearInterrupt() {
    Thread.interrupted();
  }
}
