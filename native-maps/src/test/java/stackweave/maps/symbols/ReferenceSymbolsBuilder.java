package stackweave.maps.symbols;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.List;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.elf.ElfHeaders.SectionHeader;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.unwind.TableMemory;

/**
 * Makes {@link ReferenceSymbols} of one or two ELF symbol tables, all at once: what {@link
 * SymbolTableBuilder} must agree with.
 *
 * <p>Source: System V gABI, "Symbol Table".
 */
final class ReferenceSymbolsBuilder {
  private static final int SYMBOL_SIZE = 24;
  private static final int STT_NOTYPE = 0;
  private static final int STT_FUNC = 2;
  private static final int STT_GNU_IFUNC = 10;
  private static final int STB_LOCAL = 0;
  private static final int STB_WEAK = 2;
  private static final int SHN_UNDEF = 0;
  private static final int SHN_LORESERVE = 0xff00;

  /** Bounds the memory that a table takes, built or while it is built. */
  private static final int MAX_SYMBOLS = 1 << 21;

  /** The same for names, in bytes: 128 for each symbol. */
  private static final int MAX_NAMES = 1 << 28;

  /** Addresses are kept as unsigned 32-bit distances; code is never spread further. */
  private static final long MAX_SPAN = 0xffffffffL;

  /** Kinds, lower is better: global 0, weak 1, local 2, and the same from 4 on for NOTYPE. */
  private static final int LOCAL_KIND = 2;

  private static final int NOTYPE_KIND = 4;

  // What is collected of a symbol: address, size, name, kind, and where its section ends, relative
  // to the symbol; the latter only for symbols that have no size.
  private static final int ADDRESS = 0;
  private static final int SIZE = 8;
  private static final int NAME = 12;
  private static final int ROOM = 16;
  private static final int KIND = 20;
  private static final int RECORD = 24;

  /** So many are sorted on the heap at once, before they are merged elsewhere. */
  private static final int SORTED_AT_ONCE = 8 << 10;

  private final TableMemory memory;
  private final ByteBuffer[] nameTables;
  private final ByteBuffer symbols;
  private int count;
  private ByteBuffer keptNames;
  private int keptNamesLength;

  /**
   * @param most how many symbols there may be
   */
  private ReferenceSymbolsBuilder(int tables, int most, TableMemory memory) {
    this.memory = memory;
    nameTables = new ByteBuffer[tables];
    symbols = memory.allocate(most * RECORD).order(ByteOrder.nativeOrder());
  }

  /**
   * The function symbols of up to two tables, of which the first wins where both name an address
   * equally well.
   *
   * @param memory where the result lies, and what is collected meanwhile
   * @throws ElfFormatException if there are more than is sensible to keep
   */
  static ReferenceSymbols build(List<Symbols> tables, TableMemory memory)
      throws ElfFormatException {
    long most = 0;
    for (Symbols table : tables) {
      most += table.table().limit() / SYMBOL_SIZE;
    }
    if (most == 0) {
      return ReferenceSymbols.EMPTY;
    }
    ReferenceSymbolsBuilder builder =
        new ReferenceSymbolsBuilder(tables.size(), (int) Math.min(most, MAX_SYMBOLS), memory);
    try {
      for (int i = 0; i < tables.size(); i++) {
        builder.nameTables[i] = tables.get(i).names();
        builder.collect(tables.get(i), i << 31);
      }
      return builder.build();
    } finally {
      memory.release(builder.symbols);
    }
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
    int at = count * RECORD;
    symbols.putLong(at + ADDRESS, address);
    symbols.putInt(at + SIZE, (int) Math.min(size, MAX_SPAN));
    symbols.putInt(at + NAME, name);
    symbols.putInt(at + ROOM, (int) Math.min(space, MAX_SPAN));
    symbols.put(at + KIND, kind);
    count++;
  }

  private long address(int symbol) {
    return symbols.getLong(symbol * RECORD + ADDRESS);
  }

  private int size(int symbol) {
    return symbols.getInt(symbol * RECORD + SIZE);
  }

  private int name(int symbol) {
    return symbols.getInt(symbol * RECORD + NAME);
  }

  private byte kind(int symbol) {
    return symbols.get(symbol * RECORD + KIND);
  }

  private ReferenceSymbols build() throws ElfFormatException {
    long base = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      if (address(i) >= 0) {
        base = Math.min(base, address(i));
      }
    }
    ByteBuffer one = longs(count);
    ByteBuffer other = null;
    try {
      LongBuffer order = one.asLongBuffer();
      int ordered = 0;
      for (int i = 0; i < count; i++) {
        long relative = address(i) - base;
        if (address(i) >= 0 && relative < MAX_SPAN) {
          order.put(ordered++, ((relative << 32) ^ Long.MIN_VALUE) | i);
        }
      }
      other = longs(ordered > SORTED_AT_ONCE ? ordered : 0);
      LongBuffer sorted = sort(order, other.asLongBuffer(), ordered);
      int distinct = keepBestNames(sorted, ordered);
      return fill(base, sorted, distinct);
    } finally {
      memory.release(one);
      memory.release(other);
    }
  }

  private ByteBuffer longs(int length) {
    return memory.allocate(length * Long.BYTES).order(ByteOrder.nativeOrder());
  }

  private IntBuffer ints(int length) {
    return memory.allocate(length * Integer.BYTES).order(ByteOrder.nativeOrder()).asIntBuffer();
  }

  /** Sorts runs on the heap, then merges them to and fro; returns where the result is. */
  private static LongBuffer sort(LongBuffer order, LongBuffer spare, int length) {
    long[] run = new long[Math.min(length, SORTED_AT_ONCE)];
    for (int from = 0; from < length; from += run.length) {
      int size = Math.min(run.length, length - from);
      order.get(from, run, 0, size);
      Arrays.sort(run, 0, size);
      order.put(from, run, 0, size);
    }
    LongBuffer source = order;
    LongBuffer target = spare;
    for (int width = SORTED_AT_ONCE; width < length; width *= 2) {
      for (int from = 0; from < length; from += 2 * width) {
        int middle = Math.min(from + width, length);
        merge(source, target, from, middle, Math.min(middle + width, length));
      }
      LongBuffer last = source;
      source = target;
      target = last;
    }
    return source;
  }

  private static void merge(LongBuffer source, LongBuffer target, int from, int middle, int to) {
    int left = from;
    int right = middle;
    for (int i = from; i < to; i++) {
      boolean takeLeft = right == to || (left < middle && source.get(left) <= source.get(right));
      target.put(i, source.get(takeLeft ? left++ : right++));
    }
  }

  /** Leaves one symbol per address in {@code order}; returns how many. */
  private int keepBestNames(LongBuffer order, int length) {
    int kept = 0;
    for (int i = 0; i < length; i++) {
      long next = order.get(i);
      if (kept > 0 && order.get(kept - 1) >>> 32 == next >>> 32) {
        if (isBetter((int) next, (int) order.get(kept - 1))) {
          order.put(kept - 1, next);
        }
      } else {
        order.put(kept++, next);
      }
    }
    return kept;
  }

  private ReferenceSymbols fill(long base, LongBuffer order, int length) throws ElfFormatException {
    int namesLength = namesLength(order, length);
    IntBuffer starts = ints(length);
    IntBuffer extents = ints(length);
    IntBuffer nameOffsets = ints(length);
    keptNames = memory.allocate(namesLength);
    int kept = 0;
    long sizedEnd = 0;
    for (int i = 0; i < length; i++) {
      int symbol = (int) order.get(i);
      long start = (order.get(i) ^ Long.MIN_VALUE) >>> 32;
      long size = size(symbol) & 0xffffffffL;
      if (isLabel(symbol)) {
        if (start < sizedEnd) {
          continue; // a place inside a function, not one of its own
        }
        if (size == 0) {
          long next = i + 1 < length ? (order.get(i + 1) ^ Long.MIN_VALUE) >>> 32 : MAX_SPAN;
          size = Math.min(room(symbol) & 0xffffffffL, next - start);
        }
      } else {
        sizedEnd = Math.max(sizedEnd, start + size);
      }
      starts.put(kept, (int) start);
      extents.put(kept, (int) Math.min(size, MAX_SPAN - start));
      int unsized = size(symbol) == 0 ? ReferenceSymbols.UNSIZED : 0;
      nameOffsets.put(kept++, copyName(symbol) | unsized);
    }
    starts.limit(kept);
    return new ReferenceSymbols(
        base, starts, extents, nameOffsets, reach(starts, extents, kept), keptNames);
  }

  /** Names may share one text, each beginning elsewhere in it: they are copied for each. */
  private int namesLength(LongBuffer order, int length) throws ElfFormatException {
    int sum = 0;
    for (int i = 0; i < length; i++) {
      int symbol = (int) order.get(i);
      int bytes = nameLength(symbol) + 1;
      if (bytes > MAX_NAMES - sum) {
        throw new ElfFormatException(Reason.TOO_LARGE, address(symbol));
      }
      sum += bytes;
    }
    return sum;
  }

  /** The highest end among each symbol and all before it; null where no symbol lies in another. */
  private IntBuffer reach(IntBuffer starts, IntBuffer sizes, int length) {
    boolean nested = false;
    long highest = 0;
    for (int i = 0; i < length && !nested; i++) {
      long start = starts.get(i) & 0xffffffffL;
      nested = start < highest;
      highest = Math.max(highest, start + (sizes.get(i) & 0xffffffffL));
    }
    if (!nested) {
      return null;
    }
    IntBuffer reach = ints(length);
    highest = 0;
    for (int i = 0; i < length; i++) {
      highest = Math.max(highest, (starts.get(i) & 0xffffffffL) + (sizes.get(i) & 0xffffffffL));
      reach.put(i, (int) highest);
    }
    return reach;
  }

  private int room(int symbol) {
    return symbols.getInt(symbol * RECORD + ROOM);
  }

  /** Keeps a name, with its NUL, out of a string table that is mostly of other symbols. */
  private int copyName(int symbol) {
    int length = nameLength(symbol);
    int at = keptNamesLength;
    keptNames.put(at, nameTable(symbol), name(symbol) & Integer.MAX_VALUE, length);
    keptNamesLength += length + 1;
    return at;
  }

  /** Whether the symbol says where code begins, but not reliably where it ends. */
  private boolean isLabel(int symbol) {
    return size(symbol) == 0 || kind(symbol) >= NOTYPE_KIND;
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
      order = kind(symbol) - kind(than);
    }
    if (order == 0) {
      order = nameLength(symbol) - nameLength(than);
    }
    return order < 0;
  }

  private boolean isLocal(int symbol) {
    return kind(symbol) % NOTYPE_KIND == LOCAL_KIND;
  }

  /** Leading underscores; those of a mangled name are its mark and no sign of an alias. */
  private int underscores(int symbol) {
    ByteBuffer table = nameTable(symbol);
    int from = name(symbol) & Integer.MAX_VALUE;
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
    int from = name(symbol) & Integer.MAX_VALUE;
    int at = from;
    while (at < table.limit() && table.get(at) != 0) {
      at++;
    }
    return at - from;
  }

  private ByteBuffer nameTable(int symbol) {
    return nameTables[name(symbol) >>> 31];
  }
}
