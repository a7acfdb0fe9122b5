package stackweave.engine.perf;

import java.nio.ByteBuffer;
import stackweave.cpu.PerfRegisters;
import stackweave.engine.perf.event.KernelEvent;

/**
 * Writes struct perf_event_attr (include/uapi/linux/perf_event.h) for the events in use: those that
 * sample a CPU, or a thread on a CPU, the one that owns a CPU's ring for threads, and the one that
 * records when a thread leaves a CPU and gets one. All have the same clock and the same {@link
 * #SAMPLE_ID} fields, without which events can't share a ring; so every record can be parsed
 * without knowing its event. Stateless.
 */
public final class PerfAttr {
  /** The size up to sample_max_stack, which every kernel since 4.8 knows. */
  static final int BYTES = 112;

  /** The largest multiple of 8 that sample_stack_user takes: records have 16-bit sizes. */
  static final int MAX_STACK_BYTES = 65_528;

  private static final int PERIOD = 16;
  private static final int FLAGS = 40;

  private static final int TYPE_SOFTWARE = 1;
  private static final int TYPE_TRACEPOINT = 2;
  private static final int COUNT_SW_CPU_CLOCK = 0;
  private static final int COUNT_SW_DUMMY = 9;

  private static final int SAMPLE_TID = 1 << 1;
  private static final int SAMPLE_TIME = 1 << 2;
  private static final int SAMPLE_ADDR = 1 << 3;
  private static final int SAMPLE_CALLCHAIN = 1 << 5;
  private static final int SAMPLE_ID_BIT = 1 << 6;
  private static final int SAMPLE_PERIOD = 1 << 8;
  private static final int SAMPLE_RAW = 1 << 10;
  private static final int SAMPLE_REGS_USER = 1 << 12;
  private static final int SAMPLE_STACK_USER = 1 << 13;

  /** The fields in every record: thread, time and event. */
  private static final int SAMPLE_ID = SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID_BIT;

  private static final int FORMAT_LOST = 1 << 4;

  private static final long DISABLED = 1L;
  private static final long INHERIT = 1L << 1;
  private static final long EXCLUDE_KERNEL = 1L << 5;
  private static final long EXCLUDE_HV = 1L << 6;
  private static final long EXCLUDE_IDLE = 1L << 7;
  private static final long COMM = 1L << 9;
  private static final long TASK = 1L << 13;
  private static final long WATERMARK = 1L << 14;
  private static final long SAMPLE_ID_ALL = 1L << 18;
  private static final long EXCLUDE_CALLCHAIN_USER = 1L << 22;
  private static final long USE_CLOCKID = 1L << 25;
  private static final long CONTEXT_SWITCH = 1L << 26;
  private static final long INHERIT_THREAD = 1L << 35;
  private static final long REMOVE_ON_EXEC = 1L << 36;

  private static final int CLOCK_MONOTONIC = 1;

  /**
   * Optional fields by kernel version, newest first. An older kernel refuses the whole event with
   * EINVAL, so they are tried from the newest on.
   */
  public enum Features {
    /** 6.0: the exact number of lost records with each event's count. */
    LOST_COUNT(true, true),
    /** 5.13: only threads inherit, and an exec ends it: no records of child processes at all. */
    THREADS_ONLY(false, true),
    /** 4.8 and later. */
    NONE(false, false);

    private final boolean lostCount;
    private final boolean threadsOnly;

    Features(boolean lostCount, boolean threadsOnly) {
      this.lostCount = lostCount;
      this.threadsOnly = threadsOnly;
    }

    boolean lostCount() {
      return lostCount;
    }

    /** Whether child processes inherit nothing. */
    boolean threadsOnly() {
      return threadsOnly;
    }

    private long flags() {
      return threadsOnly ? INHERIT_THREAD | REMOVE_ON_EXEC : 0;
    }

    private int readFormat() {
      return lostCount ? FORMAT_LOST : 0;
    }
  }

  private PerfAttr() {}

  /**
   * Writes the sampling event. It counts cpu-clock, a high-resolution timer that runs while the
   * thread does, which every machine has, unlike a cycle counter.
   *
   * @param kernel whether kernel mode is sampled too, with the kernel's part of the call chain
   */
  static void sampling(
      ByteBuffer attr,
      Features features,
      boolean kernel,
      long periodNanos,
      int stackBytes,
      PerfRegisters registers) {
    int sampleType = SAMPLE_ID | SAMPLE_PERIOD | SAMPLE_REGS_USER | SAMPLE_STACK_USER;
    long flags = DISABLED | INHERIT | COMM | TASK | SAMPLE_ID_ALL | USE_CLOCKID;
    if (kernel) {
      sampleType |= SAMPLE_CALLCHAIN;
      flags |= EXCLUDE_CALLCHAIN_USER;
    } else {
      flags |= EXCLUDE_KERNEL | EXCLUDE_HV;
    }
    write(attr, COUNT_SW_CPU_CLOCK, sampleType, features.readFormat(), flags | features.flags());
    attr.putLong(PERIOD, periodNanos);
    attr.putLong(80, registers.mask());
    attr.putInt(88, stackBytes);
  }

  /**
   * Writes the event that samples a CPU and owns its ring: user mode and kernel, whichever thread
   * runs, but for the idle one. It has no records of mappings, names and threads, which would be
   * those of all processes.
   *
   * @param watermarkBytes bytes in the ring from which on a poll returns
   */
  static void ofCpu(
      ByteBuffer attr,
      boolean countsLost,
      long periodNanos,
      int stackBytes,
      PerfRegisters registers,
      int watermarkBytes) {
    write(
        attr,
        COUNT_SW_CPU_CLOCK,
        SAMPLE_ID | SAMPLE_PERIOD | SAMPLE_CALLCHAIN | SAMPLE_REGS_USER | SAMPLE_STACK_USER,
        countsLost ? FORMAT_LOST : 0,
        DISABLED | EXCLUDE_IDLE | WATERMARK | SAMPLE_ID_ALL | EXCLUDE_CALLCHAIN_USER | USE_CLOCKID);
    attr.putLong(PERIOD, periodNanos);
    attr.putInt(48, watermarkBytes);
    attr.putLong(80, registers.mask());
    attr.putInt(88, stackBytes);
  }

  /**
   * Changes a {@link #sampling} event to one of another kind, enabled once it is open. Its samples
   * have an address instead of their period, which is the same for all: with PERF_SAMPLE_PERIOD the
   * kernel would sample every software event (perf_swevent_event in kernel/events/core.c).
   *
   * @param interval events that a sample stands for
   */
  static void event(ByteBuffer attr, KernelEvent event, long interval) {
    event.writeTo(attr);
    attr.putLong(PERIOD, interval);
    attr.putLong(24, attr.getLong(24) & ~SAMPLE_PERIOD | SAMPLE_ADDR);
    attr.putLong(FLAGS, attr.getLong(FLAGS) & ~DISABLED);
  }

  /** Changes an event {@link #ofCpu} to one of another kind, likewise. */
  static void eventOfCpu(ByteBuffer attr, KernelEvent event, long interval) {
    event(attr, event, interval);
    attr.putLong(FLAGS, attr.getLong(FLAGS) | DISABLED);
  }

  /**
   * Writes the event that records a thread's switches on a CPU, and its start and end; enabled once
   * it is open. It counts nothing and needs no privilege: exclude_kernel is set.
   */
  static void switches(ByteBuffer attr, Features features) {
    long flags =
        INHERIT | TASK | CONTEXT_SWITCH | EXCLUDE_KERNEL | EXCLUDE_HV | SAMPLE_ID_ALL | USE_CLOCKID;
    write(attr, COUNT_SW_DUMMY, SAMPLE_ID, 0, flags | features.flags());
  }

  /**
   * Changes a {@link #switches} event to one that also records each time that its thread wakes
   * another or is woken: a tracepoint of the kernel's, which needs CAP_PERFMON.
   */
  static void wakeUps(ByteBuffer attr, WakeTracepoint tracepoint) {
    attr.putInt(0, TYPE_TRACEPOINT);
    attr.putLong(8, tracepoint.id());
    attr.putLong(PERIOD, 1);
    attr.putLong(24, SAMPLE_ID | SAMPLE_RAW);
    attr.putLong(FLAGS, attr.getLong(FLAGS) & ~(EXCLUDE_KERNEL | EXCLUDE_HV));
  }

  /**
   * Writes the event that owns a ring: it counts nothing, and belongs to the drain thread.
   *
   * @param watermarkBytes bytes in the ring from which on a poll returns
   */
  static void ringOwner(ByteBuffer attr, Features features, int watermarkBytes) {
    long flags = EXCLUDE_KERNEL | EXCLUDE_HV | WATERMARK | SAMPLE_ID_ALL | USE_CLOCKID;
    write(attr, COUNT_SW_DUMMY, SAMPLE_ID, features.readFormat(), flags);
    attr.putInt(48, watermarkBytes);
  }

  private static void write(
      ByteBuffer attr, int config, int sampleType, int readFormat, long flags) {
    for (int i = 0; i < BYTES; i += Long.BYTES) {
      attr.putLong(i, 0);
    }
    attr.putInt(0, TYPE_SOFTWARE);
    attr.putInt(4, BYTES);
    attr.putLong(8, config);
    attr.putLong(24, sampleType);
    attr.putLong(32, readFormat);
    attr.putLong(FLAGS, flags);
    attr.putInt(92, CLOCK_MONOTONIC);
  }
}
