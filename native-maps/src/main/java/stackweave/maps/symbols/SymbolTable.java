package stackweave.maps.symbols;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import stackweave.maps.demangle.Demangler;
import stackweave.maps.elf.Strings;

/**
 * The function symbols of one module by address; addresses are ELF virtual addresses. Made by
 * {@link SymbolTableBuilder}. Immutable.
 *
 * <p>A symbol counts only inside its size: the nearest symbol below an address is not its name when
 * it ends before. What has no size reaches to the next symbol of its section, but not in a stripped
 * module, where most functions have no symbol at all.
 */
public final class SymbolTable {
  /** No symbol covers the address. */
  public static final int NONE = -1;

  public static final SymbolTable EMPTY =
      new SymbolTable(0, IntBuffer.allocate(0), new ByteBuffer[0]);

  /** Addresses are kept as unsigned 32-bit distances; code is never spread further. */
  static final long MAX_SPAN = 0xffffffffL;

  // Ints of a symbol: its start; its size; the highest end of all up to it; its word.
  static final int SYMBOL = 4;
  private static final int START = 0;
  private static final int SIZE = 1;
  private static final int REACH = 2;
  private static final int WORD = 3;

  /** So many symbols are looked at for one that reaches over those between. */
  private static final int MAX_INNER = 1 << 14;

  /** A word has the name's offset in its string table, the kind, the string table, and a sign. */
  static final int NAME_BITS = 26;

  static final int TABLE_BIT = NAME_BITS + 3;

  /** The file does not say the size. */
  static final int UNSIZED = 1 << 31;

  private final long base;
  private final IntBuffer symbols;
  private final ByteBuffer[] names;

  /**
   * @param base what is added to all addresses
   * @param symbols ascending by address, as {@link #SYMBOL} says
   * @param names the string tables, which stay readable
   */
  SymbolTable(long base, IntBuffer symbols, ByteBuffer[] names) {
    this.base = base;
    this.symbols = symbols;
    this.names = names;
  }

  /** Whether there is no function symbol. */
  public boolean isEmpty() {
    return size() == 0;
  }

  /** How many symbols there are; they have the numbers from 0 on, by address. */
  public int size() {
    return symbols.limit() / SYMBOL;
  }

  /**
   * The symbol that covers an address, the innermost if several do. Does not allocate.
   *
   * @param address an ELF virtual address
   * @return its number, or {@link #NONE}
   */
  public int find(long address) {
    long wanted = address - base;
    int last = floor(wanted);
    for (int i = last; i >= 0 && i > last - MAX_INNER && wanted < get(i, REACH); i--) {
      if (wanted < get(i, START) + get(i, SIZE)) {
        return i;
      }
    }
    return NONE;
  }

  /** The last symbol that starts at or below an address, relative to the base; −1 if none does. */
  private int floor(long wanted) {
    int low = 0;
    int high = size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (get(middle, START) <= wanted) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  private long get(int symbol, int what) {
    return symbols.get(symbol * SYMBOL + what) & MAX_SPAN;
  }

  /** The highest end of a symbol that starts at or below an address; −1 if none does. */
  public long endBelow(long address) {
    int last = floor(address - base);
    return last < 0 ? -1 : base + get(last, REACH);
  }

  /** The start of the first symbol above an address; −1 if there is none. */
  public long startAbove(long address) {
    int next = floor(address - base) + 1;
    return next < size() ? start(next) : -1;
  }

  /** The first address of a symbol. */
  public long start(int symbol) {
    return base + get(symbol, START);
  }

  /** The size of a symbol, in bytes. */
  public long size(int symbol) {
    return get(symbol, SIZE);
  }

  /** Whether the file has the symbol's size; else it is taken to reach to the next symbol. */
  public boolean isSized(int symbol) {
    return symbols.get(symbol * SYMBOL + WORD) >= 0;
  }

  /** The name as in the file, which may be mangled. */
  public String rawName(int symbol) {
    int word = symbols.get(symbol * SYMBOL + WORD);
    return Strings.at(names[table(word)], offset(word));
  }

  /** The name for users, as {@link Demangler#shortName} makes it; not cached. */
  public String name(int symbol) {
    return Demangler.shortName(rawName(symbol));
  }

  /** Which string table has the name of a symbol with this word. */
  static int table(int word) {
    return word >>> TABLE_BIT & 1;
  }

  /** Where in its string table the name of a symbol with this word is. */
  static int offset(int word) {
    return word & (1 << NAME_BITS) - 1;
  }
}
