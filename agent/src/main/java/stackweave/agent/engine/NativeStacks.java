package stackweave.agent.engine;

import java.nio.ByteBuffer;
import java.util.Arrays;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.GuardedCall;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.NativeBuffer;
import stackweave.agent.linux.SelfMemory;
import stackweave.agent.linux.SystemCalls;

/**
 * The stacks of threads whose stack is not known otherwise, without asking the threads: the C
 * library keeps each thread's descriptor at the top of its stack, in the same mapping, and where
 * that is can be found out ({@link DescriptorFinder}). The stack reaches from the beginning of that
 * mapping (below it is the guard page) to the descriptor. Only the first thread has its descriptor
 * elsewhere; its stack is the mapping that the kernel calls {@code [stack]}.
 *
 * <p>Sources: glibc nptl/allocatestack.c (since 2.3.4), kernel/futex/syscalls.c. Threads without
 * such a descriptor stay unknown. What others told is checked by it, where the kernel is asked.
 * Costs one reading of /proc/self/maps per call, some 200 µs. Not thread-safe.
 */
final class NativeStacks implements ThreadStacks, AutoCloseable {
  private static final int CHUNK = 16 * 1024;
  private static final int MOST_PATH = 512;
  private static final byte[] FIRST_STACK = {'[', 's', 't', 'a', 'c', 'k', ']'};

  private final int pid = Libc.getpid();

  /** Null where descriptors can't be found. */
  private final DescriptorFinder finder;

  private final NativeBuffer chunk = NativeBuffer.allocate(CHUNK);
  private final byte[] line = new byte[MOST_PATH];
  private int lineLength;
  private long[] descriptors = new long[64];

  NativeStacks(SystemCalls calls, CallPolicy policy) {
    this.finder =
        policy.allows(GuardedCall.GET_ROBUST_LIST) ? new RobustLists(calls) : pthreadList();
  }

  private static DescriptorFinder pthreadList() {
    SelfMemory memory = new SelfMemory();
    DescriptorFinder list = PthreadList.open(memory);
    if (list == null) {
      memory.close();
    }
    return list;
  }

  @Override
  public void find(int[] tids, int count, long[] starts, long[] ends) {
    if (descriptors.length < count) {
      descriptors = new long[count];
    }
    if (finder != null) {
      finder.find(tids, count, ends, descriptors);
    }
    boolean any = false;
    for (int i = 0; i < count; i++) {
      descriptors[i] = tids[i] == pid ? 0 : descriptors[i];
      if (ends[i] != 0 && descriptors[i] != 0 && !isWithin(descriptors[i], starts[i], ends[i])) {
        ends[i] = 0; // of a thread that had the id before
      }
      any |= ends[i] == 0 && (descriptors[i] != 0 || tids[i] == pid);
    }
    int fd = any ? Libc.open("/proc/self/maps", Libc.O_RDONLY | Libc.O_CLOEXEC, 0) : -1;
    if (fd < 0) {
      return;
    }
    lineLength = 0;
    for (int length = read(fd); length > 0; length = read(fd)) {
      ByteBuffer bytes = chunk.bytes();
      for (int i = 0; i < length; i++) {
        byte b = bytes.get(i);
        if (b == '\n') {
          mapping(tids, count, starts, ends);
          lineLength = 0;
        } else if (lineLength < line.length) {
          line[lineLength++] = b;
        }
      }
    }
    Libc.close(fd);
  }

  private static boolean isWithin(long address, long start, long end) {
    return address > start && address < end;
  }

  private int read(int fd) {
    return (int) Libc.read(fd, chunk.address(), CHUNK);
  }

  /** One line of maps: {@code start-end rwxp offset device inode path}. */
  private void mapping(int[] tids, int count, long[] starts, long[] ends) {
    int at = 0;
    long start = 0;
    for (; at < lineLength && line[at] != '-'; at++) {
      start = start << 4 | Character.digit(line[at], 16);
    }
    long end = 0;
    for (at++; at < lineLength && line[at] != ' '; at++) {
      end = end << 4 | Character.digit(line[at], 16);
    }
    if (at + 2 >= lineLength || line[at + 1] != 'r' || line[at + 2] != 'w') {
      return;
    }
    boolean first = isFirstStack();
    for (int i = 0; i < count; i++) {
      if (ends[i] != 0) {
        continue;
      }
      if (isWithin(descriptors[i], start, end)) {
        starts[i] = start;
        ends[i] = descriptors[i] & -16;
      } else if (first && tids[i] == pid) {
        starts[i] = start;
        ends[i] = end;
      }
    }
  }

  private boolean isFirstStack() {
    int from = lineLength - FIRST_STACK.length;
    return from > 0 && Arrays.equals(line, from, lineLength, FIRST_STACK, 0, FIRST_STACK.length);
  }

  @Override
  public void close() {
    if (finder != null) {
      finder.close();
    }
    chunk.close();
  }
}
