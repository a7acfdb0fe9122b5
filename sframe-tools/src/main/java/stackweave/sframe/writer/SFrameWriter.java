package stackweave.sframe.writer;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import stackweave.unwind.Architecture;
import stackweave.unwind.cfi.CallFrameTable;
import stackweave.unwind.rule.RowCache;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.rule.UnwindTable;
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
  private final SFrameOutput output;
  private Unsupported refused;
  private int keyBit;

  // The row written last, to leave out equal ones.
  private int[] lastWords = {};
  private int lastInfo;

  /**
   * @param rules the table that rules are given by
   * @param version 3, or 2 (with errata 1 and 2)
   * @param order byte order of the target
   * @throws IllegalArgumentException if the version is another one, or the architecture does not
   *     have this byte order
   */
  public SFrameWriter(RuleTable rules, int version, ByteOrder order) {
    if (version != 2 && version != 3) {
      throw new IllegalArgumentException("version " + version);
    }
    if (rules.architecture() != Architecture.AARCH64 && order != rules.architecture().byteOrder()) {
      throw new IllegalArgumentException(rules.architecture() + " " + order);
    }
    this.rules = rules;
    this.version = version;
    this.order = order;
    this.encoder = new SFrameRowEncoder(rules, version);
    this.output = new SFrameOutput(version, order);
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
      for (int i = 0; i < frames.functionCount(); i++) {
        RowCache cache = frames.rowsOf(i);
        int count = cache.rowCount(i);
        int[] offsets = new int[count];
        int[] ruleIds = new int[count];
        for (int row = 0; row < count; row++) {
          offsets[row] = (int) cache.offset(i, row);
          ruleIds[row] = cache.rule(i, row);
          distinct.set(ruleIds[row]);
        }
        rows += count;
        boolean keyB = frames.isKeyB(i);
        Unsupported reason =
            writer.add(frames.start(i), cache.size(i), keyB, offsets, ruleIds, count);
        if (reason != null) {
          refusals[reason.ordinal()]++;
        }
      }
    }
    return new SFrameConversion(
        writer.write(address),
        table.functionCount(),
        writer.functionCount(),
        writer.rowCount(),
        rows,
        distinct.cardinality(),
        refusals);
  }

  /** Adds a function whose return addresses, if signed at all, are signed with key A. */
  public Unsupported add(long start, long size, int[] offsets, int[] ruleIds, int count) {
    return add(start, size, false, offsets, ruleIds, count);
  }

  /**
   * Adds a function. A rule that says what no row can is left out with its range.
   *
   * @param start its address
   * @param size its size in bytes, below 2^32
   * @param keyB whether its return addresses are signed with key B rather than A (AArch64; section
   *     2.3.3, pauth_key)
   * @param offsets where its rows begin, in bytes from the start, ascending, unsigned
   * @param ruleIds the rule of each row, by the table given at construction
   * @param count how many rows
   * @return null if all of it could be written, else why a part is missing
   * @throws IllegalArgumentException if size, offsets or rules are not as said
   */
  public Unsupported add(
      long start, long size, boolean keyB, int[] offsets, int[] ruleIds, int count) {
    check(size, offsets, ruleIds, count);
    refused = null;
    keyBit = keyB && rules.architecture() == Architecture.AARCH64 ? SFrameOutput.KEY_B : 0;
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

  private void check(long size, int[] offsets, int[] ruleIds, int count) {
    if (size < 0 || size > 0xffff_ffffL) {
      throw new IllegalArgumentException("size " + size);
    }
    for (int i = 0; i < count; i++) {
      if (i > 0 && Integer.compareUnsigned(offsets[i - 1], offsets[i]) >= 0) {
        throw new IllegalArgumentException("row " + i + " does not begin behind the one before it");
      }
      if (ruleIds[i] < 0 || ruleIds[i] >= rules.size()) {
        throw new IllegalArgumentException("row " + i + ": no rule " + ruleIds[i]);
      }
    }
  }

  private boolean isSameRun(Sort sort, int first, int rule, int length) {
    return sort(rule) == sort
        && (sort != Sort.BLOCK || rule == first)
        && (version == 2 || length < SFrameOutput.MAX_ROWS_V3);
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
      case KERNEL_SIGNAL ->
          output.function(start, size, output.beginRows(), 0, keyBit | SFrameOutput.SIGNAL, 0, 0);
      case BLOCK -> block(start, size, ruleIds[from]);
      case NOTHING -> {
        Unsupported reason = rules.unsupported(ruleIds[from]);
        refuse(reason == null ? whyNoRow(ruleIds[from]) : reason);
      }
    }
  }

  /** Tells why: SFrame has one load for the CFA and adds nothing to it (section 3 of version 3). */
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
    int rowType = SFrameOutput.rowType((offsets[to - 1] & 0xffff_ffffL) - base);
    int rowsOffset = output.beginRows();
    int count = 0;
    for (int i = from; i < to; i++) {
      encoder.encode(ruleIds[i], flex);
      if (count == 0 || !isLast()) {
        row((offsets[i] & 0xffff_ffffL) - base, rowType);
        count++;
      }
    }
    int info = rowType | keyBit | (sort == Sort.SIGNAL_ROWS ? SFrameOutput.SIGNAL : 0);
    int info2 = flex ? SFrameOutput.FDE_TYPE_FLEX : 0;
    output.function(start, size, rowsOffset, count, info, info2, 0);
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
    int rowsOffset = output.beginRows();
    encoder.encode(below, false);
    row(0, 0);
    encoder.encode(above, false);
    row(rules.blockThreshold(rule), 0);
    output.function(start, size, rowsOffset, 2, keyBit | SFrameOutput.PC_TYPE_MASK, 0, blockSize);
  }

  private void refuse(Unsupported reason) {
    if (refused == null) {
      refused = reason;
    }
  }

  private boolean isLast() {
    return encoder.info() == lastInfo && Arrays.equals(encoder.words(), lastWords);
  }

  private void row(long offset, int rowType) {
    lastInfo = encoder.info();
    lastWords = encoder.words();
    output.row(offset, rowType, lastInfo, lastWords);
  }

  /** How many rows were written. */
  public int rowCount() {
    return output.rowCount();
  }

  /** How many functions were written; a function with gaps counts several times. */
  public int functionCount() {
    return output.functionCount();
  }

  /**
   * The section.
   *
   * @param address where it will be loaded: start addresses are relative to their fields
   * @throws ArithmeticException if a version 2 section is more than 2 GiB away from a function
   */
  public byte[] write(long address) {
    return output.write(abi(), 0, encoder.fixedRa(), address);
  }

  private int abi() {
    return switch (rules.architecture()) {
      case AARCH64 -> order == ByteOrder.BIG_ENDIAN ? 1 : 2;
      case X86_64 -> 3;
      case S390X -> 4;
    };
  }
}
