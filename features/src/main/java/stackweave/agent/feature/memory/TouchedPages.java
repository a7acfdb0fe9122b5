package stackweave.agent.feature.memory;

import java.util.Arrays;
import stackweave.engine.probe.PageHash;

/**
 * The pages whose first touch was written and that were not given back yet: a bounded hash table of
 * primitive arrays with linear probing. Used by {@link MemorySampler}; not thread-safe, allocates
 * only to grow.
 */
final class TouchedPages {
  /** The most pages: 4 GiB of memory if each stands for 32 KiB. */
  static final int MAX_PAGES = 1 << 17;

  private static final int FIRST_SLOTS = 1 << 10;
  private static final long FREE = 0;

  private long[] pages = new long[FIRST_SLOTS];
  private long[] stacks = new long[FIRST_SLOTS];
  private long[] threads = new long[FIRST_SLOTS];

  /** The weight in bytes, and above it the code of the stack's end. */
  private long[] weights = new long[FIRST_SLOTS];

  private long[] contexts = new long[FIRST_SLOTS];
  private int count;

  /** How many there are. */
  int count() {
    return count;
  }

  /** Slots, of which at most half are in use. */
  int slots() {
    return pages.length;
  }

  /** The page in a slot; 0 if it is free. */
  long page(int slot) {
    return pages[slot];
  }

  long stack(int slot) {
    return stacks[slot];
  }

  long thread(int slot) {
    return threads[slot];
  }

  /** In bytes. */
  long weight(int slot) {
    return weights[slot] & 0xffff_ffff_ffffL;
  }

  int end(int slot) {
    return (int) (weights[slot] >>> 48);
  }

  long context(int slot) {
    return contexts[slot];
  }

  /** The slot of a page, or −1. */
  int find(long page) {
    int mask = pages.length - 1;
    for (int slot = (int) PageHash.mix(page) & mask; pages[slot] != FREE; slot = slot + 1 & mask) {
      if (pages[slot] == page) {
        return slot;
      }
    }
    return -1;
  }

  /**
   * Adds a page that is not in it.
   *
   * @param page its number, not 0
   * @return false if there is no room
   */
  boolean add(long page, long stack, long thread, long weight, int end, long context) {
    if (count >= MAX_PAGES) {
      return false;
    }
    if (2 * count >= pages.length) {
      grow();
    }
    insert(page, stack, thread, weight | (long) end << 48, context);
    count++;
    return true;
  }

  private void insert(long page, long stack, long thread, long weight, long context) {
    int mask = pages.length - 1;
    int slot = (int) PageHash.mix(page) & mask;
    while (pages[slot] != FREE) {
      slot = slot + 1 & mask;
    }
    pages[slot] = page;
    stacks[slot] = stack;
    threads[slot] = thread;
    weights[slot] = weight;
    contexts[slot] = context;
  }

  private void grow() {
    long[] oldPages = pages;
    long[] oldStacks = stacks;
    long[] oldThreads = threads;
    long[] oldWeights = weights;
    long[] oldContexts = contexts;
    int size = 2 * pages.length;
    pages = new long[size];
    stacks = new long[size];
    threads = new long[size];
    weights = new long[size];
    contexts = new long[size];
    for (int i = 0; i < oldPages.length; i++) {
      if (oldPages[i] != FREE) {
        insert(oldPages[i], oldStacks[i], oldThreads[i], oldWeights[i], oldContexts[i]);
      }
    }
  }

  /** Removes what is in a slot; later ones may move into it, and none into an earlier slot. */
  void remove(int slot) {
    int mask = pages.length - 1;
    int hole = slot;
    pages[hole] = FREE;
    count--;
    for (int at = hole + 1 & mask; pages[at] != FREE; at = at + 1 & mask) {
      int home = (int) PageHash.mix(pages[at]) & mask;
      // Whether its home lies, cyclically, not behind the hole.
      if ((at - home & mask) >= (at - hole & mask)) {
        pages[hole] = pages[at];
        stacks[hole] = stacks[at];
        threads[hole] = threads[at];
        weights[hole] = weights[at];
        contexts[hole] = contexts[at];
        pages[at] = FREE;
        hole = at;
      }
    }
  }

  /** Gives what is in a slot another page, which is not in the table. */
  void move(int slot, long page) {
    long stack = stacks[slot];
    long thread = threads[slot];
    long weight = weights[slot];
    long context = contexts[slot];
    remove(slot);
    insert(page, stack, thread, weight, context);
    count++;
  }

  /** All pages, in a copy; for the rare case that many have moved. */
  long[] all() {
    return Arrays.stream(pages).filter(page -> page != FREE).toArray();
  }

  /** Forgets all: their ids are void. */
  void clear() {
    Arrays.fill(pages, FREE);
    count = 0;
  }
}
