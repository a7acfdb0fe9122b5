package stackweave.agent.engine.timer.stack;

import java.nio.ByteBuffer;
import java.util.Arrays;
import stackweave.agent.engine.ThreadStacks;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SystemCalls;

/**
 * The stacks that are known for certain, by the rule of {@link ThreadStacks}; any doubt leaves a
 * thread without.
 *
 * <p>A stack is what the C library says of the thread ({@link ThreadDescriptors}), not the mapping
 * around it: mappings of neighbours merge, and guards need not show in them. Where the C library's
 * descriptors are not understood, it is what the VM says of its Java threads, which has it from
 * pthread_getattr_np. The first thread's stack is the mapping that the kernel calls {@code
 * [stack]}.
 *
 * <p>All of it must be mapped at that time, to be read and written, private and no file's (a file
 * can be cut, and its pages may be refused): what lies below a gap is left out. A stack that the VM
 * got from the C library when it started the thread needs no such proof where both say the same.
 *
 * <p>Costs 3 µs a thread, and one reading of /proc/self/maps per call, some 200 µs. Not
 * thread-safe.
 */
public final class NativeStacks implements ThreadStacks, AutoCloseable {
  private static final int CHUNK = 16 * 1024;
  private static final int MAX_PATH = 512;

  /**
   * A stack with less is small. The kernel writes the signal's frame (3 to 11 KiB, for its vector
   * registers) below the stack pointer wherever that is, and what such a stack has room for was
   * counted without it. No thread of the JVM has so little, nor one that nobody chose a stack for.
   */
  private static final long SMALL_STACK_BYTES = 128 * 1024;

  private static final byte[] FIRST_STACK = {'[', 's', 't', 'a', 'c', 'k', ']'};

  /** Of a sorted place: the thread it is of. */
  private static final int INDEX_BITS = 16;

  private static final int PAGE_BITS = 12;
  private static final int MAX_THREADS = 1 << INDEX_BITS;

  private final int pid = Libc.getpid();
  private final ThreadDescriptors descriptors;
  private final NativeBuffer file = NativeBuffer.path("/proc/self/maps");
  private final NativeBuffer chunk = NativeBuffer.allocate(CHUNK);
  private final byte[] line = new byte[MAX_PATH];
  private int lineLength;

  /** The threads whose stacks are to be proved, by address: page number and index. */
  private long[] order = new long[64];

  /**
   * By thread: where the mapped part that reaches up to here begins, and up to where it reaches.
   */
  private long[] partStarts = new long[64];

  private long[] partEnds = new long[64];

  /** By thread. */
  private boolean[] small = new boolean[64];

  private boolean mapsRead;
  private int unproved;
  private int firstOfLine;

  /** Where in the arrays the process's first thread is, or −1. */
  private int first;

  public NativeStacks(SystemCalls calls, CallPolicy policy, MemoryAccess access) {
    this.descriptors = new ThreadDescriptors(calls, policy, access);
  }

  /** Whether the C library says where stacks are; if not, the VM's word is needed. */
  public boolean knowsThreads() {
    return descriptors.areKnown();
  }

  /** Whether {@link #find} could read the mappings, or needed not; if not, it found no stack. */
  public boolean readMaps() {
    return mapsRead;
  }

  /**
   * Whether the signal's frame may not fit on the stack of thread {@code i} of the last {@link
   * #find}, be that stack proved or not.
   */
  public boolean isSmall(int i) {
    return small[i];
  }

  /** Whether there is something to say of a thread. */
  public boolean knows(int tid) {
    return tid == pid || descriptors.find(tid);
  }

  /**
   * {@inheritDoc}
   *
   * @param starts those of the VM, where {@code ends} is not 0
   * @param ends those of the VM, told of a thread that it started; 0: it said nothing
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

  /** Fills in what the C library says; whether the VM says the same. */
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

  /** A further mapping of a stack: what lies below a gap does not count. */
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
