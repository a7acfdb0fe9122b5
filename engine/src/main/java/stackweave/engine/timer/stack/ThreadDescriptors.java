package stackweave.engine.timer.stack;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import stackweave.engine.ThreadStack;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.GuardedCall;
import stackweave.linux.MemoryAccess;
import stackweave.linux.ProcessMemory;
import stackweave.linux.Pthreads;
import stackweave.linux.SystemCalls;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Reads stack bounds from the C library's thread descriptors (struct pthread of glibc,
 * nptl/descr.h, or of musl, src/internal/pthread_impl.h) through the kernel. The fields' offsets
 * differ between versions, so they are searched for in the descriptors of two threads that know
 * their stacks by pthread_getattr_np, and must be unique and the same in both; otherwise nothing is
 * known. Used by {@link NativeStacks}; not thread-safe.
 *
 * <p>A descriptor must hold the thread id asked for. The kernel clears that id after the thread's
 * last user-mode instruction; only then does glibc reuse the stack (nptl/nptl-stack.c).
 */
final class ThreadDescriptors implements AutoCloseable {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());

  /** struct pthread has 2,304 bytes in glibc 2.36. */
  private static final int MAX_BYTES = 8192;

  /** struct pthread has 200 bytes in musl 1.2.5; the thread's keys, 1,024 bytes, are above it. */
  private static final int MUSL_BYTES = 256;

  private static final int WORDS = 3;
  private static final long PATIENCE_SECONDS = 10;

  /**
   * Offsets in the descriptor.
   *
   * @param finder the kind that finds addresses at {@code anchor}
   * @param anchor of the address that is found
   * @param tid of the thread's id
   * @param stack of the first of {@link StackWords}
   */
  private record Layout(Class<?> finder, int anchor, int tid, int stack) {
    /** Written out: a record's own equals takes 15 ms at its first call, for method handles. */
    boolean isSame(Layout other) {
      return finder == other.finder
          && anchor == other.anchor
          && tid == other.tid
          && stack == other.stack;
    }

    int begin() {
      return Math.min(tid, stack);
    }

    int end() {
      return Math.max(tid + Integer.BYTES, stack + WORDS * Long.BYTES);
    }
  }

  /** The layout in this process's C library, once found, for the finder used last. */
  private static volatile Layout known;

  private final SystemCalls calls;
  private final ProcessMemory memory;

  /** Null if descriptors can't be found. */
  private final DescriptorFinder finder;

  private final byte[] bytes = new byte[MAX_BYTES];
  private final Layout layout;
  private long start;
  private long end;
  private long blockEnd;

  private int[] tids = {};

  /** By index in {@link #tids}: the address that the finder has found. */
  private long[] found = {};

  ThreadDescriptors(SystemCalls calls, CallPolicy policy, MemoryAccess access) {
    this.calls = calls;
    this.memory = new ProcessMemory(SampledProcess.OWN, access);
    this.finder = finder(policy);
    if (finder != null && (known == null || known.finder() != finder.getClass())) {
      known = calibrate();
    }
    layout = finder == null ? null : known;
  }

  private DescriptorFinder finder(CallPolicy policy) {
    MuslThreads musl = MuslThreads.open(calls.architecture(), memory);
    if (musl != null) {
      return musl;
    }
    return policy.allows(GuardedCall.GET_ROBUST_LIST)
        ? new RobustLists(calls)
        : PthreadList.open(memory);
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

  /** Finds the descriptors of threads, for {@link #read}. */
  void look(List<ThreadStack> threads) {
    int[] all = new int[threads.size()];
    for (int i = 0; i < all.length; i++) {
      all[i] = threads.get(i).tid();
    }
    look(all);
  }

  private void look(int... all) {
    tids = all;
    found = new long[all.length];
    if (finder != null) {
      finder.find(tids, tids.length, found);
    }
  }

  /** As {@link #look} and {@link #read}, for a single thread. */
  boolean find(int tid) {
    look(tid);
    return read(0);
  }

  /**
   * Reads a thread's stack bounds, for {@link #start} and {@link #end}.
   *
   * @param i index of the thread in the last {@link #look}
   * @return false if it is not known: the thread is not the C library's, has hardly run, has ended,
   *     or is the process's main thread
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
    StackWords words = finder.stackWords();
    long first = word(layout.stack() - begin);
    long size = word(layout.stack() - begin + Long.BYTES);
    long guard = word(layout.stack() - begin + 2 * Long.BYTES);
    boolean sound = words.are(first, size, guard, descriptor);
    if (sound) {
      start = words.start(first, size, guard);
      end = words.end(first, size, descriptor);
      blockEnd = words.blockEnd(first, size);
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
      return null; // another C library, or no thread could be started
    } finally {
      if (witness != null) {
        witness.done.countDown();
      }
    }
  }

  /**
   * The offsets in the descriptor of a thread with known bounds; null if they are not found, not
   * unique, or not as expected.
   */
  private Layout layoutOf(Pthreads.Self self, int tid, Layout expected) {
    look(tid);
    long anchor = found[0] - self.descriptor();
    long tidAt = anchor + finder.tidOffset();
    long stackEnd = self.stackStart() + self.stackBytes();
    StackWords words = finder.stackWords();
    int length =
        words == StackWords.MUSL
            ? MUSL_BYTES
            : (int) Math.min(MAX_BYTES, stackEnd - self.descriptor());
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
      long first = word(at);
      long size = word(at + Long.BYTES);
      long guard = word(at + 2 * Long.BYTES);
      if (words.are(first, size, guard, self.descriptor())
          && words.blockEnd(first, size) == stackEnd
          && words.start(first, size, guard) == self.stackStart()) {
        if (stack >= 0) {
          return null;
        }
        stack = at;
      }
    }
    Layout layout =
        stack < 0 ? null : new Layout(finder.getClass(), (int) anchor, (int) tidAt, stack);
    return expected == null || layout != null && expected.isSame(layout) ? layout : null;
  }

  /** A thread that reports its stack, and lives until the comparison is done. */
  private static final class Witness extends Thread {
    /** Different from the drain thread's. */
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
        return; // interrupted by the application: the comparison then fails
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
