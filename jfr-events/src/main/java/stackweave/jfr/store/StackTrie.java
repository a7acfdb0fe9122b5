package stackweave.jfr.store;

import java.util.Arrays;
import stackweave.unwind.hash.HashIndex;

/**
 * The tree of all stacks of one generation: a node is a frame under its caller, found by a {@link
 * HashIndex}. Node ids are {@code firstId + index}. Not thread-safe.
 *
 * <p>The words of a node are adjacent, for the CPU's caches. Nodes are kept in blocks that are
 * never copied: a table that grows by copying leaves garbage as large as itself, which is old
 * enough by then to stay on the application's heap until a full collection.
 *
 * <p>A node's child that was found last is tried first: in most cases it is the right one, and it
 * is in the CPU's cache, because the nodes of a stack are added one after the other; a slot of the
 * hash table seldom is.
 */
final class StackTrie {
  private static final int FIRST_CAPACITY = 64;

  /** Nodes of a block; 32 KiB. */
  private static final int LOG2_BLOCK = 10;

  private static final int BLOCK_MASK = (1 << LOG2_BLOCK) - 1;

  // Indices of a node's words; of a long the lower half comes first.
  private static final int METHOD = 0;
  private static final int OFFSET = 2;

  /** 1 + the parent's index; 0 for none. */
  private static final int PARENT = 4;

  private static final int LINE = 5;
  private static final int CHUNK = 6;

  /** 1 + the child that was found last; 0 for none. */
  private static final int LAST_CHILD = 7;

  /** Kind, and how it was found from its callee: they share a word with the method's upper half. */
  private static final int TRAITS = METHOD + 1;

  private static final int TRAITS_SHIFT = 16;

  /** Ids of methods are counted from 1; no JVM lives long enough to need more bits. */
  private static final long MAX_METHOD = (1L << Integer.SIZE + TRAITS_SHIFT) - 1;

  private static final int LOG2_WORDS = 3;

  /** The parent of nodes without one. */
  private static final long NO_NODE = 0;

  private long firstId;
  private int count;

  /** The first block is small as long as there is no other. */
  private int[][] blocks = {new int[FIRST_CAPACITY << LOG2_WORDS]};

  /** 1 + the node without a parent in this generation that was found last; 0 for none. */
  private int lastRoot;

  private final HashIndex index = new HashIndex(FIRST_CAPACITY);

  StackTrie(long firstId) {
    this.firstId = firstId;
  }

  /** Forgets all nodes and frees their memory; ids continue. */
  void clear() {
    forget();
    index.clear();
    blocks = new int[][] {new int[FIRST_CAPACITY << LOG2_WORDS]};
  }

  /** Forgets all nodes, and keeps their memory for as many; ids continue. */
  void empty() {
    forget();
    index.empty();
  }

  private void forget() {
    firstId += count;
    count = 0;
    lastRoot = 0;
  }

  int count() {
    return count;
  }

  /** Index of a node of this generation, -1 for any other id. */
  int indexOf(long id) {
    long node = id - firstId;
    return node >= 0 && node < count ? (int) node : -1;
  }

  /**
   * The id of a node, which is added if there is none.
   *
   * @param parent a node of this generation, or 0 for none
   * @param method 1 to 2⁴⁸ - 1
   * @param kind 0 to 127
   * @param found 0 to 127
   */
  long intern(long parent, long method, int kind, int line, long offset, int found) {
    int above = indexOf(parent);
    if (above < 0 && parent != NO_NODE) {
      throw new IllegalArgumentException("parent " + parent);
    }
    int last = (above < 0 ? lastRoot : block(above)[at(above) + LAST_CHILD]) - 1;
    int traits = kind << 8 | found;
    if (last >= 0 && isNode(last, above + 1, method, traits, line, offset)) {
      return firstId + last;
    }
    int node = search(above + 1, method, traits, line, offset);
    if (above < 0) {
      lastRoot = node + 1;
    } else {
      block(above)[at(above) + LAST_CHILD] = node + 1;
    }
    return firstId + node;
  }

  private boolean isNode(int node, int parent, long method, int traits, int line, long offset) {
    int[] block = block(node);
    int at = at(node);
    return longAt(block, at + METHOD) == tagged(method, traits)
        && longAt(block, at + OFFSET) == offset
        && block[at + LINE] == line
        && block[at + PARENT] == parent;
  }

  /** The index of the node, which is added if there is none. */
  private int search(int parent, long method, int traits, int line, long offset) {
    int hash = hash(parent, method, traits, line, offset);
    for (int slot = index.first(hash); slot != HashIndex.NONE; slot = index.next(slot)) {
      int node = index.at(slot);
      if (isNode(node, parent, method, traits, line, offset)) {
        return node;
      }
    }
    return add(hash, parent, method, traits, line, offset);
  }

  private int add(int hash, int parent, long method, int traits, int line, long offset) {
    if (method < 0 || method > MAX_METHOD) {
      throw new IllegalArgumentException("method " + method);
    }
    int[] block = roomFor(count);
    int at = at(count);
    block[at + PARENT] = parent;
    putLong(block, at + METHOD, tagged(method, traits));
    putLong(block, at + OFFSET, offset);
    block[at + LINE] = line;
    block[at + CHUNK] = 0;
    block[at + LAST_CHILD] = 0;
    index.add(hash, count);
    return count++;
  }

  private int[] roomFor(int node) {
    int number = node >>> LOG2_BLOCK;
    if (number == blocks.length) {
      blocks = Arrays.copyOf(blocks, 2 * number);
    }
    if (blocks[number] == null) {
      blocks[number] = new int[1 << LOG2_BLOCK + LOG2_WORDS];
    } else if (at(node) == blocks[number].length) {
      blocks[number] = Arrays.copyOf(blocks[number], 1 << LOG2_BLOCK + LOG2_WORDS);
    }
    return blocks[number];
  }

  private int[] block(int node) {
    return blocks[node >>> LOG2_BLOCK];
  }

  private static int at(int node) {
    return (node & BLOCK_MASK) << LOG2_WORDS;
  }

  private static long tagged(long method, int traits) {
    return (long) traits << Integer.SIZE + TRAITS_SHIFT | method;
  }

  private static long longAt(int[] block, int at) {
    return (long) block[at + 1] << Integer.SIZE | block[at] & 0xffff_ffffL;
  }

  private static void putLong(int[] block, int at, long value) {
    block[at] = (int) value;
    block[at + 1] = (int) (value >>> Integer.SIZE);
  }

  private static int hash(int parent, long method, int traits, int line, long offset) {
    // Odd constants derived from the golden ratio: all bits of a factor affect a product's upper
    // bits.
    long h = parent * 0x9E3779B97F4A7C15L;
    h = (h ^ method) * 0xC2B2AE3D27D4EB4FL;
    h = (h ^ offset ^ (long) line << 32 ^ (long) traits << 48) * 0x165667B19E3779F9L;
    return (int) (h >>> 32);
  }

  long id(int index) {
    return firstId + index;
  }

  long parent(int index) {
    int parent = block(index)[at(index) + PARENT];
    return parent == 0 ? NO_NODE : firstId + parent - 1;
  }

  long method(int index) {
    return longAt(block(index), at(index) + METHOD) & MAX_METHOD;
  }

  long offset(int index) {
    return longAt(block(index), at(index) + OFFSET);
  }

  int line(int index) {
    return block(index)[at(index) + LINE];
  }

  int kind(int index) {
    return block(index)[at(index) + TRAITS] >>> TRAITS_SHIFT + 8;
  }

  int found(int index) {
    return block(index)[at(index) + TRAITS] >>> TRAITS_SHIFT & 0xff;
  }

  /** The chunk in which the node was last emitted. */
  int emitted(int index) {
    return block(index)[at(index) + CHUNK];
  }

  void setEmitted(int index, int chunk) {
    block(index)[at(index) + CHUNK] = chunk;
  }
}
