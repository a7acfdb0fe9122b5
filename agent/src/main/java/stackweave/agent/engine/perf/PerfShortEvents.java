package stackweave.agent.engine.perf;

import java.util.Arrays;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;

/**
 * Events with a short period beside those of {@link PerfEvents}, on the threads that start short
 * threads: whatever such a thread starts from then on inherits both, and is sampled often enough
 * from its birth. Closing them ends that for all who inherited them, and leaves them the events
 * they had before.
 *
 * <p>The period of the other events is not touched: the kernel restarts an event whose period is
 * changed, does not tell the new one in its samples, and can't change it any more once the thread
 * that had the event has ended (kernel/events/core.c, __perf_event_period, event_function_call).
 *
 * <p>The short period itself changes four times a second, around {@link #meanNanos}, and from CPU
 * to CPU: threads that always use the same CPU time are not always cut at the same point. For those
 * that have inherited it stays what it was. Of the starting threads themselves only the other
 * events' samples count, so the above does not concern them.
 */
final class PerfShortEvents implements ShortEvents, AutoCloseable {
  private static final long IOC_ID = 0x80082407L;
  private static final long IOC_PERIOD = 0x40082404L;

  private static final long MEAN_NANOS = 1_000_000;

  /** Heirs keep the short period for so long at most; those that live on then don't need it. */
  private static final long RENEWAL_NANOS = 30_000_000_000L;

  private static final long CHANGE_NANOS = 250_000_000L;

  /** That a change takes, at most, of a core: 0.5 %. */
  private static final long CHANGE_NANOS_PER_EVENT = 200_000;

  /** For so long records of closed events may still be in a ring. */
  private static final long RETIRED_NANOS = 2_000_000_000L;

  private final SystemCalls calls;
  private final PerfRing[] rings;
  private final NativeBuffer attr;
  private final long meanNanos;
  private final NativeBuffer word = NativeBuffer.allocate(Long.BYTES);
  private int[] fds = new int[64];
  private int fdCount;

  /** Ascending, as the kernel gives them; those of closed events first. */
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
   * @param attr an event besides the sampling one; becomes this one's to close
   */
  PerfShortEvents(SystemCalls calls, PerfRing[] rings, NativeBuffer attr, long intervalNanos) {
    this.calls = calls;
    this.rings = rings;
    this.attr = attr;
    this.meanNanos = meanNanos(intervalNanos);
    PerfAttr.setPeriod(attr.bytes(), meanNanos);
  }

  /** The period that threads inherit while short ones are at work. */
  static long meanNanos(long intervalNanos) {
    return ShortThreads.matter(intervalNanos)
        ? Math.min(MEAN_NANOS, intervalNanos / 2)
        : intervalNanos;
  }

  /**
   * From here on threads that start others get events with a short period.
   *
   * @param descriptors how many may be taken
   */
  void begin(long nowNanos, int descriptors) {
    atWork = true;
    refused = false;
    budget = descriptors;
    openedAt = nowNanos;
  }

  /** Ends it, for those as well that have inherited. */
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

  /** Changes the period that is inherited from here on, where it is time to. */
  void change(long nowNanos) {
    if (nowNanos - changedAt < Math.max(CHANGE_NANOS, fdCount * CHANGE_NANOS_PER_EVENT)) {
      return;
    }
    changedAt = nowNanos;
    for (int i = 0; i < fdCount; i++) {
      word.bytes().putLong(0, nextPeriod());
      // Without effect where the thread that had the event has ended: inherited then inherit the
      // last.
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

  /** Whether threads that start short ones had to be left without, for want of descriptors. */
  boolean isRefused() {
    return refused;
  }

  int fileDescriptors() {
    return fdCount;
  }

  /**
   * {@inheritDoc}
   *
   * <p>By an heir, so it is one, or by one that should have inherited. Where that has ended
   * already, what it has started may go on like that.
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

  /** False if there is no such thread any more. */
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

  /** From 0.7 to 1.3 times the mean, by multiples of the golden section: evenly in any run. */
  private long nextPeriod() {
    phase = (phase + 0.618_033_988_75) % 1;
    return (long) (meanNanos * (0.7 + 0.6 * phase));
  }

  /** Closes all events for good; of what they wrote before it is still known what it is. */
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
