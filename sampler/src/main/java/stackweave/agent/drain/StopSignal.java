package stackweave.agent.drain;

import java.util.concurrent.locks.LockSupport;
import stackweave.engine.SampleEngine;

/**
 * Tells the drain thread to end, and ends its waits, whether an engine runs or not. Thread-safe;
 * only {@link #park} blocks, and nothing throws.
 */
final class StopSignal {
  private volatile boolean set;
  private volatile Thread waiting;
  private volatile SampleEngine engine;

  /** Tells the thread to end. */
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

  /** Waits until {@link #wake}, but at most {@code nanos}. For one thread. */
  void park(long nanos) {
    waiting = Thread.currentThread();
    if (!set) {
      LockSupport.parkNanos(this, nanos);
    }
    clearInterrupt();
  }

  /**
   * Clears the interrupt of an application that interrupts all threads: an interrupted thread can
   * neither park nor read files by channels.
   */
  static void clearInterrupt() {
    Thread.interrupted();
  }
}
