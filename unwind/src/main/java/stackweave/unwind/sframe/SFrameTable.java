package stackweave.unwind.sframe;

import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.MalformedSectionException;

/**
 * Unwind information of an SFrame section, with .eh_frame behind it for the addresses that the
 * section has no usable row for.
 */
public final class SFrameTable implements UnwindTable {
  private final SFrameSection section;
  private final RuleTable rules;
  private final UnwindTable fallback;
  private final String why;
  private final SFrameFunction function = new SFrameFunction();
  private final SFrameRow row = new SFrameRow();
  private final RuleBuilder rule;
  private long fallbackCount;

  /**
   * The rules of a section.
   *
   * @param fallback rows of .eh_frame, or null
   * @param why what {@link #why} says
   */
  public SFrameTable(SFrameSection section, RuleTable rules, UnwindTable fallback, String why) {
    this.section = section;
    this.rules = rules;
    this.fallback = fallback;
    this.why = why;
    this.rule = new RuleBuilder(rules.architecture());
  }

  @Override
  public int find(long address) {
    int found = findInSection(address);
    if (fallback != null && (found == NO_RULE || rules.kind(found) == RuleTable.UNSUPPORTED)) {
      int other = fallback.find(address);
      if (other != NO_RULE) {
        fallbackCount++;
        return other;
      }
    }
    return found;
  }

  @Override
  public long functionStart(long address) {
    long start = section.functionStart(address);
    return start == NO_ADDRESS && fallback != null ? fallback.functionStart(address) : start;
  }

  @Override
  public long functionEndBelow(long address) {
    long end = section.functionEndBelow(address);
    long other = fallback == null ? NO_ADDRESS : fallback.functionEndBelow(address);
    // Moved by one, so that NO_ADDRESS is the lowest.
    return Long.compareUnsigned(end + 1, other + 1) >= 0 ? end : other;
  }

  @Override
  public long functionStartAbove(long address) {
    long start = section.functionStartAbove(address);
    long other = fallback == null ? NO_ADDRESS : fallback.functionStartAbove(address);
    return Long.compareUnsigned(start, other) <= 0 ? start : other; // NO_ADDRESS is the highest
  }

  private int findInSection(long address) {
    try {
      if (!section.findFunction(address, function)) {
        return NO_RULE;
      }
      if (function.rowCount() == 0) {
        return withoutRows();
      }
      if (!function.find(address - function.start(), row)) {
        return NO_RULE;
      }
      row.toRule(rule);
      return rules.intern(rule);
    } catch (MalformedSectionException e) {
      return RuleTable.unsupportedRule(Unsupported.MALFORMED);
    }
  }

  /**
   * V3: a signal frame that rows can't describe, or the outermost frame; that only where the rows
   * would have the default form (section 1.2). Before, a function without rows means nothing.
   */
  private int withoutRows() {
    if (function.version() < 3) {
      return NO_RULE;
    }
    if (function.isFlex()) {
      return RuleTable.unsupportedRule(Unsupported.MALFORMED);
    }
    return function.isSignal() ? RuleTable.SIGNAL_FRAME_RULE : RuleTable.OUTERMOST_RULE;
  }

  /** An address without a function is looked up in .eh_frame, which marks them. */
  @Override
  public boolean marksSignalFrames(long address) {
    return section.versionAt(address) > 2;
  }

  @Override
  public UnwindSource source() {
    return switch (section.version()) {
      case 1 -> UnwindSource.SFRAME_V1;
      case 2 -> UnwindSource.SFRAME_V2;
      default -> UnwindSource.SFRAME_V3;
    };
  }

  @Override
  public String why() {
    return why;
  }

  @Override
  public int functionCount() {
    return section.functionCount();
  }

  @Override
  public long fallbackCount() {
    return fallbackCount;
  }
}
