package stackweave.engine.perf;

/**
 * Decodes the records of switches at a ring's tail and passes them on. Layouts:
 * include/uapi/linux/perf_event.h, enum perf_event_type; a switch has no fields of its own; a flag
 * in its header has its direction (PERF_RECORD_MISC_SWITCH_OUT). Called by {@link RingMerge}; for
 * the drain thread only. Allocates nothing.
 */
final class SwitchRecords implements RingMerge.Target {
  private static final int RECORD_LOST = 2;
  private static final int RECORD_EXIT = 4;
  private static final int RECORD_FORK = 7;
  private static final int RECORD_SAMPLE = 9;
  private static final int RECORD_SWITCH = 14;

  private static final int MISC_SWITCH_OUT = 1 << 13;

  /** Since Linux 4.17. */
  private static final int MISC_SWITCH_OUT_PREEMPT = 1 << 14;

  /** Bytes of a switch: header, and the fields at the end of each record: pid, tid, time, id. */
  private static final int SWITCH_BYTES = 32;

  /**
   * Offset of a tracepoint's own data in a sample: header, pid, tid, time, id, and the data's size.
   */
  private static final int RAW = 36;

  /** TRACE_FLAG_HARDIRQ, TRACE_FLAG_SOFTIRQ, TRACE_FLAG_NMI: include/linux/trace_events.h. */
  private static final int FLAGS_INTERRUPT = 0x08 | 0x10 | 0x40;

  private final int pid;

  /** Null if wake-ups are not recorded. */
  private WakeTracepoint tracepoint;

  private SwitchSink sink;
  private long switches;
  private long wakeUps;
  private long starts;

  SwitchRecords(int pid) {
    this.pid = pid;
  }

  /** Sets the layout of wake-up records. */
  void setTracepoint(WakeTracepoint tracepoint) {
    this.tracepoint = tracepoint;
  }

  /** Sets the receiver of the following records. */
  void setSink(SwitchSink sink) {
    this.sink = sink;
  }

  /** Records of switches of this process, in both directions, including lost ones. */
  long switches() {
    return switches;
  }

  /** Counts bytes that were discarded unread as switches. */
  void discarded(int bytes) {
    switches += bytes / SWITCH_BYTES;
  }

  /** Records of wake-ups; a wake-up may have two. */
  long wakeUps() {
    return wakeUps;
  }

  /** Threads started. */
  long starts() {
    return starts;
  }

  @Override
  public void record(PerfRing ring, long timeNanos) {
    switch (ring.type()) {
      case RECORD_SWITCH -> switched(ring, timeNanos);
      case RECORD_SAMPLE -> woken(ring, timeNanos);
      case RECORD_FORK -> {
        // A record of a child process has another pid.
        int tid = ring.getInt(8) == pid ? ring.getInt(16) : 0;
        ring.take();
        if (tid != 0) {
          starts++;
          sink.started(tid);
        }
      }
      case RECORD_EXIT -> {
        int tid = ring.getInt(8) == pid ? ring.getInt(16) : 0;
        ring.take();
        if (tid != 0) {
          sink.ended(tid);
        }
      }
      case RECORD_LOST -> {
        switches += ring.getLong(16);
        ring.take();
        sink.lost();
      }
      default -> ring.take();
    }
  }

  /** The running thread and the woken one each have a record of it, if both have an event. */
  private void woken(PerfRing ring, long timeNanos) {
    if (tracepoint == null || ring.size() < RAW + tracepoint.pid() + Integer.BYTES) {
      ring.take();
      return;
    }
    int wakerPid = ring.getInt(8);
    int wakerTid = ring.getInt(12);
    int flags = ring.getByte(RAW + tracepoint.flags());
    int tid = ring.getInt(RAW + tracepoint.pid());
    ring.take();
    wakeUps++;
    // The idle task wakes nobody: a wake-up on an idle CPU is by an interrupt, too.
    boolean isInterrupt = (flags & FLAGS_INTERRUPT) != 0 || wakerTid == 0;
    sink.woken(tid, timeNanos, wakerPid, wakerTid, isInterrupt);
  }

  private void switched(PerfRing ring, long timeNanos) {
    boolean isOurs = ring.size() >= SWITCH_BYTES && ring.getInt(8) == pid;
    int tid = isOurs ? ring.getInt(12) : 0;
    int misc = ring.misc();
    ring.take();
    if (!isOurs) {
      return;
    }
    switches++;
    if ((misc & MISC_SWITCH_OUT) != 0) {
      sink.switchedOut(tid, timeNanos, (misc & MISC_SWITCH_OUT_PREEMPT) != 0);
    } else {
      sink.switchedIn(tid, timeNanos);
    }
  }
}
