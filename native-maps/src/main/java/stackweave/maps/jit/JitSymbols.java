package stackweave.maps.jit;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stackweave.unwind.HeapShare;

/**
 * Names of generated code by address. Engines use memory again, so of several functions at an
 * address the one that was told last counts. Filled by the parsers of this package, then {@link
 * #finish}ed and asked; a look-up allocates nothing. Bounded; not thread-safe.
 */
public final class JitSymbols {
  /** No function is known at the address. */
  public static final int NONE = -1;

  /** The most functions that are kept. */
  public static final int MAX_NAMES = HeapShare.of(1 << 19);

  /** The most bytes of a name; longer ones are cut. */
  static final int MAX_NAME_BYTES = 512;

  /** The most bytes of all names. */
  private static final int MAX_BYTES = HeapShare.of(16 << 20);

  /** How many functions that begin below an address are looked at: some lie in others. */
  private static final int LOOK_BACK = 8;

  private static final int MOVE_BACK = 1 << 10;

  private long[] starts = new long[64];
  private long[] ends = new long[64];

  /** The order in which they were told. */
  private int[] orders = new int[64];

  private int[] names = new int[64];
  private short[] lengths = new short[64];
  private int[] sources = new int[64];
  private int count;
  private byte[] bytes = new byte[1024];
  private int used;
  private String[] owners = new String[0];

  /** Begins a source, whose functions follow; {@code owner} is the library it is of, or empty. */
  void source(String owner) {
    owners = Arrays.copyOf(owners, owners.length + 1);
    owners[owners.length - 1] = owner;
  }

  /**
   * Adds a function; one of no size or at no address is left out.
   *
   * @param size in bytes
   * @param name where its name begins in {@code from}
   * @throws JitFormatException if there are too many
   */
  void add(long start, long size, byte[] from, int name, int length) throws JitFormatException {
    if (start == 0 || size <= 0 || start + size < 0 || start < 0 || length <= 0) {
      return;
    }
    int kept = Math.min(length, MAX_NAME_BYTES);
    if (count == MAX_NAMES || used > MAX_BYTES - kept) {
      throw new JitFormatException(JitFormatException.Reason.TOO_MANY, count);
    }
    grow(kept);
    System.arraycopy(from, name, bytes, used, kept);
    starts[count] = start;
    ends[count] = start + size;
    orders[count] = count;
    names[count] = used;
    lengths[count] = (short) kept;
    sources[count] = owners.length - 1;
    used += kept;
    count++;
  }

  /**
   * Adds the function that was told last of those that begin at {@code from}, at another place.
   * Looks at the last {@value #MOVE_BACK} only.
   */
  void move(long from, long to, long size) throws JitFormatException {
    for (int i = count - 1; i >= 0 && i >= count - MOVE_BACK; i--) {
      if (starts[i] == from) {
        add(to, size, bytes, names[i], lengths[i]);
        return;
      }
    }
  }

  private void grow(int more) {
    if (count == starts.length) {
      int room = 2 * count;
      starts = Arrays.copyOf(starts, room);
      ends = Arrays.copyOf(ends, room);
      orders = Arrays.copyOf(orders, room);
      names = Arrays.copyOf(names, room);
      lengths = Arrays.copyOf(lengths, room);
      sources = Arrays.copyOf(sources, room);
    }
    if (used + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * bytes.length + more);
    }
  }

  /** Puts all in order; call it once, after the last was added. */
  public void finish() {
    for (int i = count / 2 - 1; i >= 0; i--) {
      sift(i, count);
    }
    for (int i = count - 1; i > 0; i--) {
      swap(0, i);
      sift(0, i);
    }
  }

  /** Of a heap with the last function on top. */
  private void sift(int from, int size) {
    int at = from;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && isBefore(child, child + 1)) {
        child++;
      }
      if (!isBefore(at, child)) {
        return;
      }
      swap(at, child);
      at = child;
    }
  }

  private boolean isBefore(int a, int b) {
    return starts[a] < starts[b] || starts[a] == starts[b] && orders[a] < orders[b];
  }

  private void swap(int a, int b) {
    long start = starts[a];
    starts[a] = starts[b];
    starts[b] = start;
    long end = ends[a];
    ends[a] = ends[b];
    ends[b] = end;
    int order = orders[a];
    orders[a] = orders[b];
    orders[b] = order;
    int name = names[a];
    names[a] = names[b];
    names[b] = name;
    short length = lengths[a];
    lengths[a] = lengths[b];
    lengths[b] = length;
    int source = sources[a];
    sources[a] = sources[b];
    sources[b] = source;
  }

  /** How many functions there are. */
  public int count() {
    return count;
  }

  /** The function at an address: its number, or {@link #NONE}. */
  public int find(long pc) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (starts[middle] <= pc) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    int found = NONE;
    for (int i = low - 1; i >= 0 && i >= low - LOOK_BACK; i--) {
      if (pc < ends[i] && (found == NONE || orders[i] > orders[found])) {
        found = i;
      }
    }
    return found;
  }

  /** The first address of a function. */
  public long start(int function) {
    return starts[function];
  }

  /** A function's name, without characters that can't be shown. */
  public String name(int function) {
    String name =
        new String(bytes, names[function], lengths[function], StandardCharsets.UTF_8).strip();
    StringBuilder shown = new StringBuilder(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      shown.append(Character.isISOControl(c) ? '?' : c);
    }
    return shown.toString();
  }

  /** The library that has made a function's code; empty if that is not known. */
  public String owner(int function) {
    return owners[sources[function]];
  }
}
