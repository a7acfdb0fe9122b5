package stackweave.engine.perf.filter;

import static stackweave.engine.bpf.BpfCode.Condition.ALWAYS;
import static stackweave.engine.bpf.BpfCode.Condition.BELOW;
import static stackweave.engine.bpf.BpfCode.Condition.EQUAL;
import static stackweave.engine.bpf.BpfCode.Condition.NOT_BELOW;
import static stackweave.engine.bpf.BpfCode.Condition.NOT_EQUAL;
import static stackweave.engine.bpf.BpfCode.FRAME;
import static stackweave.engine.bpf.BpfCode.GET_SMP_PROCESSOR_ID;
import static stackweave.engine.bpf.BpfCode.KTIME_GET_NS;
import static stackweave.engine.bpf.BpfCode.MAP_LOOKUP_ELEM;
import static stackweave.engine.bpf.BpfCode.NO_WAKEUP;
import static stackweave.engine.bpf.BpfCode.Operation.ADD;
import static stackweave.engine.bpf.BpfCode.Operation.AND;
import static stackweave.engine.bpf.BpfCode.Operation.SUBTRACT;
import static stackweave.engine.bpf.BpfCode.PROBE_READ_USER;
import static stackweave.engine.bpf.BpfCode.RINGBUF_RESERVE;
import static stackweave.engine.bpf.BpfCode.RINGBUF_SUBMIT;

import java.nio.ByteBuffer;
import java.util.Arrays;
import stackweave.cpu.PerfRegisters;
import stackweave.engine.KernelVersion;
import stackweave.engine.bpf.Bpf;
import stackweave.engine.bpf.BpfCode;
import stackweave.engine.bpf.BpfRing;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;
import stackweave.unwind.snapshot.OlderCopy;

/**
 * Copies the part of a thread's stack above the event's own copy, at the same interrupt, by
 * instructions of the {@link ProcessFilter}: from the end of the event's copy to the stack's end,
 * without parts that no stack of the thread has needed so far, such as a large buffer. The program
 * gets the stack's end by {@link #stack}; until then copies end at the first absent page, such as a
 * guard page. They are made page by page, since a page that was never written may be absent. A page
 * that finds no room in the ring is missing. In the kernel the user stack pointer is not available:
 * copies begin where those of the last sample in user mode did. For the drain thread, except {@link
 * #stack}.
 */
public final class OlderParts implements AutoCloseable {
  private static final int RING_BYTES = 4 << 20;
  private static final int MIN_RING_BYTES = 512 << 10;

  /** Threads whose stacks' ends the program knows, at most. */
  private static final int THREADS = 4_096;

  /** Entries of the cache of what the program knows; a power of two. */
  private static final int KNOWN = 1_024;

  /** If no copy was made for so long, samples may wait again. */
  private static final long IDLE_NANOS = 10_000_000_000L;

  /** Largest difference between the kernel's time of a sample and the program's, in ns. */
  private static final long APART_NANOS = 200_000;

  /** When a sample is so old, no earlier one can come any more, in ns. */
  private static final long GONE_NANOS = 20_000_000;

  /** With shorter intervals copies would take too large a share: some 50 µs for 256 KiB. */
  private static final long MIN_INTERVAL_NANOS = 1_000_000;

  /**
   * The first version in which the kernel takes a lock for each copy, which the interrupted code
   * may hold (check_heap_object in mm/usercopy.c): the CPU would deadlock. The next constant has
   * the first without.
   */
  private static final KernelVersion LOCKS_UP = new KernelVersion(5, 18);

  private static final KernelVersion LOCKS_UP_NO_MORE = new KernelVersion(6, 4);

  // A value of the map: where the event's copy of the last sample in user mode ended, the address
  // above the stack, and the lowest one that any sample needed of what is older.
  private static final int FROM = 0;
  private static final int END = 8;
  private static final int NEEDED = 16;
  private static final int STACK_BYTES = 24;

  /** A flag in the end address: the stack's end is not known. */
  private static final int WITHOUT_END = 1;

  // A record.
  private static final int TASK = 0;
  private static final int TIME = 8;
  private static final int CPU = 16;

  /** 0: the page is not there. */
  private static final int ADDRESS = 24;

  private static final int PAGE = 32;
  private static final int RECORD_BYTES = PAGE + OlderCopy.PAGE_BYTES;

  private final SystemCalls calls;
  private final PerfRegisters.Interrupted interrupted;
  private final int stackBytes;
  private final int stacks;
  private final BpfRing ring;
  private final NativeBuffer key = NativeBuffer.allocate(Long.BYTES);
  private final NativeBuffer stack = NativeBuffer.allocate(STACK_BYTES);
  private final NativeBuffer attr = NativeBuffer.allocate(Bpf.ELEMENT_BYTES);

  /** The map's content by thread id; of threads in the same slot, the latest. */
  private final int[] tids = new int[KNOWN];

  private final long[] ends = new long[KNOWN];
  private final long[] needed = new long[KNOWN];

  /** When the last copy came, by {@link System#nanoTime}; 0 before the first. */
  private long lastNanos;

  /** Position up to which each CPU's copies are used up, by the CPU's number. */
  private long[] done = {};

  private OlderParts(SystemCalls calls, int stackBytes, int stacks, BpfRing ring) {
    this.calls = calls;
    this.interrupted = PerfRegisters.of(calls.architecture()).interrupted();
    this.stackBytes = stackBytes;
    this.stacks = stacks;
    this.ring = ring;
  }

  /**
   * Null if the kernel can't do it, or has no memory for it, or the interval is too short.
   *
   * @param stackBytes bytes of the event's own copy
   */
  static OlderParts open(
      SystemCalls calls, KernelVersion kernel, long intervalNanos, int stackBytes) {
    boolean locksUp = !kernel.isBefore(LOCKS_UP) && kernel.isBefore(LOCKS_UP_NO_MORE);
    if (locksUp || intervalNanos < MIN_INTERVAL_NANOS) {
      return null;
    }
    int stacks = Bpf.createCache(calls, STACK_BYTES, THREADS);
    BpfRing ring = stacks < 0 ? null : BpfRing.open(calls, RING_BYTES, MIN_RING_BYTES);
    if (ring == null) {
      if (stacks >= 0) {
        Libc.close(stacks);
      }
      return null;
    }
    return new OlderParts(calls, stackBytes, stacks, ring);
  }

  /**
   * Writes the instructions that copy. They change all registers.
   *
   * @param context offset on the program's stack of the address of the interrupted registers
   * @param task offset of the thread's id, 8 bytes
   * @param free offset of 24 free bytes
   */
  void writeTo(BpfCode code, int context, int task, int free) {
    int time = free;
    int cpu = free + Long.BYTES;
    int test = free + 2 * Long.BYTES;
    code.setMap(1, stacks).copy(2, FRAME).apply(ADD, 2, task).call(MAP_LOOKUP_ELEM).copy(9, 0);
    // Register 7 gets the first address, register 8 the end address.
    code.load(1, FRAME, context);
    code.load(2, 1, interrupted.mode()).apply(AND, 2, interrupted.modeMask());
    int inKernel = code.jump(NOT_EQUAL, 2, interrupted.userMode());
    code.load(7, 1, interrupted.sp()).apply(ADD, 7, stackBytes - OlderCopy.PAGE_BYTES);
    code.apply(AND, 7, -OlderCopy.PAGE_BYTES);
    int notTold = code.jump(EQUAL, 9, 0);
    code.store(9, FROM, 7);
    int inUserMode = code.jump(ALWAYS, 0, 0);
    code.land(inKernel);
    int neverMet = code.jump(EQUAL, 9, 0);
    code.load(7, 9, FROM);
    int neverSeen = code.jump(EQUAL, 7, 0);
    code.land(inUserMode);
    code.load(6, 9, NEEDED).load(8, 9, END);
    int allNeeded = code.jumpByRegister(NOT_BELOW, 7, 6);
    code.copy(7, 6);
    code.land(allNeeded);
    int withoutEnd = code.jump(EQUAL, 8, 0);
    int shallow = code.jumpByRegister(NOT_BELOW, 7, 8);
    code.copy(1, 8).applyRegister(SUBTRACT, 1, 7);
    int tooMuch = code.jump(NOT_BELOW, 1, OlderCopy.MOST_BYTES + 1);
    int bounded = code.jump(ALWAYS, 0, 0);
    code.land(notTold, withoutEnd);
    code.copy(8, 7).apply(ADD, 8, OlderCopy.MOST_BYTES + WITHOUT_END);
    code.land(bounded);
    code.call(KTIME_GET_NS).store(FRAME, time, 0);
    code.call(GET_SMP_PROCESSOR_ID).store(FRAME, cpu, 0);
    code.set(9, 0);
    int page = code.size();
    int end = code.jumpByRegister(NOT_BELOW, 7, 8);
    code.copy(1, FRAME).apply(ADD, 1, test).set(2, Long.BYTES).copy(3, 7).call(PROBE_READ_USER);
    int there = code.jump(EQUAL, 0, 0);
    code.copy(1, 8).apply(AND, 1, WITHOUT_END);
    int above = code.jump(NOT_EQUAL, 1, 0);
    int next = code.jump(ALWAYS, 0, 0);
    code.land(there);
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
    code.land(next);
    code.apply(ADD, 7, OlderCopy.PAGE_BYTES).apply(ADD, 9, 1);
    code.jumpBack(BELOW, 9, OlderCopy.MOST_PAGES, page);
    code.land(neverMet, neverSeen, shallow, tooMuch, end, above, full);
  }

  /**
   * Sets the bounds of a thread's stack. Until then its copies end at the first absent page. Any
   * thread.
   *
   * @param end the address above the stack, 0 if not known
   * @param first the first address that was needed above the event's copy; 0 for none
   */
  public synchronized void stack(int tid, long end, long first) {
    int i = tid & KNOWN - 1;
    boolean isSame = tids[i] == tid && ends[i] == end;
    long page = (first & -OlderCopy.PAGE_BYTES) - OlderCopy.PAGE_BYTES;
    long least = isSame ? needed[i] : 0;
    if (first != 0 && (end == 0 || end - page <= OlderCopy.MOST_BYTES)) {
      least = least == 0 ? page : Math.min(least, page);
    }
    if (isSame && least == needed[i]) {
      return;
    }
    key.bytes().putLong(0, tid);
    stack.bytes().putLong(FROM, 0).putLong(END, end).putLong(NEEDED, least);
    if (Bpf.update(calls, stacks, key, stack, attr)) {
      tids[i] = tid;
      ends[i] = end;
      needed[i] = least;
    }
  }

  /** Whether copies were made lately. */
  public boolean areTaken() {
    return lastNanos != 0 && System.nanoTime() - lastNanos < IDLE_NANOS;
  }

  /** Bytes of the ring. */
  public int ringBytes() {
    return ring.size();
  }

  /**
   * Gives a sample the pages that were copied for it.
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
    lastNanos = System.nanoTime();
    long time = timeOf(cpu, tid, timeNanos);
    if (time != 0) {
      done[cpu] = time;
      if (copy != null) {
        copy(cpu, time, copy);
      }
    }
    release(timeNanos - GONE_NANOS);
  }

  /**
   * The time of the copies that belong to a sample: the nearest one, as the next sample may follow
   * soon after one that was late; 0 if there are none.
   */
  private long timeOf(int cpu, int tid, long timeNanos) {
    ByteBuffer data = ring.data();
    long found = 0;
    long position = ring.position();
    for (int at = ring.contents(position); at >= 0; at = ring.contents(position)) {
      long time = data.getLong(at + TIME);
      if (time > timeNanos + APART_NANOS) {
        break; // all that follow are later, except for some microseconds
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

  /** Frees the room of copies whose samples have come, or can't come any more. */
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
    Libc.close(stacks);
    key.close();
    stack.close();
    attr.close();
  }
}
