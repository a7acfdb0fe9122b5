package stackweave.unwind.sframe.writer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import stackweave.unwind.cfi.CallFrameTable;
import stackweave.unwind.rule.RowCache;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.SortedIndex;
import stackweave.unwind.sframe.SFrameElement;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/**
 * Writes rules as an SFrame section, version 3 or 2: functions are added in any order, sorted by
 * address, each in its smallest encoding; rows that SFrame can't tell apart are merged. Not
 * thread-safe.
 *
 * <p>What has no row is left out, not guessed: such a range of a function has no FDE. PLT code
 * becomes a function of its own with rows for each block (PCTYPE_MASK), a kernel signal frame a
 * function without rows.
 */
public final class SFrameWriter {
  private static final int MAX_ROWS_V3 = 0xffff;
  private static final int FLAGS = SFrameElement.FLAG_SORTED | SFrameElement.FLAG_START_PCREL;
  private static final int PC_TYPE_MASK = 0x10;
  private static final int SIGNAL = 0x80;
  private static final int FDE_TYPE_FLEX = 1;

  /** What a rule can be: each run of rows of one sort is a function of its own. */
  private enum Sort {
    ROWS,
    SIGNAL_ROWS,
    KERNEL_SIGNAL,
    BLOCK,
    NOTHING
  }

  private final RuleTable rules;
  private final int version;
  private final ByteOrder order;
  private final SFrameRowEncoder encoder;

  // Functions as added: 5 ints each besides the start, see Column.
  private long[] starts = new long[256];
  private int[] columns = new int[256 * COLUMNS];
  private int functionCount;

  private static final int SIZE = 0;
  private static final int ROWS_OFFSET = 1;
  private static final int ROW_COUNT = 2;
  private static final int INFO = 3; // info, info2 << 8, block size << 16
  private static final int COLUMNS = 4;

  private ByteBuffer rows;
  private int totalRows;
  private Unsupported refused;

  // The row written last, to leave out equal ones.
  private final int[] lastWords = new int[6];
  private int lastInfo;

  /**
   * @param version 3, or 2 (with errata 1 and 2)
   * @param order byte order of the target
   */
  public SFrameWriter(RuleTable rules, int version, ByteOrder order) {
    if (version != 2 && version != 3) {
      throw new IllegalArgumentException("version " + version);
    }
    this.rules = rules;
    this.version = version;
    this.order = order;
    this.encoder = new SFrameRowEncoder(rules, version);
    this.rows = ByteBuffer.allocate(1 << 16).order(order);
  }

  /**
   * All functions of a module's .eh_frame (or .debug_frame) as a section.
   *
   * @param address where the section will be loaded
   */
  public static SFrameConversion convert(
      UnwindSections sections, int version, ByteOrder order, long address) {
    RuleTable rules = new RuleTable(sections.architecture());
    UnwindTable table =
        UnwindTables.open(
            new UnwindSections(
                null,
                sections.ehFrameHdr(),
                sections.ehFrame(),
                sections.debugFrame(),
                sections.architecture()),
            rules);
    SFrameWriter writer = new SFrameWriter(rules, version, order);
    int[] refusals = new int[Unsupported.values().length];
    BitSet distinct = new BitSet();
    int rows = 0;
    if (table instanceof CallFrameTable frames) {
      int[] offsets = new int[64];
      int[] ruleIds = new int[64];
      for (int i = 0; i < frames.functionCount(); i++) {
        RowCache cache = frames.rowsOf(i);
        int count = cache.rowCount(i);
        if (count > offsets.length) {
          offsets = new int[count];
          ruleIds = new int[count];
        }
        for (int row = 0; row < count; row++) {
          offsets[row] = (int) cache.offset(i, row);
          ruleIds[row] = cache.rule(i, row);
          distinct.set(ruleIds[row]);
        }
        rows += count;
        Unsupported reason = writer.add(frames.start(i), cache.size(i), offsets, ruleIds, count);
        if (reason != null) {
          refusals[reason.ordinal()]++;
        }
      }
    }
    return new SFrameConversion(
        writer.write(address),
        table.functionCount(),
        writer.rowCount(),
        rows,
        distinct.cardinality(),
        refusals);
  }

  /**
   * Adds a function.
   *
   * @param start its address
   * @param size its size in bytes, below 2^32
   * @param offsets where its rows begin, in bytes from the start, ascending, unsigned
   * @param ruleIds the rule of each row, by the table given at construction
   * @param count how many rows
   * @return null if all of it could be written, else why a part is missing
   */
  public Unsupported add(long start, long size, int[] offsets, int[] ruleIds, int count) {
    refused = null;
    int from = 0;
    while (from < count) {
      Sort sort = sort(ruleIds[from]);
      int to = from + 1;
      while (to < count && isSameRun(sort, ruleIds[from], ruleIds[to], to - from)) {
        to++;
      }
      long begin = offsets[from] & 0xffff_ffffL;
      long end = to < count ? offsets[to] & 0xffff_ffffL : size;
      if (end > begin) {
        run(sort, start + begin, end - begin, offsets, ruleIds, from, to);
      }
      from = to;
    }
    return refused;
  }

  private boolean isSameRun(Sort sort, int first, int rule, int length) {
    return sort(rule) == sort
        && (sort != Sort.BLOCK || rule == first)
        && (version == 2 || length < MAX_ROWS_V3);
  }

  private Sort sort(int rule) {
    return switch (rules.kind(rule)) {
      case RuleTable.SIGNAL_FRAME -> version == 3 ? Sort.KERNEL_SIGNAL : Sort.NOTHING;
      case RuleTable.BLOCK -> Sort.BLOCK;
      case RuleTable.UNSUPPORTED -> Sort.NOTHING;
      default -> {
        boolean expressible = encoder.encode(rule, false) || encoder.encode(rule, true);
        boolean signal = (rules.flags(rule) & RuleTable.FLAG_SIGNAL) != 0;
        if (!expressible || (signal && version < 3)) {
          yield Sort.NOTHING;
        }
        yield signal ? Sort.SIGNAL_ROWS : Sort.ROWS;
      }
    };
  }

  private void run(
      Sort sort, long start, long size, int[] offsets, int[] ruleIds, int from, int to) {
    switch (sort) {
      case ROWS, SIGNAL_ROWS -> rows(sort, start, size, offsets, ruleIds, from, to);
      case KERNEL_SIGNAL -> function(start, size, rows.position(), 0, SIGNAL, 0, 0);
      case BLOCK -> block(start, size, ruleIds[from]);
      case NOTHING -> {
        Unsupported reason = rules.unsupported(ruleIds[from]);
        refuse(reason == null ? whyNoRow(ruleIds[from]) : reason);
      }
    }
  }

  /** SFrame has one load for the CFA and nothing behind it (section 3 of version 3). */
  private Unsupported whyNoRow(int rule) {
    boolean added = rules.kind(rule) == RuleTable.FRAME && rules.cfaAdd(rule) != 0;
    return added ? Unsupported.SFRAME_CFA : Unsupported.SFRAME_ROW;
  }

  private void rows(
      Sort sort, long start, long size, int[] offsets, int[] ruleIds, int from, int to) {
    boolean flex = false;
    for (int i = from; i < to && !flex; i++) {
      flex = !encoder.encode(ruleIds[i], false);
    }
    long base = offsets[from] & 0xffff_ffffL;
    int rowType = rowType((offsets[to - 1] & 0xffff_ffffL) - base);
    int rowsOffset = beginRows();
    int count = 0;
    for (int i = from; i < to; i++) {
      encoder.encode(ruleIds[i], flex);
      if (count == 0 || !isLast()) {
        row((offsets[i] & 0xffff_ffffL) - base, rowType);
        count++;
      }
    }
    int info = rowType | (sort == Sort.SIGNAL_ROWS ? SIGNAL : 0);
    function(start, size, rowsOffset, count, info, flex ? FDE_TYPE_FLEX : 0, 0);
  }

  private void block(long start, long size, int rule) {
    int blockSize = rules.blockMask(rule) + 1;
    int below = rules.ruleBelow(rule);
    int above = rules.ruleFrom(rule);
    // Rules of blocks count from aligned addresses, rows from the function's start.
    if ((start & (blockSize - 1)) != 0
        || !encoder.encode(below, false)
        || !encoder.encode(above, false)) {
      refuse(Unsupported.SFRAME_ROW);
      return;
    }
    int rowsOffset = beginRows();
    encoder.encode(below, false);
    row(0, 0);
    encoder.encode(above, false);
    row(rules.blockThreshold(rule), 0);
    function(start, size, rowsOffset, 2, PC_TYPE_MASK, 0, blockSize);
  }

  private void refuse(Unsupported reason) {
    if (refused == null) {
      refused = reason;
    }
  }

  private static int rowType(long lastOffset) {
    if (lastOffset <= 0xff) {
      return 0;
    }
    return lastOffset <= 0xffff ? 1 : 2;
  }

  /** Leaves room for the attribute that stands before a function's rows in V3. */
  private int beginRows() {
    int offset = rows.position();
    if (version == 3) {
      room(ATTRIBUTE_SIZE);
      rows.position(offset + ATTRIBUTE_SIZE);
    }
    return offset;
  }

  private static final int ATTRIBUTE_SIZE = 5;

  private boolean isLast() {
    if (encoder.info() != lastInfo) {
      return false;
    }
    for (int i = 0; i < encoder.wordCount(); i++) {
      if (encoder.word(i) != lastWords[i]) {
        return false;
      }
    }
    return true;
  }

  private void row(long offset, int rowType) {
    room(4 + 1 + 4 * 6);
    number((int) offset, rowType);
    lastInfo = encoder.info();
    rows.put((byte) lastInfo);
    int code = encoder.wordSizeCode();
    for (int i = 0; i < encoder.wordCount(); i++) {
      lastWords[i] = encoder.word(i);
      number(lastWords[i], code);
    }
    totalRows++;
  }

  private void number(int value, int sizeCode) {
    switch (sizeCode) {
      case 0 -> rows.put((byte) value);
      case 1 -> rows.putShort((short) value);
      default -> rows.putInt(value);
    }
  }

  private void room(int bytes) {
    if (rows.remaining() < bytes) {
      ByteBuffer larger = ByteBuffer.allocate(rows.capacity() * 2).order(order);
      rows.flip();
      larger.put(rows);
      rows = larger;
    }
  }

  private void function(
      long start, long size, int rowsOffset, int count, int info, int info2, int blockSize) {
    if (version == 3) {
      if (count == 0) {
        rowsOffset = beginRows();
      }
      rows.putShort(rowsOffset, (short) count);
      rows.put(rowsOffset + 2, (byte) info);
      rows.put(rowsOffset + 3, (byte) info2);
      rows.put(rowsOffset + 4, (byte) blockSize);
    }
    if (functionCount == starts.length) {
      starts = Arrays.copyOf(starts, functionCount * 2);
      columns = Arrays.copyOf(columns, columns.length * 2);
    }
    starts[functionCount] = start;
    int at = functionCount * COLUMNS;
    columns[at + SIZE] = (int) size;
    columns[at + ROWS_OFFSET] = rowsOffset;
    columns[at + ROW_COUNT] = count;
    columns[at + INFO] = info | info2 << 8 | blockSize << 16;
    functionCount++;
  }

  /** How many rows were written. */
  public int rowCount() {
    return totalRows;
  }

  /** How many functions were written; a function with gaps counts several times. */
  public int functionCount() {
    return functionCount;
  }

  /**
   * The section.
   *
   * @param address where it will be loaded: start addresses are relative to their fields
   * @throws ArithmeticException if a version 2 section is more than 2 GiB away from a function
   */
  public byte[] write(long address) {
    SortedIndex sorted = new SortedIndex(functionCount);
    for (int i = 0; i < functionCount; i++) {
      sorted.add(starts[i], i);
    }
    sorted.sort();
    int fdeSize = version == 3 ? 16 : 20;
    int tableSize = functionCount * fdeSize;
    ByteBuffer out =
        ByteBuffer.allocate(SFrameElement.HEADER_SIZE + tableSize + rows.position()).order(order);
    out.putShort((short) SFrameElement.MAGIC);
    out.put((byte) version);
    out.put((byte) FLAGS);
    out.put((byte) abi());
    out.put((byte) 0);
    out.put((byte) encoder.fixedRa());
    out.put((byte) 0);
    out.putInt(functionCount);
    out.putInt(totalRows);
    out.putInt(rows.position());
    out.putInt(0);
    out.putInt(tableSize);
    for (int i = 0; i < functionCount; i++) {
      int at = sorted.value(i) * COLUMNS;
      long offset = sorted.start(i) - (address + out.position());
      if (version == 3) {
        out.putLong(offset);
        out.putInt(columns[at + SIZE]);
        out.putInt(columns[at + ROWS_OFFSET]);
      } else {
        out.putInt(Math.toIntExact(offset));
        out.putInt(columns[at + SIZE]);
        out.putInt(columns[at + ROWS_OFFSET]);
        out.putInt(columns[at + ROW_COUNT]);
        out.put((byte) columns[at + INFO]);
        out.put((byte) (columns[at + INFO] >>> 16));
        out.putShort((short) 0);
      }
    }
    out.put(rows.array(), 0, rows.position());
    return out.array();
  }

  private int abi() {
    return switch (rules.architecture()) {
      case AARCH64 -> order == ByteOrder.BIG_ENDIAN ? 1 : 2;
      case X86_64 -> 3;
      case S390X -> 4;
    };
  }
}
