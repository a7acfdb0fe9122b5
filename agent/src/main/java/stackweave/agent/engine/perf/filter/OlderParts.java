package stackweave.agent.engine.perf.filter;

import static stackweave.agent.engine.bpf.BpfCode.Condition.BELOW;
import static stackweave.agent.engine.bpf.BpfCode.Condition.EQUAL;
import static stackweave.agent.engine.bpf.BpfCode.Condition.NOT_BELOW;
import static stackweave.agent.engine.bpf.BpfCode.FRAME;
import static stackweave.agent.engine.bpf.BpfCode.GET_SMP_PROCESSOR_ID;
import static stackweave.agent.engine.bpf.BpfCode.KTIME_GET_NS;
import static stackweave.agent.engine.bpf.BpfCode.MAP_LOOKUP_ELEM;
import static stackweave.agent.engine.bpf.BpfCode.NO_WAKEUP;
import static stackweave.agent.engine.bpf.BpfCode.Operation.ADD;
import static stackweave.agent.engine.bpf.BpfCode.PROBE_READ_USER;
import static stackweave.agent.engine.bpf.BpfCode.RINGBUF_RESERVE;
import static stackweave.agent.engine.bpf.BpfCode.RINGBUF_SUBMIT;

import java.nio.ByteBuffer;
import java.util.Arrays;
import stackweave.agent.engine.KernelVersion;
import stackweave.agent.engine.bpf.Bpf;
import stackweave.agent.engine.bpf.BpfCode;
import stackweave.agent.engine.bpf.BpfRing;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;
import stackweave.unwind.snapshot.OlderCopy;

/**
 * Copies of what is further up in a thread's stack than the event's own copy reaches, taken at the
 * same interrupt by instructions of the {@link ProcessFilter}. They copy for those threads alone
 * for which it is {@linkplain #want wanted}, page by page, since one that nobody has written may
 * not be there. A page that finds no room in the ring is missing. For the drain thread.
 */
public final class OlderParts implements AutoCloseable {
  private static final int RING_BYTES = 4 << 20;
  private static final int MIN_RING_BYTES = 512 << 10;

  /** Threads for which copies are taken at once. */
  static final int THREADS = 256;

  /** A thread that has not asked for so long has no such stacks any more. */
  static final long IDLE_NANOS = 10_000_000_000L;

  /**
   * The kernel's time of a sample and the program's must not differ by more, in ns: the kernel
   * takes its own before it runs the program since Linux 6.3, after that before. They are some
   * microseconds apart; the next sample's, which may be the only one with pages, is much further.
   */
  private static final long APART_NANOS = 200_000;

  /** No older sample comes when one of this age has come, in ns. */
  private static final long GONE_NANOS = 20_000_000;

  /** With shorter intervals the copies would take too much of them: some 50 µs for 256 KiB. */
  private static final long MIN_INTERVAL_NANOS = 1_000_000;

  /**
   * From the first of these on and before the second the kernel takes a lock for each copy into
   * such a ring (check_heap_object in mm/usercopy.c), in whose midst it may have been interrupted:
   * the CPU would wait for itself (mended by "mm: Fix copy_from_user_nofault()").
   */
  private static final KernelVersion LOCKS_UP = new KernelVersion(5, 18);

  private static final KernelVersion LOCKS_UP_NO_MORE = new KernelVersion(6, 4);

  // A value of the map: the first address to be copied, and that behind the last.
  private static final int FROM = 0;
  private static final int END = 8;
  private static final int RANGE_BYTES = 16;

  // A record.
  private static final int TASK = 0;
  private static final int TIME = 8;
  private static final int CPU = 16;

  /** 0: the page is not there. */
  private static final int ADDRESS = 24;

  private static final int PAGE = 32;
  private static final int RECORD_BYTES = PAGE + OlderCopy.PAGE_BYTES;

  private final SystemCalls calls;
  private final int ranges;
  private final BpfRing ring;
  private final NativeBuffer key = NativeBuffer.allocate(Long.BYTES);
  private final NativeBuffer range = NativeBuffer.allocate(RANGE_BYTES);
  private final NativeBuffer attr = NativeBuffer.allocate(Bpf.ELEMENT_BYTES);

  private final int[] tids = new int[THREADS];
  private final long[] froms = new long[THREADS];
  private final long[] ends = new long[THREADS];
  private final long[] askedNanos = new long[THREADS];
  private int threads;

  /** Up to when each CPU's copies are done with, by its number. */
  private long[] done = {};

  private OlderParts(SystemCalls calls, int ranges, BpfRing ring) {
    this.calls = calls;
    this.ranges = ranges;
    this.ring = ring;
  }

  /** Null if the kernel can't, or has no memory for it, or the interval is too short. */
  static OlderParts open(SystemCalls calls, KernelVersion kernel, long intervalNanos) {
    boolean locksUp = !kernel.isBefore(LOCKS_UP) && kernel.isBefore(LOCKS_UP_NO_MORE);
    if (locksUp || intervalNanos < MIN_INTERVAL_NANOS) {
      return null;
    }
    int ranges = Bpf.createTable(calls, RANGE_BYTES, THREADS);
    BpfRing ring = ranges < 0 ? null : BpfRing.open(calls, RING_BYTES, MIN_RING_BYTES);
    if (ring == null) {
      if (ranges >= 0) {
        Libc.close(ranges);
      }
      return null;
    }
    return new OlderParts(calls, ranges, ring);
  }

  /**
   * Writes the instructions that copy. They change all registers.
   *
   * @param task where on the program's stack the thread's id is, 8 bytes
   * @param free where 16 bytes of it are free
   */
  void writeTo(BpfCode code, int task, int free) {
    int time = free;
    int cpu = free + Long.BYTES;
    code.setMap(1, ranges).copy(2, FRAME).apply(ADD, 2, task).call(MAP_LOOKUP_ELEM);
    int unwanted = code.jump(EQUAL, 0, 0);
    code.load(7, 0, FROM).load(8, 0, END);
    code.call(KTIME_GET_NS).store(FRAME, time, 0);
    code.call(GET_SMP_PROCESSOR_ID).store(FRAME, cpu, 0);
    code.set(9, 0);
    int page = code.size();
    int end = code.jumpByRegister(NOT_BELOW, 7, 8);
    code.setMap(1, ring.fd()).set(2, RECORD_BYTES).set(3, 0).call(RINGBUF_RESERVE);
    int full = code.jump(EQUAL, 0, 0);
    code.copy(6, 0);
    code.load(1, FRAME, task).store(6, TASK, 1);
    code.load(1, FRAME, time).store(6, TIME, 1);
    code.load(1, FRAME, cpu).store(6, CPU, 1);
    code.store(6, ADDRESS, 7);
    code.copy(1, 6).apply(ADD, 1, PAGE).set(2, OlderCopy.PAGE_BYTES).copy(3, 7);
    code.call(PROBE_READ_USER);
    int copied = code.jump(EQUAL, 0, 0);
    code.storeConstant(6, ADDRESS, 0);
    code.land(copied);
    code.copy(1, 6).set(2, NO_WAKEUP).call(RINGBUF_SUBMIT);
    code.apply(ADD, 7, OlderCopy.PAGE_BYTES).apply(ADD, 9, 1);
    code.jumpBack(BELOW, 9, OlderCopy.MOST_PAGES, page);
    code.land(unwanted, end, full);
  }

  /**
   * A sample's stack was deeper than the event's copy: the next ones' are copied from here on.
   *
   * @param from the first address that was needed beyond the copy
   * @param end the address above the thread's stack, 0 if not known
   */
  public void want(int tid, long from, long end) {
    long first = (from & -OlderCopy.PAGE_BYTES) - OlderCopy.PAGE_BYTES;
    long last = end == 0 ? first + OlderCopy.MOST_BYTES : end;
    if (last - first > OlderCopy.MOST_BYTES) {
      return;
    }
    int i = find(tid);
    askedNanos[i] = System.nanoTime();
    // A range without the stack's end is mostly above it: as soon as that is known it changes.
    boolean fits = end == 0 ? first < ends[i] : ends[i] == end;
    if (tids[i] != tid || first < froms[i] || !fits) {
      forget(i);
      key.bytes().putLong(0, tid);
      range.bytes().putLong(FROM, first).putLong(END, last);
      if (Bpf.update(calls, ranges, key, range, attr)) {
        tids[i] = tid;
        froms[i] = first;
        ends[i] = last;
        threads++;
      }
    }
  }

  /** The thread's place, or else a free one or that which has not asked for longest. */
  private int find(int tid) {
    int found = 0;
    for (int i = 0; i < THREADS; i++) {
      if (tids[i] == tid) {
        return i;
      }
      if (tids[found] != 0 && (tids[i] == 0 || askedNanos[i] - askedNanos[found] < 0)) {
        found = i;
      }
    }
    return found;
  }

  private void forget(int i) {
    if (tids[i] != 0) {
      key.bytes().putLong(0, tids[i]);
      Bpf.delete(calls, ranges, key, attr);
      tids[i] = 0;
      threads--;
    }
  }

  /** Ends the copies of threads that have not asked for long; call it now and then. */
  public void look() {
    long now = System.nanoTime();
    for (int i = 0; threads > 0 && i < THREADS; i++) {
      if (now - askedNanos[i] > IDLE_NANOS) {
        forget(i);
      }
    }
  }

  /** Whether copies are taken of any thread's stack. */
  public boolean areWanted() {
    return threads > 0;
  }

  /** Bytes of the ring. */
  public int ringBytes() {
    return ring.size();
  }

  /**
   * A sample has come: gives it what was copied for it.
   *
   * @param timeNanos by the kernel's clock
   * @param copy receives the pages; null if they are not wanted
   */
  public void sample(int cpu, int tid, long timeNanos, OlderCopy copy) {
    if (ring.contents(ring.position()) < 0) {
      return;
    }
    if (cpu >= done.length) {
      done = Arrays.copyOf(done, cpu + 1);
    }
    done[cpu] = Math.max(done[cpu], timeNanos - APART_NANOS);
    long time = tids[find(tid)] == tid ? timeOf(cpu, tid, timeNanos) : 0;
    if (time != 0) {
      done[cpu] = time;
      if (copy != null) {
        copy(cpu, time, copy);
      }
    }
    release(timeNanos - GONE_NANOS);
  }

  /**
   * The time of the thread's pages that were copied on a CPU for a sample: the nearest one, as the
   * next sample may follow soon after one that was late; 0 if none were.
   */
  private long timeOf(int cpu, int tid, long timeNanos) {
    ByteBuffer data = ring.data();
    long found = 0;
    long position = ring.position();
    for (int at = ring.contents(position); at >= 0; at = ring.contents(position)) {
      long time = data.getLong(at + TIME);
      if (time > timeNanos + APART_NANOS) {
        break; // all that follow are later, but for some microseconds
      }
      if (data.getLong(at + CPU) == cpu
          && data.getLong(at + TASK) == tid
          && time > Math.max(done[cpu], timeNanos - APART_NANOS)
          && (found == 0 || Math.abs(time - timeNanos) < Math.abs(found - timeNanos))) {
        found = time;
      }
      position = ring.next(position);
    }
    return found;
  }

  private void copy(int cpu, long timeNanos, OlderCopy copy) {
    ByteBuffer data = ring.data();
    long position = ring.position();
    for (int at = ring.contents(position); at >= 0; at = ring.contents(position)) {
      if (data.getLong(at + TIME) > timeNanos + APART_NANOS) {
        break;
      }
      if (data.getLong(at + CPU) == cpu
          && data.getLong(at + TIME) == timeNanos
          && data.getLong(at + ADDRESS) != 0) {
        copy.add(data.getLong(at + ADDRESS), data, at + PAGE);
      }
      position = ring.next(position);
    }
  }

  /** Gives room back, of samples that have come, or can't come any more. */
  private void release(long gone) {
    ByteBuffer data = ring.data();
    long position = ring.position();
    for (int at = ring.contents(position); at >= 0; at = ring.contents(position)) {
      long time = data.getLong(at + TIME);
      int cpu = (int) data.getLong(at + CPU);
      if (time > gone && (cpu >= done.length || time > done[cpu])) {
        break;
      }
      position = ring.next(position);
    }
    ring.release(position);
  }

  @Override
  public void close() {
    ring.close();
    Libc.close(ranges);
    key.close();
    range.close();
    attr.close();
  }
}
