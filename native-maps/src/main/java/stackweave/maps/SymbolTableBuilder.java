package stackweave.maps;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import stackweave.maps.ElfFormatException.Reason;
import stackweave.maps.ElfHeaders.SectionHeader;
import stackweave.maps.ElfImage.Symbols;

/**
 * Makes a {@link SymbolTable} of one or two ELF symbol tables: collects what names code, sorts it,
 * keeps the best name of each address, and decides how far symbols without a size reach.
 *
 * <p>Source: System V gABI, "Symbol Table".
 */
final class SymbolTableBuilder {
  private static final int SYMBOL_SIZE = 24;
  private static final int STT_NOTYPE = 0;
  private static final int STT_FUNC = 2;
  private static final int STT_GNU_IFUNC = 10;
  private static final int STB_LOCAL = 0;
  private static final int STB_WEAK = 2;
  private static final int SHN_UNDEF = 0;
  private static final int SHN_LORESERVE = 0xff00;

  /** Bounds the heap that a table takes, built or while it is built (about 25 bytes a symbol). */
  private static final int MAX_SYMBOLS = 1 << 21;

  /** Addresses are kept as unsigned 32-bit distances; code is never spread further. */
  private static final long MAX_SPAN = 0xffffffffL;

  /** Kinds, lower is better: global 0, weak 1, local 2, and the same from 4 on for NOTYPE. */
  private static final int LOCAL_KIND = 2;

  private static final int NOTYPE_KIND = 4;

  private final ByteBuffer[] nameTables;

  private int count;
  private long[] addresses = new long[1024];
  private int[] sizes = new int[1024];
  private int[] names = new int[1024];

  /** Where the section ends, relative to the symbol; only for symbols that have no size. */
  private int[] room = new int[1024];

  private byte[] kinds = new byte[1024];
  private byte[] keptNames = new byte[1 << 14];
  private int keptNamesLength;

  private SymbolTableBuilder(int tables) {
    nameTables = new ByteBuffer[tables];
  }

  /**
   * The function symbols of up to two tables, of which the first wins where both name an address
   * equally well.
   *
   * @throws ElfFormatException if there are more than is sensible to keep
   */
  static SymbolTable build(List<Symbols> tables) throws ElfFormatException {
    if (tables.isEmpty()) {
      return SymbolTable.EMPTY;
    }
    SymbolTableBuilder builder = new SymbolTableBuilder(tables.size());
    for (int i = 0; i < tables.size(); i++) {
      builder.nameTables[i] = tables.get(i).names();
      builder.collect(tables.get(i), i << 31);
    }
    return builder.build();
  }

  private void collect(Symbols symbols, int tableBit) throws ElfFormatException {
    ByteBuffer table = symbols.table();
    int nameLimit = symbols.names().limit();
    for (int at = SYMBOL_SIZE; at <= table.limit() - SYMBOL_SIZE; at += SYMBOL_SIZE) {
      int name = table.getInt(at);
      int type = table.get(at + 4) & 15;
      int binding = (table.get(at + 4) & 0xff) >> 4;
      int sectionIndex = table.getShort(at + 6) & 0xffff;
      if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
          || sectionIndex == SHN_UNDEF
          || sectionIndex >= SHN_LORESERVE
          || name <= 0
          || name >= nameLimit
          || table.getLong(at + 16) < 0) {
        continue;
      }
      long address = table.getLong(at + 8);
      long size = table.getLong(at + 16);
      long space = 0;
      if (size == 0 || type == STT_NOTYPE) {
        // Only an unstripped module's sections tell that this is code, and how far it can reach.
        SectionHeader section =
            symbols.full() && sectionIndex < symbols.sections().size()
                ? symbols.sections().get(sectionIndex)
                : null;
        if (section == null
            || !section.isExecutable()
            || (type == STT_NOTYPE && isMark(symbols.names(), name))) {
          continue;
        }
        space = section.address() + section.size() - address;
        if (space <= 0 || address < section.address()) {
          continue;
        }
      }
      add(address, size, name | tableBit, space, kind(type, binding));
    }
  }

  /** Local labels, and the marks between code and data ($x, $d) of AArch64. */
  private static boolean isMark(ByteBuffer names, int name) {
    byte first = names.get(name);
    return first == '$' || first == '.' || first == 0;
  }

  private static byte kind(int type, int binding) {
    int rank = binding == STB_LOCAL ? LOCAL_KIND : binding == STB_WEAK ? 1 : 0;
    return (byte) (type == STT_NOTYPE ? rank + NOTYPE_KIND : rank);
  }

  private void add(long address, long size, int name, long space, byte kind)
      throws ElfFormatException {
    if (count == MAX_SYMBOLS) {
      throw new ElfFormatException(Reason.TOO_LARGE, address);
    }
    if (count == addresses.length) {
      int capacity = count * 2;
      addresses = Arrays.copyOf(addresses, capacity);
      sizes = Arrays.copyOf(sizes, capacity);
      names = Arrays.copyOf(names, capacity);
      room = Arrays.copyOf(room, capacity);
      kinds = Arrays.copyOf(kinds, capacity);
    }
    addresses[count] = address;
    sizes[count] = (int) Math.min(size, MAX_SPAN);
    names[count] = name;
    room[count] = (int) Math.min(space, MAX_SPAN);
    kinds[count] = kind;
    count++;
  }

  private SymbolTable build() {
    long base = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      if (addresses[i] >= 0) {
        base = Math.min(base, addresses[i]);
      }
    }
    long[] order = new long[count];
    int ordered = 0;
    for (int i = 0; i < count; i++) {
      long relative = addresses[i] - base;
      if (addresses[i] >= 0 && relative < MAX_SPAN) {
        order[ordered++] = ((relative << 32) ^ Long.MIN_VALUE) | i;
      }
    }
    Arrays.sort(order, 0, ordered);
    int distinct = keepBestNames(order, ordered);
    return fill(base, order, distinct);
  }

  /** Leaves one symbol per address in {@code order}; returns how many. */
  private int keepBestNames(long[] order, int length) {
    int kept = 0;
    for (int i = 0; i < length; i++) {
      if (kept > 0 && order[kept - 1] >>> 32 == order[i] >>> 32) {
        if (isBetter((int) order[i], (int) order[kept - 1])) {
          order[kept - 1] = order[i];
        }
      } else {
        order[kept++] = order[i];
      }
    }
    return kept;
  }

  private SymbolTable fill(long base, long[] order, int length) {
    int[] starts = new int[length];
    int[] extents = new int[length];
    int[] nameOffsets = new int[length];
    int kept = 0;
    long sizedEnd = 0;
    for (int i = 0; i < length; i++) {
      int symbol = (int) order[i];
      long start = (order[i] ^ Long.MIN_VALUE) >>> 32;
      long size = sizes[symbol] & 0xffffffffL;
      if (isLabel(symbol)) {
        if (start < sizedEnd) {
          continue; // a place inside a function, not one of its own
        }
        if (size == 0) {
          long next = i + 1 < length ? (order[i + 1] ^ Long.MIN_VALUE) >>> 32 : MAX_SPAN;
          size = Math.min(room[symbol] & 0xffffffffL, next - start);
        }
      } else {
        sizedEnd = Math.max(sizedEnd, start + size);
      }
      starts[kept] = (int) start;
      extents[kept] = (int) Math.min(size, MAX_SPAN - start);
      nameOffsets[kept++] = copyName(symbol);
    }
    return new SymbolTable(
        base,
        Arrays.copyOf(starts, kept),
        Arrays.copyOf(extents, kept),
        Arrays.copyOf(nameOffsets, kept),
        ByteBuffer.wrap(Arrays.copyOf(keptNames, keptNamesLength)));
  }

  /** Keeps a name, with its NUL, out of a string table that is mostly of other symbols. */
  private int copyName(int symbol) {
    int length = nameLength(symbol);
    int at = keptNamesLength;
    if (keptNames.length - at <= length) {
      keptNames = Arrays.copyOf(keptNames, Math.max(keptNames.length * 2, at + length + 1));
    }
    nameTable(symbol).get(names[symbol] & Integer.MAX_VALUE, keptNames, at, length);
    keptNamesLength += length + 1;
    return at;
  }

  /** Whether the symbol says where code begins, but not reliably where it ends. */
  private boolean isLabel(int symbol) {
    return sizes[symbol] == 0 || kinds[symbol] >= NOTYPE_KIND;
  }

  /**
   * Which of two names of one address is shown: one with a size, one that is not local, the one
   * with fewer leading underscores ({@code malloc} rather than {@code __libc_malloc}), a global one
   * rather than a weak one, the shorter one.
   */
  private boolean isBetter(int symbol, int than) {
    int order = Boolean.compare(isLabel(symbol), isLabel(than));
    if (order == 0) {
      order = Boolean.compare(isLocal(symbol), isLocal(than));
    }
    if (order == 0) {
      order = underscores(symbol) - underscores(than);
    }
    if (order == 0) {
      order = kinds[symbol] - kinds[than];
    }
    if (order == 0) {
      order = nameLength(symbol) - nameLength(than);
    }
    return order < 0;
  }

  private boolean isLocal(int symbol) {
    return kinds[symbol] % NOTYPE_KIND == LOCAL_KIND;
  }

  /** Leading underscores; those of a mangled name are its mark and no sign of an alias. */
  private int underscores(int symbol) {
    ByteBuffer table = nameTable(symbol);
    int from = names[symbol] & Integer.MAX_VALUE;
    int at = from;
    while (at < table.limit() && table.get(at) == '_') {
      at++;
    }
    boolean mangled =
        at - from == 1 && at < table.limit() && (table.get(at) == 'Z' || table.get(at) == 'R');
    return mangled ? 0 : at - from;
  }

  private int nameLength(int symbol) {
    ByteBuffer table = nameTable(symbol);
    int from = names[symbol] & Integer.MAX_VALUE;
    int at = from;
    while (at < table.limit() && table.get(at) != 0) {
      at++;
    }
    return at - from;
  }

  private ByteBuffer nameTable(int symbol) {
    return nameTables[names[symbol] >>> 31];
  }
}
