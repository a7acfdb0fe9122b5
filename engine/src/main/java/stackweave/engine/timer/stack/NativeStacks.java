package stackweave.engine.timer.stack;

import java.nio.ByteBuffer;
import java.util.Arrays;
import stackweave.engine.ThreadStacks;
import stackweave.linux.CallPolicy;
import stackweave.linux.Libc;
import stackweave.linux.MemoryAccess;
import stackweave.linux.NativeBuffer;
import stackweave.linux.SystemCalls;

/**
 * Finds the stacks of threads with the guarantee of {@link ThreadStacks}; a thread in doubt gets
 * none. A stack is what the C library's descriptor says ({@link ThreadDescriptors}), or else what
 * the VM says of its Java threads; not the mapping around it, since neighbouring mappings merge.
 * The main thread's is the mapping {@code [stack]}. All of it must be mapped readable, writable,
 * private and anonymous; what lies below a gap is left out. No such proof is needed if the C
 * library and the VM agree. Costs 3 µs a thread, and one reading of /proc/self/maps per call, some
 * 200 µs. Used by the timer engine's discovery; not thread-safe.
 */
public final class NativeStacks implements ThreadStacks, AutoCloseable {
  private static final int CHUNK = 16 * 1024;
  private static final int LINE_BYTES = 512;

  /** Smaller stacks may have no room for the signal's frame, 3 to 11 KiB (docs/engines.md). */
  private static final long SMALL_STACK_BYTES = 128 * 1024;

  private static final byte[] FIRST_STACK = {'[', 's', 't', 'a', 'c', 'k', ']'};

  /** Bits of an entry of {@link #order} for the thread's index. */
  private static final int INDEX_BITS = 16;

  private static final int PAGE_BITS = 12;
  private static final int MAX_THREADS = 1 << INDEX_BITS;

  private final int pid = Libc.getpid();
  private final ThreadDescriptors descriptors;
  private final NativeBuffer file = NativeBuffer.path("/proc/self/maps");
  private final NativeBuffer chunk = NativeBuffer.allocate(CHUNK);
  private final byte[] line = new byte[LINE_BYTES];
  private int lineLength;

  /** The threads whose stacks are to be proved, sorted by address: page number and index. */
  private long[] order = new long[64];

  /** By thread: start and end of the mapped part found so far. */
  private long[] partStarts = new long[64];

  private long[] partEnds = new long[64];

  /** By thread. */
  private boolean[] small = new boolean[64];

  private boolean mapsRead;
  private int unproved;
  private int firstOfLine;

  /** Index of the process's main thread, or −1. */
  private int first;

  /**
   * @param policy which guarded calls this thread may make
   * @param access how the process reads its own memory
   */
  public NativeStacks(SystemCalls calls, CallPolicy policy, MemoryAccess access) {
    this.descriptors = new ThreadDescriptors(calls, policy, access);
  }

  /** Whether stacks are known from the C library; if not, the VM's answer is needed. */
  public boolean knowsThreads() {
    return descriptors.areKnown();
  }

  /** Whether {@link #find} could read the mappings, or needn't; if not, it found no stack. */
  public boolean readMaps() {
    return mapsRead;
  }

  /** Whether the stack of thread {@code i} of the last {@link #find} is small, proved or not. */
  public boolean isSmall(int i) {
    return small[i];
  }

  /** Whether a thread's stack can be known. */
  public boolean knows(int tid) {
    return tid == pid || descriptors.find(tid);
  }

  /**
   * {@inheritDoc}
   *
   * @param starts the VM's, where {@code ends} is not 0
   * @param ends the VM's, of threads that it started; 0 if unknown
   */
  @Override
  public void find(int[] tids, int count, long[] starts, long[] ends) {
    begin(tids, count);
    for (int i = 0; i < count; i++) {
      if (tids[i] == pid) {
        ends[i] = 0;
        first = i;
      } else if (i >= MAX_THREADS) {
        ends[i] = 0;
      } else if (!look(i, starts, ends) && ends[i] != 0) {
        prove(i, starts[i]);
      }
    }
    proveByMaps(starts, ends);
  }

  /** Fills in the C library's bounds; returns whether the VM says the same. */
  private boolean look(int i, long[] starts, long[] ends) {
    if (!descriptors.areKnown()) {
      return false;
    }
    if (!descriptors.read(i)) {
      ends[i] = 0;
      return false;
    }
    long start = starts[i];
    long end = descriptors.end();
    small[i] = end - descriptors.start() < SMALL_STACK_BYTES;
    boolean agreed =
        ends[i] == descriptors.blockEnd() && start >= descriptors.start() && start < end;
    starts[i] = agreed ? start : descriptors.start();
    ends[i] = end;
    return agreed;
  }

  private void begin(int[] tids, int count) {
    descriptors.look(tids, count);
    if (partEnds.length < count) {
      partStarts = new long[count];
      partEnds = new long[count];
      order = new long[count];
      small = new boolean[count];
    }
    Arrays.fill(small, 0, count, false);
    unproved = 0;
    first = -1;
    mapsRead = true;
  }

  private void prove(int i, long start) {
    partStarts[i] = 0;
    partEnds[i] = 0;
    order[unproved++] = start >>> PAGE_BITS << INDEX_BITS | i;
  }

  private void proveByMaps(long[] starts, long[] ends) {
    if (unproved == 0 && first < 0) {
      return;
    }
    Arrays.sort(order, 0, unproved);
    firstOfLine = 0;
    int fd = Libc.openat(Libc.AT_FDCWD, file.address(), Libc.O_RDONLY | Libc.O_CLOEXEC, 0);
    mapsRead = fd >= 0;
    lineLength = 0;
    for (int length = read(fd); length > 0; length = read(fd)) {
      ByteBuffer bytes = chunk.bytes();
      for (int i = 0; i < length; i++) {
        byte b = bytes.get(i);
        if (b == '\n') {
          mapping(starts, ends);
          lineLength = 0;
        } else if (lineLength < line.length) {
          line[lineLength++] = b;
        }
      }
    }
    if (fd >= 0) {
      Libc.close(fd);
    }
    for (int k = 0; k < unproved; k++) {
      int i = index(k);
      boolean whole = ends[i] != 0 && partEnds[i] >= ends[i] && partStarts[i] < ends[i];
      starts[i] = whole ? partStarts[i] : 0;
      ends[i] = whole ? ends[i] : 0;
    }
  }

  private int index(int place) {
    return (int) order[place] & MAX_THREADS - 1;
  }

  private int read(int fd) {
    return fd < 0 ? 0 : (int) Libc.read(fd, chunk.address(), CHUNK);
  }

  /** One line of maps: {@code start-end rwxp offset device inode path}. */
  private void mapping(long[] starts, long[] ends) {
    int at = 0;
    long start = 0;
    for (; at < lineLength && line[at] != '-'; at++) {
      start = start << 4 | Character.digit(line[at], 16);
    }
    long end = 0;
    for (at++; at < lineLength && line[at] != ' '; at++) {
      end = end << 4 | Character.digit(line[at], 16);
    }
    if (at + 4 >= lineLength
        || line[at + 1] != 'r'
        || line[at + 2] != 'w'
        || line[at + 4] != 'p'
        || !isAnonymous(at + 5)) {
      return;
    }
    if (first >= 0 && isFirstStack()) {
      starts[first] = start;
      ends[first] = end;
    }
    for (int k = firstOfLine; k < unproved; k++) {
      int i = index(k);
      if (Long.compareUnsigned(starts[i], end) >= 0) {
        break;
      } else if (Long.compareUnsigned(ends[i], start) <= 0) {
        firstOfLine += k == firstOfLine ? 1 : 0;
      } else {
        extend(i, starts[i], start, end);
      }
    }
  }

  /** Adds a mapping of a stack; a gap discards what lies below. */
  private void extend(int i, long stackStart, long start, long end) {
    if (partEnds[i] != start || partEnds[i] == 0) {
      partStarts[i] = Math.max(stackStart, start);
    }
    partEnds[i] = end;
  }

  /** Whether device and inode are none: {@code 00000000 00:00 0 }. */
  private boolean isAnonymous(int from) {
    int field = 0;
    boolean zero = true;
    for (int at = from; at < lineLength && field <= 3; at++) {
      if (line[at] == ' ') {
        field++;
      } else if (field >= 2 && field <= 3 && line[at] != '0' && line[at] != ':') {
        zero = false;
      }
    }
    return zero;
  }

  private boolean isFirstStack() {
    int from = lineLength - FIRST_STACK.length;
    return from > 0 && Arrays.equals(line, from, lineLength, FIRST_STACK, 0, FIRST_STACK.length);
  }

  @Override
  public void close() {
    descriptors.close();
    chunk.close();
    file.close();
  }
}
