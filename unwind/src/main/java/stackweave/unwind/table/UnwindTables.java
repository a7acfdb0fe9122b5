package stackweave.unwind.table;

import java.util.StringJoiner;
import stackweave.unwind.cfi.CallFrameTable;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.sframe.SFrameTable;

/** Opens the unwind information of a module: the best of what its sections offer. */
public final class UnwindTables {
  private UnwindTables() {}

  /**
   * The unwind information of one ELF image: .sframe where it is usable (with .eh_frame for the
   * addresses it has no row for), else .eh_frame, else .debug_frame, else a table that finds
   * nothing. A malformed section counts as missing; {@link UnwindTable#why} then says what is wrong
   * with it.
   *
   * @param rules where the rules go; of the sections' architecture
   * @throws IllegalArgumentException if the architectures differ
   */
  public static UnwindTable open(UnwindSections sections, RuleTable rules) {
    if (sections.architecture() != rules.architecture()) {
      throw new IllegalArgumentException(
          "sections of " + sections.architecture() + ", rules of " + rules.architecture());
    }
    StringJoiner why = new StringJoiner("; ");
    SFrameSection sframe = sframe(sections, why);
    UnwindTable frames = frames(sections, rules, why);
    if (sframe != null) {
      UnwindTable fallback = frames.functionCount() == 0 ? null : frames;
      return new SFrameTable(sframe, rules, fallback, why.toString());
    }
    return frames;
  }

  /** The section if there is one that says something, else null and the reason added. */
  private static SFrameSection sframe(UnwindSections sections, StringJoiner why) {
    if (sections.allSFrame().isEmpty()) {
      why.add("no .sframe");
      return null;
    }
    try {
      SFrameSection sframe = SFrameSection.read(sections.allSFrame());
      if (sframe.functionCount() == 0) {
        why.add("no function in .sframe");
        return null;
      }
      if (sframe.architecture() != sections.architecture()) {
        why.add(".sframe of another architecture");
        return null;
      }
      if (sframe.trailingFault() != null) {
        why.add(".sframe: " + sframe.trailingFault().getMessage() + ", used up to there");
      }
      return sframe;
    } catch (MalformedSectionException e) {
      why.add(".sframe: " + e.getMessage());
      return null;
    }
  }

  private static UnwindTable frames(UnwindSections sections, RuleTable rules, StringJoiner why) {
    if (isPresent(sections.ehFrame())) {
      CallFrameTable table =
          CallFrameTable.ofEhFrame(
              sections.ehFrameHdr(), sections.ehFrame(), rules, why.toString());
      if (table.functionCount() > 0) {
        return table;
      }
      why.add("no function in .eh_frame");
    } else {
      why.add("no .eh_frame");
    }
    if (isPresent(sections.debugFrame())) {
      CallFrameTable table =
          CallFrameTable.ofDebugFrame(sections.debugFrame(), rules, why.toString());
      if (table.functionCount() > 0) {
        return table;
      }
      why.add("no function in .debug_frame");
    }
    return new NoTable(why.toString());
  }

  private static boolean isPresent(Section section) {
    return section != null && section.bytes().limit() > 0;
  }

  /** A module without unwind information. */
  private record NoTable(String why) implements UnwindTable {
    @Override
    public int find(long address) {
      return NO_RULE;
    }
  }
}
