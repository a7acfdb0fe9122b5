package stackweave.engine;

import stackweave.jfr.status.Counter;

/**
 * The figures of an engine, since its start if not said otherwise. Those with a {@link Counter} are
 * also in {@code status} and recordings.
 *
 * <p>There are three figures of CPU time, from which follows what sampling missed: {@link
 * #CPU_USED} by the process, {@link #CPU_COUNTED} by the kernel's events (those of threads see
 * every thread from its first instruction, but none that the engine never attached; those of CPUs
 * count samples, which were taken or lost), and {@link #CPU_COVERED} by samples. Of threads'
 * events, counted minus covered is what threads shorter than the interval used, what user-only
 * sampling drops in the kernel, and what was lost; and per thread and CPU less than one interval
 * that has not come to its end.
 */
public enum EngineFigure {
  /** CPU time that a sample stands for, within a few percent, in ns. */
  INTERVAL,

  /** Threads whose events were opened at the start; later ones inherit. */
  THREADS,

  /** CPUs, and so rings. */
  CPUS,

  /** File descriptors that the engine holds. */
  FILE_DESCRIPTORS,

  /** Data bytes per ring. */
  RING_BYTES,

  /** Bytes copied of each stack at most. */
  STACK_BYTES,

  /** Samples delivered to the sink, or skipped because it did not want them. */
  SAMPLES,

  /** Samples that found no room in their ring, as many as would have been delivered. */
  LOST(Counter.LOST),

  /**
   * Of perf: samples of other processes, such as before Linux 5.13 of children that inherited
   * events; discarded.
   */
  FOREIGN_SAMPLES(Counter.FOREIGN),

  /** Of timers: signals that were not sent by the engine's timers. */
  FOREIGN_SIGNALS,

  /** Samples of threads attached twice; discarded. */
  DUPLICATES,

  /** Times that the kernel throttled an event for taking too much time. */
  THROTTLED,

  /** Records that came after a later one had been delivered; delivered nevertheless. */
  LATE,

  /** How often a ring was discarded up to its end because a record was malformed. */
  MALFORMED,

  /** CPU time of all threads of the process but the drain thread, in ns. */
  CPU_USED(Counter.CPU_USED),

  /** CPU time by the events of all threads, in ns. */
  CPU_COUNTED,

  /** The weights of all samples, in ns. */
  CPU_COVERED(Counter.CPU_COVERED),

  /**
   * CPU time in kernel mode that an engine of user mode can't sample, in ns; an estimate: what was
   * counted less what samples, losses and left-over periods explain.
   */
  CPU_KERNEL(Counter.CPU_KERNEL),

  /** Threads of the process that are not sampled at the moment. */
  THREADS_SKIPPED(Counter.THREADS_SKIPPED),

  /** Estimated kernel memory that is held for threads, beside rings, in bytes. */
  KERNEL_MEMORY(Counter.KERNEL_MEMORY),

  /** The most kernel memory that the engine may hold for threads, in bytes; 0 if it needs none. */
  KERNEL_MEMORY_BUDGET,

  /** Events that a sample stands for, where these are sampled instead of CPU time; otherwise 0. */
  EVENT_INTERVAL(Counter.EVENT_INTERVAL),

  /** Events that the kernel counted in all threads. */
  EVENTS_COUNTED(Counter.EVENTS_COUNTED),

  /** Events that the samples stand for. */
  EVENTS_COVERED(Counter.EVENTS_COVERED);

  private final Counter counter;

  EngineFigure() {
    this(null);
  }

  EngineFigure(Counter counter) {
    this.counter = counter;
  }

  /** The counter in {@code status} and recordings; null for none. */
  public Counter counter() {
    return counter;
  }
}
