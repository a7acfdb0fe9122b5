package stackweave.unwind;

import java.util.StringJoiner;

/** Opens the unwind information of a module: the best of what its sections offer. */
public final class UnwindTables {
  private static final UnwindTable NOTHING = address -> UnwindTable.NO_RULE;

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
    UnwindTable frames = null;
    if (isPresent(sections.ehFrame())) {
      frames =
          CallFrameTable.ofEhFrame(
              sections.ehFrameHdr(), sections.ehFrame(), rules, why.toString());
      if (frames.functionCount() == 0) {
        why.add("no function in .eh_frame");
        frames = null;
      }
    }
    if (frames != null) {
      return frames;
    }
    if (isPresent(sections.debugFrame())) {
      UnwindTable debug = CallFrameTable.ofDebugFrame(sections.debugFrame(), rules, why.toString());
      if (debug.functionCount() > 0) {
        return debug;
      }
      why.add("no function in .debug_frame");
    }
    return NOTHING;
  }

  private static boolean isPresent(Section section) {
    return section != null && section.bytes().limit() > 0;
  }
}
