package stackweave.maps.jit;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import stackweave.unwind.HeapShare;
import stackweave.unwind.section.SortedIndex;

/**
 * Names of generated code by address. Engines reuse memory, so of several functions at an address
 * the one that was added last counts. Filled by the parsers of this package, then {@link #finish}ed
 * and asked; a look-up allocates nothing. Bounded; not thread-safe.
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

  /** Where functions begin, with their numbers, in the order in which they were added. */
  private final SortedIndex index = new SortedIndex(64);

  private long[] starts = new long[64];
  private long[] ends = new long[64];
  private int[] names = new int[64];
  private short[] lengths = new short[64];
  private int[] sources = new int[64];
  private int count;
  private byte[] bytes = new byte[1024];
  private int used;
  private String[] owners = new String[0];

  /** Begins a source, whose functions follow; {@code owner} is its library, or empty. */
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
    names[count] = used;
    lengths[count] = (short) kept;
    sources[count] = owners.length - 1;
    used += kept;
    index.add(start, count++);
  }

  /**
   * Adds the function that was added last of those that begin at {@code from}, at another place.
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
    index.sort();
  }

  /** How many functions there are. */
  public int count() {
    return count;
  }

  /** The function at an address: its number, or {@link #NONE}. */
  public int find(long pc) {
    int last = pc < 0 ? -1 : index.floor(pc);
    int found = NONE;
    for (int i = last; i >= 0 && i > last - LOOK_BACK; i--) {
      int function = index.value(i);
      if (pc < ends[function] && function > found) {
        found = function;
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
    return new String(bytes, names[function], lengths[function], StandardCharsets.UTF_8)
        .strip()
        .replaceAll("\\p{Cc}", "?");
  }

  /** The library that has made a function's code; empty if that is not known. */
  public String owner(int function) {
    return owners[sources[function]];
  }
}
