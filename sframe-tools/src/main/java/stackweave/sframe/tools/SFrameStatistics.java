package stackweave.sframe.tools;

import java.util.BitSet;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameSection;

/**
 * An SFrame section in numbers.
 *
 * @param version of the first element, 1 to 3; 0 for an empty section
 * @param size in bytes
 * @param functions how many functions all elements have
 * @param rows how many rows can be read
 * @param distinctRules how many distinct rules these rows say
 * @param malformed how many functions have a part that can't be read
 */
public record SFrameStatistics(
    int version, int size, int functions, long rows, int distinctRules, int malformed) {

  /** Counts a section. */
  public static SFrameStatistics of(SFrameSection section) {
    long rows = 0;
    int malformed = 0;
    BitSet distinct = new BitSet();
    if (section.architecture() != null) {
      RuleTable rules = new RuleTable(section.architecture());
      RuleBuilder rule = new RuleBuilder(section.architecture());
      SFrameFunction function = new SFrameFunction();
      SFrameRow row = new SFrameRow();
      for (int i = 0; i < section.functionCount(); i++) {
        boolean sound = true;
        boolean more = false;
        try {
          section.open(i, function);
          more = true;
        } catch (MalformedSectionException e) {
          sound = false;
        }
        // Made-up functions can share rows: none is counted more often than there are bytes.
        while (more && rows < section.size()) {
          try {
            more = function.next(row);
            if (more) {
              row.toRule(rule);
              distinct.set(rules.intern(rule));
              rows++;
            }
          } catch (MalformedSectionException e) {
            sound = false;
          }
        }
        malformed += sound ? 0 : 1;
      }
    }
    return new SFrameStatistics(
        section.version(),
        section.size(),
        section.functionCount(),
        rows,
        distinct.cardinality(),
        malformed);
  }
}
