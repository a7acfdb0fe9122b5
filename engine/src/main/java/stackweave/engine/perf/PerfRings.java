package stackweave.engine.perf;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import stackweave.engine.CpuSet;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.RefusalText;
import stackweave.engine.Wakeup;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CpuTime;
import stackweave.linux.Errno;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * The rings of several CPUs, all of one size, and the wait for them. Closed by the object that
 * opened them. For the drain thread.
 */
final class PerfRings implements AutoCloseable {
  private static final int POLLFD_BYTES = 8;

  /**
   * Pause after a look at the threads' CPUs in multiples of its CPU time: half a percent of a core.
   */
  private static final int COST_SHARE = 200;

  private final PerfRing[] rings;
  private final int bytes;
  private final int errno;

  /** The count of each ring's event, as last read. */
  private final long[] counts;

  /** Null until the first look at the threads' CPUs. */
  private CpuTime cpuTime;

  private long lookedAt = System.nanoTime();
  private long pauseNanos;

  /** Null until the first wait. */
  private NativeBuffer pollFds;

  /** Opens the event that is to own a CPU's ring. */
  interface Opener {
    /** Its descriptor, or −1 with the reason in {@link Libc#errno}. */
    int open(int cpu, int dataBytes);
  }

  private PerfRings(PerfRing[] rings, int bytes, int errno) {
    this.rings = rings;
    this.bytes = bytes;
    this.errno = errno;
    this.counts = new long[rings.length];
  }

  /** An object without rings. */
  static PerfRings none() {
    return new PerfRings(new PerfRing[0], 0, 0);
  }

  /**
   * Opens the largest rings that the kernel grants for all CPUs that are online.
   *
   * @param mostBytes a power of two, tried first
   * @param leastBytes a power of two, at least a page
   */
  static PerfRings open(Opener opener, int[] cpus, int mostBytes, int leastBytes) {
    PerfRings opened = none();
    for (int size = Math.max(mostBytes, leastBytes); size >= leastBytes; size /= 2) {
      opened = open(opener, cpus, size);
      if (opened.errno == 0) {
        return opened;
      }
      opened.close();
      // Without the descriptors, which must not be closed again, as they may have been reused.
      opened = new PerfRings(new PerfRing[0], size, opened.errno);
      if (opened.errno != Errno.EPERM && opened.errno != Errno.ENOMEM) {
        break;
      }
    }
    return opened;
  }

  /**
   * As {@link #open(Opener, int[], int, int)}; the rings belong to events of a thread that count
   * nothing, and other events write into them.
   *
   * @param attr a buffer of {@link PerfAttr#BYTES}
   * @param tid the calling thread
   */
  static PerfRings openOwned(
      SystemCalls calls,
      NativeBuffer attr,
      PerfAttr.Features features,
      int tid,
      int[] cpus,
      int mostBytes,
      int leastBytes) {
    return open(
        (cpu, bytes) -> {
          PerfAttr.ringOwner(attr.bytes(), features, bytes / 4);
          return calls.perfEventOpen(attr.address(), tid, cpu, -1, PerfEvents.FLAG_FD_CLOEXEC);
        },
        cpus,
        mostBytes,
        leastBytes);
  }

  private static PerfRings open(Opener opener, int[] cpus, int dataBytes) {
    int pageSize = (int) Libc.sysconf(Libc.SC_PAGESIZE);
    PerfRing[] opened = new PerfRing[cpus.length];
    int count = 0;
    int errno = 0;
    int unmapped = -1;
    boolean done = false;
    try {
      for (int i = 0; i < cpus.length && errno == 0; i++) {
        unmapped = opener.open(cpus[i], dataBytes);
        if (unmapped < 0) {
          // Nothing runs on a CPU that is offline.
          errno = Libc.errno() == Errno.ENODEV ? 0 : Libc.errno();
          continue;
        }
        PerfRing ring = PerfRing.map(cpus[i], unmapped, pageSize, dataBytes);
        if (ring == null) {
          errno = Libc.errno();
          Libc.close(unmapped);
        } else {
          opened[count++] = ring;
        }
        unmapped = -1;
      }
      done = true;
    } finally {
      if (!done) { // the heap is full
        new PerfRings(Arrays.copyOf(opened, count), dataBytes, 0).close();
        if (unmapped >= 0) {
          Libc.close(unmapped);
        }
      }
    }
    return new PerfRings(
        Arrays.copyOf(opened, count), dataBytes, errno == 0 && count == 0 ? Errno.ENODEV : errno);
  }

  /** Why they could not be opened; 0 if they were. */
  int errno() {
    return errno;
  }

  /**
   * Refuses an engine whose rings could not be opened.
   *
   * @param kernel whether kernel mode was to be sampled
   * @param cpus how many rings there were to be
   * @param leastBytes the smallest size that was tried
   */
  void check(EngineKind engine, boolean kernel, int cpus, int leastBytes)
      throws EngineRefusedException {
    if (errno == Errno.EPERM || errno == Errno.ENOMEM) {
      throw RefusalText.PERF_RING_MEMORY.of(engine, errno, cpus, leastBytes / 1024);
    } else if (errno != 0) {
      throw PerfRefusals.open(engine, kernel, errno);
    }
  }

  /** The rings; the array must not be changed. */
  PerfRing[] all() {
    return rings;
  }

  int count() {
    return rings.length;
  }

  /** The size of each, without its control page. */
  int bytes() {
    return bytes;
  }

  /**
   * Waits until a ring is filled up to its event's watermark, or somebody ends the wait.
   *
   * @param wakeup the same at each call
   * @return false if only the time has passed
   */
  boolean await(Wakeup wakeup, int timeoutMillis) {
    if (pollFds == null) {
      pollFds = pollFds(wakeup);
    }
    int ready = Libc.poll(pollFds.address(), rings.length + 1L, timeoutMillis);
    if (ready > 0 && pollFds.bytes().getShort(rings.length * POLLFD_BYTES + 6) != 0) {
      wakeup.reset();
    }
    return ready > 0;
  }

  private NativeBuffer pollFds(Wakeup wakeup) {
    NativeBuffer buffer = NativeBuffer.allocate((rings.length + 1) * POLLFD_BYTES);
    ByteBuffer target = buffer.bytes();
    for (int i = 0; i <= rings.length; i++) {
      target.putInt(i * POLLFD_BYTES, i < rings.length ? rings[i].fd() : wakeup.fd());
      target.putShort(i * POLLFD_BYTES + 4, (short) Libc.POLLIN);
    }
    return buffer;
  }

  /** The highest stack pointer of a thread among all samples that wait; 0 for none. */
  long highestStackPointer(SampleDecoder decoder, int tid) {
    long highest = 0;
    for (PerfRing ring : rings) {
      ring.readHead();
      long sp = decoder.highestStackPointer(ring, tid);
      highest = Long.compareUnsigned(sp, highest) > 0 ? sp : highest;
    }
    return highest;
  }

  /** Share of the fullest one that is written and not taken yet. */
  double backlog() {
    int most = 0;
    for (PerfRing ring : rings) {
      ring.readHead();
      most = Math.max(most, ring.waiting());
    }
    return bytes == 0 ? 0 : (double) most / bytes;
  }

  /**
   * Whether threads may run on a CPU without a ring. Reads every thread's affinity, but not so
   * often that it takes more than half a percent of a core.
   *
   * @param process whose threads
   * @param ignored CPUs that need no ring
   * @param areOfCpus whether the events that own the rings sample CPUs: then an event also counts
   *     if it has ended, or no thread may run on its CPU any more
   */
  boolean isMisplaced(SampledProcess process, BitSet ignored, boolean areOfCpus) {
    if (System.nanoTime() - lookedAt < pauseNanos) {
      return false;
    }
    if (cpuTime == null) {
      cpuTime = new CpuTime();
    }
    // CPU time and not wall-clock time: on busy CPUs most of that is waiting.
    long began = cpuTime.ofThread();
    BitSet missing = CpuSet.present(process);
    boolean isAnyLeft = areOfCpus && haveEnded(missing);
    boolean isKnown = !missing.isEmpty();
    missing.andNot(ignored);
    for (PerfRing ring : rings) {
      isAnyLeft |= !missing.get(ring.cpu());
      missing.clear(ring.cpu());
    }
    lookedAt = System.nanoTime();
    pauseNanos = COST_SHARE * (cpuTime.ofThread() - began);
    return !missing.isEmpty() || areOfCpus && isAnyLeft && isKnown;
  }

  /**
   * Whether the event of one of these CPUs has not counted since the last call. The kernel ends the
   * events of a CPU that goes offline without notice (perf_event_exit_cpu_context in
   * kernel/events/core.c): polls, reads and ioctls succeed as before, but when the CPU is back, it
   * has no records. Suspending a machine takes all CPUs but one offline. But an event of a CPU's
   * clock counts as long as the CPU is online. A read interrupts the CPU for some microseconds.
   */
  boolean haveEnded(BitSet online) {
    boolean isAnyEnded = false;
    try (NativeBuffer count = NativeBuffer.allocate(2 * Long.BYTES)) {
      for (int i = 0; i < rings.length; i++) {
        // 16 bytes where the number of lost records follows
        boolean isRead = Libc.read(rings[i].fd(), count.address(), 16) >= Long.BYTES;
        long now = isRead ? count.bytes().getLong(0) : counts[i];
        isAnyEnded |= now == counts[i] && online.get(rings[i].cpu());
        counts[i] = now;
      }
    }
    return isAnyEnded;
  }

  @Override
  public void close() {
    for (PerfRing ring : rings) {
      ring.close();
    }
    if (cpuTime != null) {
      cpuTime.close();
      cpuTime = null;
    }
    if (pollFds != null) {
      pollFds.close();
      pollFds = null;
    }
  }
}
