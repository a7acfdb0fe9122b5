package stackweave.engine.timer.stack;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.linux.Libc;
import stackweave.linux.ProcessMemory;
import stackweave.linux.Pthreads;
import stackweave.unwind.Architecture;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Finds descriptors by walking musl's list of threads, from that of the thread that opened it on:
 * {@code self}, {@code prev}, {@code next} and {@code tid} have the same places in musl 1.2.0 to
 * 1.2.5 (src/internal/pthread_impl.h). The list may change at any time: it is read through the
 * kernel, steps are limited, and a descriptor counts only if it names itself and its thread id was
 * asked for. musl clears the id before the thread ends, with all signals blocked, and only then may
 * the stack go (src/thread/pthread_create.c). Not thread-safe.
 */
final class MuslThreads implements DescriptorFinder {
  /** A symbol that musl's loader exports, for debuggers, and glibc's does not. */
  private static final String OF_MUSL = "_dl_debug_addr";

  /** Limit of steps: the walk might cycle on a list that changes. */
  private static final int MAX_STEPS = 1 << 17;

  /** How often the walk begins anew where the list has changed under it. */
  private static final int MAX_WALKS = 4;

  private final ProcessMemory memory;
  private final long own;
  private final int next;
  private final int tid;
  private final byte[] piece;
  private final ByteBuffer words;
  private final WantedThreads wanted = new WantedThreads();

  private MuslThreads(ProcessMemory memory, long own, int next, int tid) {
    this.memory = memory;
    this.own = own;
    this.next = next;
    this.tid = tid;
    this.piece = new byte[tid + Integer.BYTES];
    this.words = ByteBuffer.wrap(piece).order(ByteOrder.nativeOrder());
  }

  /**
   * The threads of this process, from the calling one on; null if the C library is another, or has
   * another layout.
   *
   * @param memory closed by the caller
   */
  static MuslThreads open(Architecture architecture, ProcessMemory memory) {
    if (Libc.symbol(OF_MUSL) == 0) {
      return null;
    }
    try {
      Pthreads.Self self = Pthreads.self();
      MuslThreads threads =
          self == null
              ? null
              : architecture == Architecture.X86_64
                  ? new MuslThreads(memory, self.descriptor(), 24, 48)
                  : new MuslThreads(memory, self.descriptor(), 16, 32);
      return threads != null && threads.isListed() ? threads : null;
    } catch (LinkageError | UnreadableMemoryException e) {
      return null;
    }
  }

  /** Whether the thread is where its neighbours in the list say. */
  private boolean isListed() throws UnreadableMemoryException {
    int previous = next - Long.BYTES;
    return memory.readLong(own) == own
        && memory.readLong(memory.readLong(own + next) + previous) == own
        && memory.readLong(memory.readLong(own + previous) + next) == own;
  }

  @Override
  public void find(int[] tids, int count, long[] addresses) {
    wanted.begin(tids, count, addresses);
    boolean whole = false;
    for (int walks = 0; walks < MAX_WALKS && !whole && wanted.areLeft(); walks++) {
      try {
        whole = walk();
      } catch (UnreadableMemoryException e) {
        whole = false; // a thread at hand has ended
      }
    }
  }

  /** Returns whether the walk came to its end: the list did not lead astray. */
  private boolean walk() throws UnreadableMemoryException {
    long node = own;
    for (int step = 0; step < MAX_STEPS && wanted.areLeft(); step++) {
      memory.read(node, piece, 0, piece.length);
      long after = words.getLong(next);
      if (words.getLong(0) != node || after == node) {
        return false; // taken out of the list, and perhaps other memory by now
      }
      wanted.take(words.getInt(tid), node);
      if (after == own) {
        return true;
      }
      node = after;
    }
    return true;
  }

  @Override
  public int tidOffset() {
    return tid;
  }

  @Override
  public StackWords stackWords() {
    return StackWords.MUSL;
  }

  @Override
  public void close() {
    // holds nothing of its own
  }
}
