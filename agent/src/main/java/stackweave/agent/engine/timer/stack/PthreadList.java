package stackweave.agent.engine.timer.stack;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.SelfMemory;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Walks the C library's own lists of threads, without a system call that a filter could kill for.
 * What debuggers need for that, glibc exports since 2.34: where the lists are, and where in a
 * descriptor the link and the thread id ({@code nptl_db/structs.def}, {@code db_info.c}).
 *
 * <p>The library changes the lists at any time. They are read through the kernel, so a link into
 * nowhere is an error; a walk has an end; and a descriptor counts only if the thread id in it is
 * one that was asked for. What one walk misses the next finds. New threads are put in front, so
 * finding those that have just started takes a few reads, however many threads there are.
 */
final class PthreadList implements DescriptorFinder {
  /** On a list that changes under way the walk might go in a circle. */
  private static final int MAX_STEPS = 1 << 17;

  /** {@code struct list_head}: next, previous. */
  private static final int LINK_BYTES = 2 * Long.BYTES;

  /** A descriptor is aligned so, and no smaller. */
  private static final int ALIGNMENT = 16;

  private static final int MAX_OFFSET = 4096;

  private final SelfMemory memory;
  private final long[] heads;
  private final int link;
  private final int tid;

  /** What is read of a descriptor: from the lower of the two offsets to the end of both. */
  private final int from;

  private final byte[] piece;
  private final ByteBuffer words;

  /** Thread id and place of each thread that is looked for, sorted. */
  private long[] order = new long[64];

  private PthreadList(SelfMemory memory, long[] heads, int link, int tid) {
    this.memory = memory;
    this.heads = heads;
    this.link = link;
    this.tid = tid;
    this.from = Math.min(link, tid);
    this.piece = new byte[Math.max(link + LINK_BYTES, tid + Integer.BYTES) - from];
    this.words = ByteBuffer.wrap(piece).order(ByteOrder.nativeOrder());
  }

  /**
   * The lists of this process, or null where the C library doesn't export them.
   *
   * @param memory stays the caller's to close
   */
  static PthreadList open(SelfMemory memory) {
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

  /** The third word of a field's description: bits of an element, elements, offset in bytes. */
  private static int offset(SelfMemory memory, String symbol) throws UnreadableMemoryException {
    long at = Libc.symbol(symbol);
    return at == 0 ? -1 : (int) memory.readLong(at + 2 * Integer.BYTES);
  }

  @Override
  public void find(int[] tids, int count, long[] addresses) {
    Arrays.fill(addresses, 0, count, 0);
    if (order.length < count) {
      order = new long[count];
    }
    for (int i = 0; i < count; i++) {
      order[i] = (long) tids[i] << Integer.SIZE | i;
    }
    Arrays.sort(order, 0, count);
    int wanted = count;
    for (int i = 0; i < heads.length && wanted > 0; i++) {
      try {
        wanted = walk(heads[i], count, addresses, wanted);
      } catch (UnreadableMemoryException e) {
        continue; // the list has changed under way
      }
    }
  }

  /** Returns how many are still to be found. */
  private int walk(long head, int count, long[] addresses, int wanted)
      throws UnreadableMemoryException {
    int left = wanted;
    long node = memory.readLong(head);
    for (int step = 0; left > 0 && node != head && step < MAX_STEPS; step++) {
      long descriptor = node - link;
      if ((descriptor & ALIGNMENT - 1) != 0) {
        return left;
      }
      memory.read(descriptor + from, piece, 0, piece.length);
      int id = words.getInt(tid - from);
      int at = Arrays.binarySearch(order, 0, count, (long) id << Integer.SIZE);
      for (int i = at < 0 ? -at - 1 : at; i < count && order[i] >> Integer.SIZE == id; i++) {
        int place = (int) order[i];
        left -= addresses[place] == 0 ? 1 : 0;
        addresses[place] = descriptor;
      }
      node = words.getLong(link - from);
    }
    return left;
  }

  @Override
  public int tidOffset() {
    return tid;
  }

  @Override
  public void close() {
    // holds nothing of its own
  }
}
