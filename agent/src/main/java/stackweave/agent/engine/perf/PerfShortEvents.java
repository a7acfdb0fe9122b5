package stackweave.agent.engine.perf;

import java.util.Arrays;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;

/**
 * Additional events with a short period on the threads that start short threads: later children
 * inherit both kinds and are sampled often enough from their start. Closing them removes the
 * inherited ones, too. Used by {@link PerfEngine} on the drain thread.
 *
 * <p>The period of the other events must not be changed instead: the kernel restarts an event then,
 * doesn't report the new period in samples, and can't change it after the event's thread has ended
 * (kernel/events/core.c, __perf_event_period). The short period varies four times a second and by
 * CPU, so that threads with constant CPU time aren't always cut at the same point.
 */
final class PerfShortEvents implements ShortEvents, AutoCloseable {
  private static final long IOC_ID = 0x80082407L;
  private static final long IOC_PERIOD = 0x40082404L;

  private static final long MEAN_NANOS = 1_000_000;

  /** Events are renewed after this time: threads that live on don't need the short period. */
  private static final long RENEWAL_NANOS = 30_000_000_000L;

  private static final long CHANGE_NANOS = 250_000_000L;

  /** Time between changes for each event, which limits their cost to 0.5 % of a core. */
  private static final long CHANGE_NANOS_PER_EVENT = 200_000;

  /** How long records of closed events may still be in a ring. */
  private static final long RETIRED_NANOS = 2_000_000_000L;

  private final SystemCalls calls;
  private final PerfRing[] rings;
  private final NativeBuffer attr;
  private final long meanNanos;
  private final NativeBuffer word = NativeBuffer.allocate(Long.BYTES);
  private int[] fds = new int[64];
  private int fdCount;

  /** Event ids, ascending as the kernel assigns them; those of closed events first. */
  private long[] ids = new long[64];

  private int idCount;
  private int retired;
  private long closedAt;
  private long openedAt;
  private long changedAt;
  private final InheritedEvents inherited = new InheritedEvents();
  private final InheritedEvents starters = new InheritedEvents();
  private double phase;
  private int budget;
  private boolean atWork;
  private boolean refused;
  private boolean released;

  /**
   * @param attr from {@link PerfAttr#additional}; closed by this object
   */
  PerfShortEvents(SystemCalls calls, PerfRing[] rings, NativeBuffer attr, long intervalNanos) {
    this.calls = calls;
    this.rings = rings;
    this.attr = attr;
    this.meanNanos = meanNanos(intervalNanos);
    PerfAttr.setPeriod(attr.bytes(), meanNanos);
  }

  /** The mean period of these events, in ns. */
  static long meanNanos(long intervalNanos) {
    return ShortThreads.matter(intervalNanos)
        ? Math.min(MEAN_NANOS, intervalNanos / 2)
        : intervalNanos;
  }

  /**
   * Starts opening events on threads that start others.
   *
   * @param descriptors how many may be taken
   */
  void begin(long nowNanos, int descriptors) {
    atWork = true;
    refused = false;
    budget = descriptors;
    openedAt = nowNanos;
  }

  /** Closes the events, including the inherited ones. */
  void end(long nowNanos) {
    atWork = false;
    for (int i = 0; i < fdCount; i++) {
      Libc.close(fds[i]);
    }
    fdCount = 0;
    retired = idCount;
    closedAt = nowNanos;
    inherited.clear();
    starters.clear();
  }

  /** Changes the period that later threads inherit, if it is time to. */
  void change(long nowNanos) {
    if (nowNanos - changedAt < Math.max(CHANGE_NANOS, fdCount * CHANGE_NANOS_PER_EVENT)) {
      return;
    }
    changedAt = nowNanos;
    for (int i = 0; i < fdCount; i++) {
      word.bytes().putLong(0, nextPeriod());
      // No effect if the event's thread has ended: its children inherit the last period.
      Libc.ioctl(fds[i], IOC_PERIOD, word.address());
    }
  }

  boolean isAtWork() {
    return atWork;
  }

  /** Whether it is time to {@link #end} and {@link #begin} anew. */
  boolean isOld(long nowNanos) {
    return atWork && nowNanos - openedAt > RENEWAL_NANOS;
  }

  /** Whether events are missing for want of file descriptors. */
  boolean isRefused() {
    return refused;
  }

  int fileDescriptors() {
    return fdCount;
  }

  /**
   * The child of a thread with these events has them, too. If its parent has none, the events are
   * opened on the parent, or on the child if the parent has ended.
   */
  @Override
  public void started(int tid, int parentTid, long timeNanos) {
    if (!atWork || released) {
      return;
    }
    long since = inherited.since(parentTid);
    if (since == InheritedEvents.NEVER) {
      if (!open(parentTid)) {
        open(tid);
      }
    } else if (timeNanos - since >= 0) {
      inherited.put(tid, timeNanos);
    }
  }

  @Override
  public boolean isStarter(int tid) {
    return starters.since(tid) != InheritedEvents.NEVER;
  }

  @Override
  public void ended(int tid) {
    if (atWork) {
      inherited.remove(tid);
      starters.remove(tid);
    }
  }

  @Override
  public boolean contains(long root) {
    return idCount > 0
        && root >= ids[0]
        && root <= ids[idCount - 1]
        && Arrays.binarySearch(ids, 0, idCount, root) >= 0;
  }

  @Override
  public boolean isRetired(long root) {
    return retired > 0 && root <= ids[retired - 1];
  }

  /** Opens the events on a thread; false if the thread has ended. */
  private boolean open(int tid) {
    if (fdCount + rings.length > budget) {
      refused = true;
      return true;
    }
    forgetRetired();
    for (PerfRing ring : rings) {
      int fd = calls.perfEventOpen(attr.address(), tid, ring.cpu(), -1, PerfEvents.FLAG_FD_CLOEXEC);
      if (fd >= 0) {
        take(fd, ring);
      } else if (Libc.errno() == Errno.ESRCH) {
        return false;
      } else {
        refused |= Libc.errno() != Errno.ENODEV;
      }
    }
    long now = System.nanoTime();
    inherited.put(tid, now);
    starters.put(tid, now);
    return true;
  }

  private void take(int fd, PerfRing ring) {
    if (Libc.ioctl(fd, IOC_ID, word.address()) < 0
        || Libc.ioctl(fd, PerfEvents.IOC_SET_OUTPUT, ring.fd()) < 0) {
      Libc.close(fd);
      refused = true;
      return;
    }
    if (fdCount == fds.length) {
      fds = Arrays.copyOf(fds, 2 * fdCount);
    }
    if (idCount == ids.length) {
      ids = Arrays.copyOf(ids, 2 * idCount);
    }
    fds[fdCount++] = fd;
    ids[idCount++] = word.bytes().getLong(0);
  }

  private void forgetRetired() {
    if (retired > 0 && System.nanoTime() - closedAt > RETIRED_NANOS) {
      System.arraycopy(ids, retired, ids, 0, idCount - retired);
      idCount -= retired;
      retired = 0;
    }
  }

  /** 0.7 to 1.3 times the mean; multiples of the golden ratio spread evenly in any sequence. */
  private long nextPeriod() {
    phase = (phase + 0.618_033_988_75) % 1;
    return (long) (meanNanos * (0.7 + 0.6 * phase));
  }

  /** Closes all events; records that they have written are still recognized. */
  void release() {
    released = true;
    for (int i = 0; i < fdCount; i++) {
      Libc.close(fds[i]);
    }
    fdCount = 0;
  }

  @Override
  public void close() {
    release();
    attr.close();
    word.close();
  }
}
