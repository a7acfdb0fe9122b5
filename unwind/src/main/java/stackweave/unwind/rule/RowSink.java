package stackweave.unwind.rule;

import stackweave.unwind.section.MalformedSectionException;

/**
 * Takes the rows of one function, in the order of their addresses.
 *
 * @hidden no part of the API
 */
public interface RowSink {
  /**
   * One row: holds from {@code offset} to the next row or the end of the function. A later row with
   * the same offset replaces the earlier one.
   *
   * @param offset from the function's start, in bytes
   */
  void row(long offset, RuleBuilder rule) throws MalformedSectionException;
}
