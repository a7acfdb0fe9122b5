package stackweave.maps.symbols;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.List;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.elf.ElfHeaders;
import stackweave.maps.elf.ElfHeaders.SectionHeader;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.Strings;
import stackweave.unwind.HeapShare;
import stackweave.unwind.TableMemory;

/**
 * Makes a {@link SymbolTable} of one or two ELF symbol tables: collects what names code, sorts it,
 * keeps one name for each address, and drops labels inside functions. The pass over all symbols
 * works on an array: it runs interpreted, where a buffer's get is 100 times as slow.
 *
 * <p>Source: System V gABI, "Symbol Table". Not thread-safe.
 */
public final class SymbolTableBuilder {
  private static final int STT_NOTYPE = 0;
  private static final int STT_FUNC = 2;
  private static final int STT_GNU_IFUNC = 10;
  private static final int STB_LOCAL = 0;
  private static final int STB_WEAK = 2;
  private static final int SHN_UNDEF = 0;
  private static final int SHN_LORESERVE = 0xff00;

  /** Limits the heap that is taken for sorting, 8 bytes for each symbol. */
  private static final int MAX_SYMBOLS = HeapShare.of(1 << 21);

  /** The most bytes of all names together. */
  private static final int MAX_NAMES = 1 << 28;

  /** If each piece of so many bytes has the end of a name, no name is twice as long. */
  private static final int NAME_PIECE = 8 << 10;

  private static final int COMPARED_LENGTH = 512;

  /** Longs of a symbol in the file: its name, kind and section; its address; its size. */
  private static final int SYMBOL_LONGS = 3;

  /** Symbols that are read at once. */
  private static final int AT_ONCE = 512;

  /** Kinds, lower is better: global 0, weak 1, local 2, and the same from 4 on for NOTYPE. */
  private static final int LOCAL_KIND = 2;

  private static final int NOTYPE_KIND = 4;

  private final ByteBuffer[] names;

  /** Of each symbol its address; then its size above its word, which {@link SymbolTable} has. */
  private final LongBuffer collected;

  private int count;
  private long lowest = Long.MAX_VALUE;

  private SymbolTableBuilder(ByteBuffer[] names, LongBuffer collected) {
    this.names = names;
    this.collected = collected;
  }

  /**
   * The function symbols of up to two tables, of which the first wins where both name an address
   * equally well. The result goes on to read the tables' names, and not the tables.
   *
   * @param memory for the result and intermediate data
   * @throws ElfFormatException if there are more than {@link #MAX_SYMBOLS}, or names are too long
   */
  public static SymbolTable build(List<Symbols> tables, TableMemory memory)
      throws ElfFormatException {
    long most = 0;
    for (Symbols table : tables) {
      most += table.table().limit() / ElfHeaders.SYMBOL_SIZE;
    }
    ByteBuffer collected = memory.allocate((int) Math.min(most, MAX_SYMBOLS) * 2 * Long.BYTES);
    try {
      SymbolTableBuilder builder =
          new SymbolTableBuilder(
              tables.stream().map(Symbols::names).toArray(ByteBuffer[]::new),
              collected.order(ByteOrder.nativeOrder()).asLongBuffer());
      for (int i = 0; i < tables.size(); i++) {
        builder.collect(tables.get(i), i << SymbolTable.TABLE_BIT);
      }
      builder.checkNames();
      return builder.build(memory);
    } finally {
      memory.release(collected);
    }
  }

  private void collect(Symbols symbols, int tableBit) throws ElfFormatException {
    ByteBuffer bytes = symbols.table();
    boolean little = bytes.order() == ByteOrder.LITTLE_ENDIAN;
    int nameLimit = symbols.names().limit();
    if (nameLimit > 1 << SymbolTable.NAME_BITS) {
      throw new ElfFormatException(Reason.TOO_LARGE, 0);
    }
    int total = bytes.limit() / ElfHeaders.SYMBOL_SIZE;
    LongBuffer table =
        bytes.slice(0, total * ElfHeaders.SYMBOL_SIZE).order(bytes.order()).asLongBuffer();
    long[] read = new long[SYMBOL_LONGS * AT_ONCE];
    for (int done = 1; done < total; done += AT_ONCE) {
      int end = SYMBOL_LONGS * Math.min(AT_ONCE, total - done);
      table.get(SYMBOL_LONGS * done, read, 0, end);
      for (int at = 0; at < end; at += SYMBOL_LONGS) {
        long head = read[at];
        int info = (int) (little ? head >>> 32 : head >>> 24) & 0xff;
        int type = info & 15;
        if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) {
          continue;
        }
        int section = (int) (little ? head >>> 48 : head & 0xffff);
        int name = (int) (little ? head : head >>> 32);
        long address = read[at + 1];
        long size = read[at + 2];
        if (section == SHN_UNDEF
            || section >= SHN_LORESERVE
            || name <= 0
            || name >= nameLimit
            || size < 0) {
          continue;
        }
        if (size == 0 || type == STT_NOTYPE) {
          long space = space(symbols, section, address);
          if (space <= 0 || (type == STT_NOTYPE && isMark(symbols.names(), name))) {
            continue;
          }
          if (size == 0) {
            size = space;
            name |= SymbolTable.UNSIZED;
          }
        }
        add(address, size, name | kind(type, info >>> 4) << SymbolTable.NAME_BITS | tableBit);
      }
    }
  }

  /**
   * How far code can reach from an address, for symbols that do not say it: only an unstripped
   * module's sections tell that it is code at all. 0 if they do not.
   */
  private static long space(Symbols symbols, int sectionIndex, long address) {
    if (!symbols.full() || sectionIndex >= symbols.sections().size()) {
      return 0;
    }
    SectionHeader section = symbols.sections().get(sectionIndex);
    return section.isExecutable() && address >= section.address()
        ? section.address() + section.size() - address
        : 0;
  }

  /** Local labels, and the marks between code and data ($x, $d) of AArch64. */
  private static boolean isMark(ByteBuffer names, int name) {
    byte first = names.get(name);
    return first == '$' || first == '.' || first == 0;
  }

  private static int kind(int type, int binding) {
    int rank = binding == STB_LOCAL ? LOCAL_KIND : binding == STB_WEAK ? 1 : 0;
    return type == STT_NOTYPE ? rank + NOTYPE_KIND : rank;
  }

  private void add(long address, long size, int word) throws ElfFormatException {
    if (address < 0) {
      return;
    }
    if (count == MAX_SYMBOLS) {
      throw new ElfFormatException(Reason.TOO_LARGE, address);
    }
    lowest = Math.min(lowest, address);
    collected.put(2 * count, address);
    collected.put(
        2 * count + 1, Math.min(size, SymbolTable.MAX_SPAN) << 32 | Integer.toUnsignedLong(word));
    count++;
  }

  /**
   * Refuses tables whose symbols share long texts, each with another part of one: as names of their
   * own these would fill the heap. Usually it is enough to see that no text is long.
   */
  private void checkNames() throws ElfFormatException {
    boolean longNames = false;
    for (ByteBuffer table : names) {
      for (int at = 0; at <= table.limit() - NAME_PIECE && !longNames; at += NAME_PIECE) {
        longNames = Strings.length(table, at) >= NAME_PIECE;
      }
    }
    int sum = 0;
    for (int i = 0; longNames && i < count; i++) {
      int bytes = nameLength(word(i)) + 1;
      if (bytes > MAX_NAMES - sum) {
        throw new ElfFormatException(Reason.TOO_LARGE, SymbolTable.offset(word(i)));
      }
      sum += bytes;
    }
  }

  private SymbolTable build(TableMemory memory) {
    long[] order = new long[count];
    int length = 0;
    for (int i = 0; i < count; i++) {
      long start = collected.get(2 * i) - lowest;
      if (start < SymbolTable.MAX_SPAN) {
        // The highest bit is inverted, so that signed comparison sorts.
        order[length++] = start << 32 ^ Long.MIN_VALUE | i;
      }
    }
    Arrays.sort(order, 0, length);
    int distinct = keepBestNames(order, length);
    int[] symbol = new int[SymbolTable.SYMBOL];
    IntBuffer symbols =
        memory
            .allocate(distinct * SymbolTable.SYMBOL * Integer.BYTES)
            .order(ByteOrder.nativeOrder())
            .asIntBuffer();
    long functionEnd = 0;
    long reach = 0;
    for (int i = 0; i < distinct; i++) {
      long start = start(order[i]);
      int word = word((int) order[i]);
      long limit = SymbolTable.MAX_SPAN;
      if (isLabel(word) && start < functionEnd) {
        continue; // a place inside of a function, and not one of its own
      }
      if (word < 0 && i + 1 < distinct) {
        limit = start(order[i + 1]);
      }
      long end = Math.min(start + (collected.get(2 * (int) order[i] + 1) >>> 32), limit);
      functionEnd = isLabel(word) ? functionEnd : Math.max(functionEnd, end);
      reach = Math.max(reach, end);
      symbol[0] = (int) start;
      symbol[1] = (int) (end - start);
      symbol[2] = (int) reach;
      symbol[3] = word;
      symbols.put(symbol);
    }
    return new SymbolTable(lowest, symbols.flip(), names);
  }

  /** Leaves the symbol with the best name of each address; returns how many there are. */
  private int keepBestNames(long[] order, int length) {
    int kept = 0;
    for (int i = 0; i < length; i++) {
      if (kept == 0 || start(order[kept - 1]) != start(order[i])) {
        order[kept++] = order[i];
      } else if (isBetter(word((int) order[i]), word((int) order[kept - 1]))) {
        order[kept - 1] = order[i];
      }
    }
    return kept;
  }

  private static long start(long ordered) {
    return (ordered ^ Long.MIN_VALUE) >>> 32;
  }

  private int word(int symbol) {
    return (int) collected.get(2 * symbol + 1);
  }

  private static int kind(int word) {
    return word >>> SymbolTable.NAME_BITS & 7;
  }

  /** Whether the symbol says where code begins, but not reliably where it ends. */
  private static boolean isLabel(int word) {
    return word < 0 || kind(word) >= NOTYPE_KIND;
  }

  /**
   * Which of two names of one address is shown: one with a size, one that is not local, the one
   * with fewer leading underscores ({@code malloc} rather than {@code __libc_malloc}), a global one
   * rather than a weak one, the shorter one.
   */
  private boolean isBetter(int word, int than) {
    int order = Boolean.compare(isLabel(word), isLabel(than));
    if (order == 0) {
      order = Boolean.compare(isLocal(word), isLocal(than));
    }
    if (order == 0) {
      order = underscores(word) - underscores(than);
    }
    if (order == 0) {
      order = kind(word) - kind(than);
    }
    if (order == 0) {
      order = comparedLength(word) - comparedLength(than);
    }
    return order < 0;
  }

  private static boolean isLocal(int word) {
    return kind(word) % NOTYPE_KIND == LOCAL_KIND;
  }

  /** Of a long name enough to compare: two million symbols may be at one address. */
  private int comparedLength(int word) {
    return Strings.length(
        names[SymbolTable.table(word)], SymbolTable.offset(word), COMPARED_LENGTH);
  }

  private int nameLength(int word) {
    return Strings.length(names[SymbolTable.table(word)], SymbolTable.offset(word));
  }

  /** Leading underscores; those of a mangled name are its mark and no sign of an alias. */
  private int underscores(int word) {
    ByteBuffer strings = names[SymbolTable.table(word)];
    int from = SymbolTable.offset(word);
    int at = from;
    while (at < strings.limit() && strings.get(at) == '_') {
      at++;
    }
    boolean mangled =
        at - from == 1
            && at < strings.limit()
            && (strings.get(at) == 'Z' || strings.get(at) == 'R');
    return mangled ? 0 : at - from;
  }
}
