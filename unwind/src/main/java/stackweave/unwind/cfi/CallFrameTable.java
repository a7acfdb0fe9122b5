package stackweave.unwind.cfi;

import java.nio.ByteOrder;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RowCache;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.section.SectionReader;

/**
 * The unwind table of .eh_frame or .debug_frame: finds an FDE by the index, runs its program at the
 * first lookup, and keeps the rows. Not thread-safe.
 */
public final class CallFrameTable implements UnwindTable {
  /** Linkers write at most a few empty FDEs at one address. */
  private static final int MAX_EMPTY = 8;

  private final RuleTable rules;
  private final UnwindSource source;
  private final String why;
  private final FdeIndex index;
  private final CallFrameInfo info;
  private final CallFrameProgram program;
  private final RowCache rows;

  private CallFrameTable(
      RuleTable rules, UnwindSource source, String why, FdeIndex index, CallFrameInfo info) {
    this.rules = rules;
    this.source = source;
    this.why = why;
    this.index = index;
    this.info = info;
    this.program = new CallFrameProgram(info, rules);
    this.rows = new RowCache(rules, index.size());
  }

  /**
   * @param hdr .eh_frame_hdr or null
   */
  public static CallFrameTable ofEhFrame(
      Section hdr, Section ehFrame, RuleTable rules, String why) {
    ByteOrder order = SectionReader.byteOrder(ehFrame, rules.architecture());
    long dataBase = hdr == null ? 0 : hdr.address();
    CallFrameInfo info = new CallFrameInfo(new SectionReader(ehFrame, order), false, dataBase);
    FdeIndex index = null;
    String note = why;
    try {
      index = hdr == null ? null : FdeIndex.ofHdr(hdr, ehFrame, rules.architecture());
    } catch (MalformedSectionException e) {
      note = (why.isEmpty() ? "" : why + "; ") + ".eh_frame_hdr: " + e.getMessage();
    }
    if (index == null) {
      index = FdeIndex.build(info);
    }
    return new CallFrameTable(rules, UnwindSource.EH_FRAME, note, index, info);
  }

  /** The address of .eh_frame, from .eh_frame_hdr: for images without section headers. */
  public static long ehFrameAddress(Section hdr, Architecture architecture)
      throws MalformedSectionException {
    return FdeIndex.ehFrameAddress(hdr, architecture);
  }

  /**
   * The table of a .debug_frame, which has no index of its own.
   *
   * @param why why better sources are not used; may be empty
   */
  public static CallFrameTable ofDebugFrame(Section debugFrame, RuleTable rules, String why) {
    ByteOrder order = SectionReader.byteOrder(debugFrame, rules.architecture());
    CallFrameInfo info = new CallFrameInfo(new SectionReader(debugFrame, order), true, 0);
    return new CallFrameTable(rules, UnwindSource.DEBUG_FRAME, why, FdeIndex.build(info), info);
  }

  @Override
  public int find(long address) {
    int function = index.floor(address);
    for (int i = 0; function >= 0 && i < MAX_EMPTY; i++, function--) {
      if (!rows.has(function)) {
        load(function);
      }
      long size = rows.size(function);
      if (size != 0) {
        long offset = address - index.start(function);
        return offset < size ? rules.resolve(rows.find(function, offset), address) : NO_RULE;
      }
    }
    return NO_RULE;
  }

  @Override
  public long functionStart(long address) {
    int function = notEmpty(index.floor(address));
    return function >= 0
            && Long.compareUnsigned(address - index.start(function), size(function)) < 0
        ? index.start(function)
        : NO_ADDRESS;
  }

  @Override
  public long functionEndBelow(long address) {
    int function = notEmpty(index.floor(address));
    return function < 0 ? NO_ADDRESS : index.start(function) + size(function);
  }

  @Override
  public long functionStartAbove(long address) {
    int above = index.floor(address) + 1;
    return above < index.size() ? index.start(above) : NO_ADDRESS;
  }

  /** The last function from {@code function} downwards that has a size, or -1. */
  private int notEmpty(int function) {
    int last = function;
    for (int i = 0; last >= 0 && i < MAX_EMPTY; i++, last--) {
      if (size(last) != 0) {
        return last;
      }
    }
    return -1;
  }

  /** A function's size in bytes, 0 for one that can't be read. */
  private long size(int function) {
    return rowsOf(function).size(function);
  }

  /** Makes a function's rows available in {@link #rows}. */
  public RowCache rowsOf(int function) {
    if (!rows.has(function)) {
      load(function);
    }
    return rows;
  }

  /** Whether a function's return addresses are signed with key B (AArch64); reads its FDE anew. */
  public boolean isKeyB(int function) {
    try {
      info.openFde(index.fdeOffset(function));
      return info.keyB;
    } catch (MalformedSectionException e) {
      return false;
    }
  }

  /** Address of a function's first instruction. */
  public long start(int function) {
    return index.start(function);
  }

  private void load(int function) {
    rows.begin(0);
    try {
      info.openFde(index.fdeOffset(function));
      if (info.functionStart != index.start(function)) {
        // The table of .eh_frame_hdr names an FDE of another function.
        rows.begin(1);
        rows.endWith(function, RuleTable.unsupportedRule(Unsupported.MALFORMED));
        return;
      }
      rows.begin(info.functionSize);
      program.run(rows);
      rows.end(function);
    } catch (MalformedSectionException e) {
      rows.endWith(function, RuleTable.unsupportedRule(Unsupported.MALFORMED));
    }
  }

  @Override
  public UnwindSource source() {
    return source;
  }

  @Override
  public String why() {
    return why;
  }

  @Override
  public int functionCount() {
    return index.size();
  }
}
