package stackweave.engine.timer.stack;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import stackweave.linux.Libc;
import stackweave.linux.ProcessMemory;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Finds descriptors by walking glibc's lists of threads, without a system call that a seccomp
 * filter could kill for. Since 2.34 glibc exports, for debuggers, the lists' addresses and the
 * offsets of link and thread id ({@code nptl_db/structs.def}, {@code db_info.c}). The lists may
 * change at any time: they are read through the kernel, steps are limited, and a descriptor counts
 * only if its thread id was asked for. New threads are at the front. Not thread-safe.
 */
final class PthreadList implements DescriptorFinder {
  /** Limit of steps: the walk might cycle on a list that changes. */
  private static final int MAX_STEPS = 1 << 17;

  /** {@code struct list_head}: next, previous. */
  private static final int LINK_BYTES = 2 * Long.BYTES;

  /** Alignment of a descriptor, in bytes. */
  private static final int ALIGNMENT = 16;

  private static final int MAX_OFFSET = 4096;

  private final ProcessMemory memory;
  private final long[] heads;
  private final int link;
  private final int tid;

  /** Offset of the part of a descriptor that is read, which holds both fields. */
  private final int from;

  private final byte[] piece;
  private final ByteBuffer words;

  private final WantedThreads wanted = new WantedThreads();

  private PthreadList(ProcessMemory memory, long[] heads, int link, int tid) {
    this.memory = memory;
    this.heads = heads;
    this.link = link;
    this.tid = tid;
    this.from = Math.min(link, tid);
    this.piece = new byte[Math.max(link + LINK_BYTES, tid + Integer.BYTES) - from];
    this.words = ByteBuffer.wrap(piece).order(ByteOrder.nativeOrder());
  }

  /**
   * The lists of this process, or null if the C library doesn't export them.
   *
   * @param memory closed by the caller
   */
  static PthreadList open(ProcessMemory memory) {
    try {
      long pointer = Libc.symbol("__nptl_rtld_global");
      int used = offset(memory, "_thread_db_rtld_global__dl_stack_used");
      int user = offset(memory, "_thread_db_rtld_global__dl_stack_user");
      int link = offset(memory, "_thread_db_pthread_list");
      int tid = offset(memory, "_thread_db_pthread_tid");
      if (pointer == 0 || used < 0 || user < 0 || link < 0 || tid < 0) {
        return null;
      }
      if (link > MAX_OFFSET || tid > MAX_OFFSET) {
        return null;
      }
      long global = memory.readLong(pointer);
      return new PthreadList(memory, new long[] {global + used, global + user}, link, tid);
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /**
   * The third word of a field's description (bits of an element, elements, offset in bytes), or −1.
   */
  private static int offset(ProcessMemory memory, String symbol) throws UnreadableMemoryException {
    long at = Libc.symbol(symbol);
    return at == 0 ? -1 : (int) memory.readLong(at + 2 * Integer.BYTES);
  }

  @Override
  public void find(int[] tids, int count, long[] addresses) {
    wanted.begin(tids, count, addresses);
    for (int i = 0; i < heads.length && wanted.areLeft(); i++) {
      try {
        walk(heads[i]);
      } catch (UnreadableMemoryException e) {
        continue; // the list has changed meanwhile
      }
    }
  }

  private void walk(long head) throws UnreadableMemoryException {
    long node = memory.readLong(head);
    for (int step = 0; wanted.areLeft() && node != head && step < MAX_STEPS; step++) {
      long descriptor = node - link;
      if ((descriptor & ALIGNMENT - 1) != 0) {
        return;
      }
      memory.read(descriptor + from, piece, 0, piece.length);
      wanted.take(words.getInt(tid - from), descriptor);
      node = words.getLong(link - from);
    }
  }

  @Override
  public int tidOffset() {
    return tid;
  }

  @Override
  public StackWords stackWords() {
    return StackWords.GLIBC;
  }

  @Override
  public void close() {
    // holds nothing of its own
  }
}
