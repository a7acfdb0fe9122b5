package stackweave.maps.symbols;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.elf.ElfHeaders;
import stackweave.maps.elf.ElfHeaders.SectionHeader;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.Strings;
import stackweave.unwind.TableMemory;

/**
 * Makes a {@link SymbolTable} of one or two ELF symbol tables: collects what names code, and puts
 * it into buckets by address; the rest is done in the buckets that are asked for. Passes over all
 * symbols work on arrays of ints: they run interpreted, where a buffer's get is 100 times as slow.
 *
 * <p>Source: System V gABI, "Symbol Table".
 */
public final class SymbolTableBuilder {
  private static final int SYMBOL_INTS = 6;
  private static final int STT_NOTYPE = 0;
  private static final int STT_FUNC = 2;
  private static final int STT_GNU_IFUNC = 10;
  private static final int STB_LOCAL = 0;
  private static final int STB_WEAK = 2;
  private static final int SHN_UNDEF = 0;
  private static final int SHN_LORESERVE = 0xff00;

  /** Limits the memory of a table and of building it. */
  private static final int MAX_SYMBOLS = 1 << 21;

  /** The same for the heap that is taken when a bucket is sorted, 32 bytes for each symbol. */
  private static final int MAX_IN_BUCKET = 1 << 15;

  /** What all names may have in common, in bytes: 128 for each symbol. */
  private static final int MAX_NAMES = 1 << 28;

  /** If each piece of so many bytes has the end of a name, no name is twice as long. */
  private static final int NAME_PIECE = 8 << 10;

  private static final int PAGE_SHIFT = 12;
  private static final int MAX_BUCKETS = 1 << 16;
  private static final int SYMBOLS_PER_BUCKET = 4;

  // What is collected of a symbol: its address, and the rest as SymbolBuckets has it.
  private static final int LOW = 0;
  private static final int HIGH = 1;
  private static final int SIZE = 2;
  private static final int NAME = 3;
  private static final int RECORD = 4;

  /** So many symbols are read, or collected, at once. */
  private static final int AT_ONCE = 512;

  /** So many symbols get their places at once. */
  private static final int PLACED_AT_ONCE = 32 << 10;

  private final TableMemory memory;
  private final IntBuffer collected;
  private final int[] fresh = new int[RECORD * AT_ONCE];
  private int freshLength;
  private int count;
  private long lowest = Long.MAX_VALUE;
  private long highest = -1;

  private SymbolTableBuilder(IntBuffer collected, TableMemory memory) {
    this.memory = memory;
    this.collected = collected;
  }

  /**
   * The function symbols of up to two tables, of which the first wins where both name an address
   * equally well. It goes on to read the tables' names, and not the tables.
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
    if (most == 0) {
      return SymbolTable.EMPTY;
    }
    int room = (int) Math.min(most, MAX_SYMBOLS);
    ByteBuffer collected = memory.allocate(Integer.BYTES * RECORD * room);
    try {
      SymbolTableBuilder builder =
          new SymbolTableBuilder(collected.order(ByteOrder.nativeOrder()).asIntBuffer(), memory);
      ByteBuffer[] names = new ByteBuffer[tables.size()];
      for (int i = 0; i < names.length; i++) {
        names[i] = tables.get(i).names();
        builder.collect(tables.get(i), i << SymbolBuckets.TABLE_BIT);
      }
      builder.flush();
      builder.checkNames(names);
      return builder.build(names);
    } finally {
      memory.release(collected);
    }
  }

  private void collect(Symbols symbols, int tableBit) throws ElfFormatException {
    ByteBuffer bytes = symbols.table();
    boolean little = bytes.order() == ByteOrder.LITTLE_ENDIAN;
    int low = little ? 0 : 1;
    int nameLimit = symbols.names().limit();
    if (nameLimit > 1 << SymbolBuckets.NAME_BITS) {
      throw new ElfFormatException(Reason.TOO_LARGE, 0);
    }
    int total = bytes.limit() / ElfHeaders.SYMBOL_SIZE;
    IntBuffer table =
        bytes.slice(0, total * ElfHeaders.SYMBOL_SIZE).order(bytes.order()).asIntBuffer();
    int[] read = new int[SYMBOL_INTS * AT_ONCE];
    for (int done = 1; done < total; done += AT_ONCE) {
      int end = SYMBOL_INTS * Math.min(AT_ONCE, total - done);
      table.get(SYMBOL_INTS * done, read, 0, end);
      for (int at = 0; at < end; at += SYMBOL_INTS) {
        int word = read[at + 1];
        int info = little ? word & 0xff : word >>> 24;
        int type = info & 15;
        if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) {
          continue;
        }
        int section = little ? word >>> 16 : word & 0xffff;
        int name = read[at];
        int sizeHigh = read[at + 5 - low];
        if (section == SHN_UNDEF
            || section >= SHN_LORESERVE
            || name <= 0
            || name >= nameLimit
            || sizeHigh < 0) {
          continue;
        }
        int size = sizeHigh != 0 ? -1 : read[at + 4 + low];
        if (size == 0 || type == STT_NOTYPE) {
          long address = read[at + 2 + low] & 0xffffffffL | (long) read[at + 3 - low] << 32;
          long space = space(symbols, section, address);
          if (space <= 0 || (type == STT_NOTYPE && isMark(symbols.names(), name))) {
            continue;
          }
          if (size == 0) {
            size = (int) Math.min(space, SymbolBuckets.MAX_SPAN);
            name |= SymbolBuckets.UNSIZED;
          }
        }
        int kind = kind(type, info >>> 4) << SymbolBuckets.NAME_BITS;
        add(read[at + 2 + low], read[at + 3 - low], size, name | kind | tableBit);
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
    int rank = binding == STB_LOCAL ? SymbolBuckets.LOCAL_KIND : binding == STB_WEAK ? 1 : 0;
    return type == STT_NOTYPE ? rank + SymbolBuckets.NOTYPE_KIND : rank;
  }

  private void add(int low, int high, int size, int name) throws ElfFormatException {
    int at = freshLength;
    fresh[at + LOW] = low;
    fresh[at + HIGH] = high;
    fresh[at + SIZE] = size;
    fresh[at + NAME] = name;
    freshLength = at + RECORD;
    if (freshLength == fresh.length) {
      flush();
    }
  }

  private void flush() throws ElfFormatException {
    int added = freshLength / RECORD;
    if (added > MAX_SYMBOLS - count) {
      throw new ElfFormatException(Reason.TOO_LARGE, 0);
    }
    long lowest = this.lowest;
    long highest = this.highest;
    for (int at = 0; at < freshLength; at += RECORD) {
      long address = fresh[at + LOW] & 0xffffffffL | (long) fresh[at + HIGH] << 32;
      if (address >= 0) {
        lowest = address < lowest ? address : lowest;
        highest = address > highest ? address : highest;
      }
    }
    this.lowest = lowest;
    this.highest = highest;
    collected.put(RECORD * count, fresh, 0, freshLength);
    count += added;
    freshLength = 0;
  }

  /**
   * Refuses tables whose symbols share long texts, each beginning elsewhere in it: a name each,
   * they would fill the heap. Mostly it is enough to see that no text is long.
   */
  private void checkNames(ByteBuffer[] names) throws ElfFormatException {
    boolean longNames = false;
    for (ByteBuffer table : names) {
      for (int at = 0; at <= table.limit() - NAME_PIECE && !longNames; at += NAME_PIECE) {
        longNames = Strings.length(table, at) >= NAME_PIECE;
      }
    }
    if (!longNames) {
      return;
    }
    int sum = 0;
    for (int i = 0; i < count; i++) {
      int name = collected.get(RECORD * i + NAME);
      int offset = name & (1 << SymbolBuckets.NAME_BITS) - 1;
      int bytes = Strings.length(names[name >>> SymbolBuckets.TABLE_BIT & 1], offset) + 1;
      if (bytes > MAX_NAMES - sum) {
        throw new ElfFormatException(Reason.TOO_LARGE, offset);
      }
      sum += bytes;
    }
  }

  private SymbolTable build(ByteBuffer[] names) throws ElfFormatException {
    if (highest < 0) {
      return SymbolTable.EMPTY;
    }
    long span = Math.min(highest - lowest, SymbolBuckets.MAX_SPAN - 1);
    int most = Math.min(MAX_BUCKETS, Math.max(16, count / SYMBOLS_PER_BUCKET));
    int shift = PAGE_SHIFT;
    while (span >>> shift >= most) {
      shift++;
    }
    int buckets = (int) (span >>> shift) + 1;
    int[] firsts = new int[buckets + 1];
    int[] reaches = new int[buckets];
    int placed = count(shift, firsts, reaches);
    IntBuffer table = ints(SymbolBuckets.ints(buckets, placed));
    table.put(0, firsts);
    table.put(SymbolBuckets.reaches(buckets), reaches);
    place(shift, firsts, reaches, table, SymbolBuckets.symbols(buckets));
    return new SymbolTable(new SymbolBuckets(lowest, shift, buckets, table, names));
  }

  private IntBuffer ints(int length) {
    return memory.allocate(length * Integer.BYTES).order(ByteOrder.nativeOrder()).asIntBuffer();
  }

  /**
   * Says where each bucket begins, and how far what begins in it or before reaches.
   *
   * @return how many symbols there are, without those too far away
   */
  private int count(int shift, int[] firsts, int[] reaches) throws ElfFormatException {
    int[] read = new int[RECORD * AT_ONCE];
    for (int done = 0; done < count; done += AT_ONCE) {
      int end = RECORD * Math.min(AT_ONCE, count - done);
      collected.get(RECORD * done, read, 0, end);
      for (int at = 0; at < end; at += RECORD) {
        long start = (read[at + LOW] & 0xffffffffL | (long) read[at + HIGH] << 32) - lowest;
        if (start < 0 || start >= SymbolBuckets.MAX_SPAN) {
          continue; // an address below 0, or too far away
        }
        int bucket = (int) (start >>> shift);
        firsts[bucket + 1]++;
        if (read[at + NAME] >= 0) {
          long reach = start + (read[at + SIZE] & 0xffffffffL);
          if (reach > (reaches[bucket] & 0xffffffffL)) {
            reaches[bucket] = (int) (reach < SymbolBuckets.MAX_SPAN ? reach : -1);
          }
        }
      }
    }
    for (int i = 0; i < reaches.length; i++) {
      if (firsts[i + 1] > MAX_IN_BUCKET) {
        throw new ElfFormatException(Reason.TOO_LARGE, lowest + ((long) i << shift));
      }
      firsts[i + 1] += firsts[i];
      if (i > 0 && Integer.compareUnsigned(reaches[i], reaches[i - 1]) < 0) {
        reaches[i] = reaches[i - 1];
      }
    }
    return firsts[reaches.length];
  }

  /**
   * Writes the symbols to their places, which are all over the table: a part of it after the other,
   * each on the heap first.
   *
   * @param next room for where the next symbol of each bucket goes
   */
  private void place(int shift, int[] firsts, int[] next, IntBuffer table, int tableStart) {
    int total = firsts[next.length];
    int[] part = new int[SymbolBuckets.SYMBOL * Math.min(total, PLACED_AT_ONCE)];
    int[] read = new int[RECORD * AT_ONCE];
    for (int from = 0; from < total; from += PLACED_AT_ONCE) {
      int length = Math.min(PLACED_AT_ONCE, total - from);
      System.arraycopy(firsts, 0, next, 0, next.length);
      for (int done = 0; done < count; done += AT_ONCE) {
        int end = RECORD * Math.min(AT_ONCE, count - done);
        collected.get(RECORD * done, read, 0, end);
        for (int at = 0; at < end; at += RECORD) {
          long start = (read[at + LOW] & 0xffffffffL | (long) read[at + HIGH] << 32) - lowest;
          if (start < 0 || start >= SymbolBuckets.MAX_SPAN) {
            continue;
          }
          int bucket = (int) (start >>> shift);
          int place = next[bucket]++ - from;
          if (place >= 0 && place < length) {
            int to = SymbolBuckets.SYMBOL * place;
            part[to + SymbolBuckets.START] = (int) start;
            part[to + SymbolBuckets.SIZE] = read[at + SIZE];
            part[to + SymbolBuckets.NAME] = read[at + NAME];
          }
        }
      }
      table.put(tableStart + SymbolBuckets.SYMBOL * from, part, 0, SymbolBuckets.SYMBOL * length);
    }
  }
}
