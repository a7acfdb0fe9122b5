package stackweave.agent.engine.perf;

/**
 * Decodes the records of switches at a ring's tail and passes them on. Layouts:
 * include/uapi/linux/perf_event.h, enum perf_event_type; a switch has no fields of its own, but
 * says in its header which way it goes (PERF_RECORD_MISC_SWITCH_OUT). Called by {@link RingMerge};
 * for the drain thread only. Allocates nothing.
 */
final class SwitchRecords implements RingMerge.Target {
  private static final int RECORD_LOST = 2;
  private static final int RECORD_EXIT = 4;
  private static final int RECORD_FORK = 7;
  private static final int RECORD_SWITCH = 14;

  private static final int MISC_SWITCH_OUT = 1 << 13;

  /** Since Linux 4.17. */
  private static final int MISC_SWITCH_OUT_PREEMPT = 1 << 14;

  /** Bytes of a switch: header, and the fields at the end of each record: pid, tid, time, id. */
  private static final int SWITCH_BYTES = 32;

  private final int pid;
  private SwitchSink sink;
  private long switches;
  private long starts;

  SwitchRecords(int pid) {
    this.pid = pid;
  }

  /** Sets the receiver of the following records. */
  void setSink(SwitchSink sink) {
    this.sink = sink;
  }

  /** Records of switches of this process, either way, those that were lost included. */
  long switches() {
    return switches;
  }

  /** Some of that many bytes were given up unread: they count as switches. */
  void discarded(int bytes) {
    switches += bytes / SWITCH_BYTES;
  }

  /** Threads started. */
  long starts() {
    return starts;
  }

  @Override
  public void record(PerfRing ring, long timeNanos) {
    switch (ring.type()) {
      case RECORD_SWITCH -> switched(ring, timeNanos);
      case RECORD_FORK -> {
        // Of a child process pid is another one.
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
