package stackweave.sframe.writer;

import stackweave.unwind.rule.Unsupported;

/**
 * The result of writing a module's .eh_frame as SFrame.
 *
 * @param bytes the section
 * @param functions how many functions the source has
 * @param written how many functions the section has: PLT code that needs rows of its own, and a
 *     function with gaps, are several
 * @param rows how many rows were written
 * @param sourceRows how many rows the source has
 * @param sourceRules how many distinct rules these rows have
 * @param refusals how many functions lack a part, by the ordinal of the {@link Unsupported} reason
 */
public record SFrameConversion(
    byte[] bytes,
    int functions,
    int written,
    int rows,
    int sourceRows,
    int sourceRules,
    int[] refusals) {

  /** How many functions lack a part for this reason. */
  public int refused(Unsupported reason) {
    return refusals[reason.ordinal()];
  }
}
