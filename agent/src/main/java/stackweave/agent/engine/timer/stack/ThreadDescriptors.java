package stackweave.agent.engine.timer.stack;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.GuardedCall;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.Pthreads;
import stackweave.agent.linux.SelfMemory;
import stackweave.agent.linux.SystemCalls;
import stackweave.unwind.UnreadableMemoryException;

/**
 * What glibc keeps of each thread in its descriptor (struct pthread, nptl/descr.h): the memory that
 * the thread's stack is in. Read through the kernel, without asking the thread.
 *
 * <p>Where in the descriptor that is differs between versions of glibc. So it is looked for, in the
 * descriptors of two threads that can say themselves where their stacks are (pthread_getattr_np):
 * the drain thread, and one that is started for it. Three words in a row must hold, in both at the
 * same place and nowhere else in both: {@code stackblock}, {@code stackblock_size} and {@code
 * guardsize}. Anything else, and nothing is known of any thread.
 *
 * <p>Another thread's descriptor is found by a {@link DescriptorFinder}; the thread's id in it must
 * be the one asked for. glibc writes it before the thread runs, and the kernel clears it when the
 * thread has ended, after its last instruction in user mode; only then does glibc give the stack to
 * another thread or back to the kernel (nptl/nptl-stack.c). Not thread-safe.
 */
final class ThreadDescriptors implements AutoCloseable {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** struct pthread has 2,304 bytes in glibc 2.36. */
  private static final int MAX_BYTES = 8192;

  private static final int WORDS = 3;
  private static final long MAX_STACK = 1L << 40;
  private static final long PATIENCE_SECONDS = 10;

  /**
   * Offsets in the descriptor.
   *
   * @param finder the kind that finds addresses at {@code anchor}
   * @param anchor of the address that is found
   * @param tid of the thread's id
   * @param stack of {@code stackblock}
   */
  private record Layout(Class<?> finder, int anchor, int tid, int stack) {
    int begin() {
      return Math.min(tid, stack);
    }

    int end() {
      return Math.max(tid + Integer.BYTES, stack + WORDS * Long.BYTES);
    }
  }

  /** That of this process's C library, once it was found, for the finder that was used last. */
  private static volatile Layout known;

  private final SystemCalls calls;
  private final SelfMemory memory;

  /** Null where descriptors can't be found. */
  private final DescriptorFinder finder;

  private final byte[] bytes = new byte[MAX_BYTES];
  private final Layout layout;
  private long start;
  private long end;
  private long blockEnd;

  private final int[] oneTid = new int[1];
  private int[] tids = oneTid;

  /** By place in {@link #tids}: what the finder has found. */
  private long[] found = new long[64];

  ThreadDescriptors(SystemCalls calls, CallPolicy policy, MemoryAccess access) {
    this.calls = calls;
    this.memory = new SelfMemory(access);
    this.finder =
        policy.allows(GuardedCall.GET_ROBUST_LIST)
            ? new RobustLists(calls)
            : PthreadList.open(memory);
    if (finder != null && (known == null || known.finder() != finder.getClass())) {
      known = calibrate();
    }
    layout = finder == null ? null : known;
  }

  /** Whether descriptors can be read here at all. */
  boolean areKnown() {
    return layout != null;
  }

  /** The lowest address of the stack last found, above its guard. */
  long start() {
    return start;
  }

  /** The first address above the stack last found: that of the descriptor. */
  long end() {
    return end;
  }

  /** The first address above the memory that the stack last found is in, descriptor and all. */
  long blockEnd() {
    return blockEnd;
  }

  /** Looks for the descriptors of threads, which {@link #read} then reads. */
  void look(int[] ofThreads, int count) {
    tids = ofThreads;
    if (found.length < count) {
      found = new long[count];
    }
    if (layout != null) {
      finder.find(tids, count, found);
    }
  }

  /** Looks for a single thread's stack, as {@link #read}. */
  boolean find(int tid) {
    oneTid[0] = tid;
    look(oneTid, 1);
    return read(0);
  }

  /**
   * Reads a thread's stack; {@link #start} and {@link #end} have it.
   *
   * @param i place of the thread among those that {@link #look} was called with
   * @return false if it is not known: the thread is not one of the C library's, or has hardly run,
   *     or has ended, or is the process's first
   */
  boolean read(int i) {
    if (layout == null || found[i] == 0) {
      return false;
    }
    long descriptor = found[i] - layout.anchor();
    int begin = layout.begin();
    try {
      memory.read(descriptor + begin, bytes, 0, layout.end() - begin);
    } catch (UnreadableMemoryException e) {
      return false;
    }
    if ((int) INTS.get(bytes, layout.tid() - begin) != tids[i]) {
      return false;
    }
    long block = word(layout.stack() - begin);
    long size = word(layout.stack() - begin + Long.BYTES);
    long guard = word(layout.stack() - begin + 2 * Long.BYTES);
    boolean sound =
        block > 0
            && size > 0
            && size < MAX_STACK
            && guard >= 0
            && guard < size
            && descriptor > block + guard
            && descriptor < block + size;
    if (sound) {
      start = block + guard;
      end = descriptor & -16;
      blockEnd = block + size;
    }
    return sound;
  }

  private long word(int offset) {
    return (long) LONGS.get(bytes, offset);
  }

  private Layout calibrate() {
    Witness witness = null;
    try {
      witness = new Witness(calls);
      Pthreads.Self self = Pthreads.self();
      witness.start();
      if (self == null || !witness.told.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        return null;
      }
      Layout mine = layoutOf(self, calls.gettid(), null);
      return witness.self == null ? null : layoutOf(witness.self, witness.tid, mine);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (LinkageError | OutOfMemoryError | SecurityException e) {
      return null; // another C library, or no thread to be had
    } finally {
      if (witness != null) {
        witness.done.countDown();
      }
    }
  }

  /**
   * Where a thread that told of itself has it all; null if that is nowhere, at several places, or
   * elsewhere than expected.
   */
  private Layout layoutOf(Pthreads.Self self, int tid, Layout expected) {
    oneTid[0] = tid;
    finder.find(oneTid, 1, found);
    long anchor = found[0] - self.descriptor();
    long tidAt = anchor + finder.tidOffset();
    long stackEnd = self.stackStart() + self.stackBytes();
    int length = (int) Math.min(MAX_BYTES, stackEnd - self.descriptor());
    if (anchor < 0 || tidAt < 0 || tidAt > length - Integer.BYTES || (tidAt & 3) != 0) {
      return null;
    }
    try {
      memory.read(self.descriptor(), bytes, 0, length);
    } catch (UnreadableMemoryException e) {
      return null;
    }
    if ((int) INTS.get(bytes, (int) tidAt) != tid) {
      return null;
    }
    int stack = -1;
    for (int at = 0; at <= length - WORDS * Long.BYTES; at += Long.BYTES) {
      long guard = word(at + 2 * Long.BYTES);
      if (word(at) + word(at + Long.BYTES) == stackEnd
          && word(at) + guard == self.stackStart()
          && guard >= 0
          && guard < word(at + Long.BYTES)) {
        if (stack >= 0) {
          return null;
        }
        stack = at;
      }
    }
    Layout layout =
        stack < 0 ? null : new Layout(finder.getClass(), (int) anchor, (int) tidAt, stack);
    return expected == null || expected.equals(layout) ? layout : null;
  }

  /** A thread that says where its stack is, and lives until that was compared. */
  private static final class Witness extends Thread {
    /** Unlike the drain thread's. */
    private static final long STACK_BYTES = 320 * 1024;

    private final SystemCalls calls;
    private final CountDownLatch told = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private Pthreads.Self self;
    private int tid;

    Witness(SystemCalls calls) {
      super(null, null, "stackweave-witness", STACK_BYTES, false);
      this.calls = calls;
      setDaemon(true);
      setContextClassLoader(null);
    }

    @Override
    public void run() {
      try {
        self = Pthreads.self();
        tid = calls.gettid();
      } catch (LinkageError | OutOfMemoryError e) {
        self = null;
      } finally {
        told.countDown();
      }
      try {
        done.await();
      } catch (InterruptedException e) {
        return; // whoever interrupts all threads: what was told is then found to be wrong
      }
    }
  }

  @Override
  public void close() {
    if (finder != null) {
      finder.close();
    }
    memory.close();
  }
}
