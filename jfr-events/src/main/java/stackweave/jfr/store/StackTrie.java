package stackweave.jfr.store;

import java.util.Arrays;
import stackweave.unwind.hash.HashIndex;

/**
 * The tree of all stacks of one generation: a node is a frame under its caller, found by an {@link
 * HashIndex} over primitive columns. Node ids are {@code firstId + index}. Not thread-safe.
 *
 * <p>Of each node the child that was found last is tried first: mostly it is the one, and as the
 * nodes of a stack are added one after the other its columns are in the CPU's cache already, while
 * a place in the hash table seldom is.
 */
final class StackTrie {
  private static final int FIRST_CAPACITY = 64;

  private long firstId;
  private int count;
  private long[] parents = new long[FIRST_CAPACITY];
  private long[] methods = new long[FIRST_CAPACITY];
  private long[] offsets = new long[FIRST_CAPACITY];
  private int[] lines = new int[FIRST_CAPACITY];
  private byte[] kinds = new byte[FIRST_CAPACITY];
  private byte[] founds = new byte[FIRST_CAPACITY];
  private int[] emitted = new int[FIRST_CAPACITY];

  /** 1 + the child that was found last; 0 for none. */
  private int[] lastChildren = new int[FIRST_CAPACITY];

  /** The same of what has no parent in this generation. */
  private int lastRoot;

  private final HashIndex index = new HashIndex(FIRST_CAPACITY);

  StackTrie(long firstId) {
    this.firstId = firstId;
  }

  /** Forgets all nodes, and gives back what they took; the ids go on. */
  void clear() {
    firstId += count;
    count = 0;
    lastRoot = 0;
    index.clear();
    if (parents.length == FIRST_CAPACITY) {
      Arrays.fill(lastChildren, 0);
      return;
    }
    parents = new long[FIRST_CAPACITY];
    methods = new long[FIRST_CAPACITY];
    offsets = new long[FIRST_CAPACITY];
    lines = new int[FIRST_CAPACITY];
    kinds = new byte[FIRST_CAPACITY];
    founds = new byte[FIRST_CAPACITY];
    emitted = new int[FIRST_CAPACITY];
    lastChildren = new int[FIRST_CAPACITY];
  }

  int count() {
    return count;
  }

  /** Index of a node of this generation, -1 for any other id. */
  int indexOf(long id) {
    long node = id - firstId;
    return node >= 0 && node < count ? (int) node : -1;
  }

  /** The id of the node, new if there was none. */
  long intern(long parent, long method, int kind, int line, long offset, int found) {
    int above = indexOf(parent);
    int last = (above < 0 ? lastRoot : lastChildren[above]) - 1;
    if (last >= 0 && isNode(last, parent, method, kind, line, offset, found)) {
      return firstId + last;
    }
    int node = search(parent, method, kind, line, offset, found);
    if (above < 0) {
      lastRoot = node + 1;
    } else {
      lastChildren[above] = node + 1;
    }
    return firstId + node;
  }

  private boolean isNode(
      int node, long parent, long method, int kind, int line, long offset, int found) {
    return methods[node] == method
        && offsets[node] == offset
        && lines[node] == line
        && kinds[node] == (byte) kind
        && founds[node] == (byte) found
        && parents[node] == parent;
  }

  /** The index of the node, which is added if there is none. */
  private int search(long parent, long method, int kind, int line, long offset, int found) {
    int hash = hash(parent, method, kind | found << 8, line, offset);
    for (int slot = index.first(hash); slot != HashIndex.NONE; slot = index.next(slot)) {
      int node = index.at(slot);
      if (isNode(node, parent, method, kind, line, offset, found)) {
        return node;
      }
    }
    if (count == parents.length) {
      grow();
    }
    parents[count] = parent;
    methods[count] = method;
    offsets[count] = offset;
    lines[count] = line;
    kinds[count] = (byte) kind;
    founds[count] = (byte) found;
    emitted[count] = 0;
    lastChildren[count] = 0;
    index.add(hash, count);
    return count++;
  }

  private void grow() {
    int capacity = 2 * parents.length;
    parents = Arrays.copyOf(parents, capacity);
    methods = Arrays.copyOf(methods, capacity);
    offsets = Arrays.copyOf(offsets, capacity);
    lines = Arrays.copyOf(lines, capacity);
    kinds = Arrays.copyOf(kinds, capacity);
    founds = Arrays.copyOf(founds, capacity);
    emitted = Arrays.copyOf(emitted, capacity);
    lastChildren = Arrays.copyOf(lastChildren, capacity);
  }

  private static int hash(long parent, long method, int kind, int line, long offset) {
    // Odd constants from the golden ratio and its kin: a product's upper bits are of all its bits.
    long h = parent * 0x9E3779B97F4A7C15L;
    h = (h ^ method) * 0xC2B2AE3D27D4EB4FL;
    h = (h ^ offset ^ (long) line << 32 ^ (long) kind << 48) * 0x165667B19E3779F9L;
    return (int) (h >>> 32);
  }

  long id(int index) {
    return firstId + index;
  }

  long parent(int index) {
    return parents[index];
  }

  long method(int index) {
    return methods[index];
  }

  long offset(int index) {
    return offsets[index];
  }

  int line(int index) {
    return lines[index];
  }

  int kind(int index) {
    return kinds[index];
  }

  int found(int index) {
    return founds[index];
  }

  /** The chunk in which the node was last emitted. */
  int emitted(int index) {
    return emitted[index];
  }

  void setEmitted(int index, int chunk) {
    emitted[index] = chunk;
  }
}
