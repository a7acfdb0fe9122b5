package stackweave.maps.symbols;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import stackweave.maps.elf.Strings;

/**
 * The function symbols of one module, sorted by address, as {@link ReferenceSymbolsBuilder} makes
 * them.
 */
final class ReferenceSymbols {
  /** No symbol covers the address. */
  static final int NONE = -1;

  /** The size of a symbol is not the file's, but what is left until the next symbol. */
  static final int UNSIZED = 1 << 31;

  static final ReferenceSymbols EMPTY =
      new ReferenceSymbols(
          0,
          IntBuffer.allocate(0),
          IntBuffer.allocate(0),
          IntBuffer.allocate(0),
          null,
          ByteBuffer.allocate(0));

  private final long base;
  private final IntBuffer starts;
  private final IntBuffer sizes;
  private final IntBuffer nameOffsets;
  private final ByteBuffer names;

  /** The highest end among each symbol and all before it; null where no symbol lies in another. */
  private final IntBuffer reach;

  /**
   * @param base what is added to {@code starts}, which are unsigned and ascending
   * @param sizes in bytes, so that no end is above base + 2<sup>32</sup> − 1
   * @param nameOffsets where in {@code names} each name begins; NUL ends it. With {@link #UNSIZED}
   *     where the file does not say the symbol's size
   * @param reach the highest end among each symbol and all before it; null where none nests
   */
  ReferenceSymbols(
      long base,
      IntBuffer starts,
      IntBuffer sizes,
      IntBuffer nameOffsets,
      IntBuffer reach,
      ByteBuffer names) {
    this.base = base;
    this.starts = starts;
    this.sizes = sizes;
    this.nameOffsets = nameOffsets;
    this.names = names;
    this.reach = reach;
  }

  /** How many function symbols there are, aliases counted once. */
  int count() {
    return starts.limit();
  }

  /**
   * The symbol whose range holds an address; the innermost where ranges nest.
   *
   * @param address an ELF virtual address
   * @return its index, from 0 to {@link #count}, or {@link #NONE}; no allocation
   */
  int find(long address) {
    long wanted = address - base;
    if (wanted < 0 || wanted > 0xffffffffL) {
      return NONE;
    }
    for (int i = floor(wanted); i >= 0; i--) {
      if (wanted < (starts.get(i) & 0xffffffffL) + (sizes.get(i) & 0xffffffffL)) {
        return i;
      }
      if (reach == null || (reach.get(i) & 0xffffffffL) <= wanted) {
        return NONE;
      }
    }
    return NONE;
  }

  /** The last symbol that starts at or below an address, relative to the base, or −1. */
  private int floor(long wanted) {
    int low = 0;
    int high = starts.limit() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if ((starts.get(middle) & 0xffffffffL) <= wanted) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  /** The highest end of a symbol that starts at or below an address; −1 if none does. */
  long endBelow(long address) {
    int last = floor(address - base);
    if (last < 0) {
      return -1;
    }
    return reach == null ? start(last) + size(last) : base + (reach.get(last) & 0xffffffffL);
  }

  /** Where the first symbol above an address begins; −1 if there is none. */
  long startAbove(long address) {
    int next = floor(address - base) + 1;
    return next < count() ? start(next) : -1;
  }

  /** The first address of a symbol. */
  long start(int symbol) {
    return base + (starts.get(symbol) & 0xffffffffL);
  }

  /** How many bytes belong to a symbol. */
  long size(int symbol) {
    return sizes.get(symbol) & 0xffffffffL;
  }

  /** Whether the file says the symbol's size; else it is taken to reach to the next symbol. */
  boolean isSized(int symbol) {
    return nameOffsets.get(symbol) >= 0;
  }

  /** The name as it stands in the file, that is mangled. */
  String rawName(int symbol) {
    return Strings.at(names, nameOffsets.get(symbol) & ~UNSIZED);
  }
}
