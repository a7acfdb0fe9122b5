package stackweave.unwind.sframe;

import java.util.Objects;
import stackweave.unwind.section.MalformedSectionException.Reason;

/**
 * Something wrong in an SFrame section.
 *
 * @param reason what is wrong
 * @param offset in the section, in bytes
 * @param function the number of the function that is wrong, over all elements; -1 where it is the
 *     section
 */
public record SFrameFault(Reason reason, long offset, int function) {
  /** Needs a reason. */
  public SFrameFault {
    Objects.requireNonNull(reason, "reason");
  }

  /** One line: offset, function, reason. */
  public String text() {
    String where = "offset 0x" + Long.toHexString(offset) + ": ";
    return where + (function < 0 ? "" : "function " + function + ": ") + reason.text();
  }
}
