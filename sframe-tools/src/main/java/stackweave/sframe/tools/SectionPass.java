package stackweave.sframe.tools;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.sframe.SFrameElement;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameSection;

/**
 * One pass over all functions and rows of a section, in stored order, past what is malformed: for
 * listings. A function that can't be read has the rows that can be. Where functions share their
 * rows so often that there are more than the section has bytes, that is a fault and the pass ends.
 */
abstract class SectionPass {
  private final SFrameSection section;
  private final List<SFrameFault> faults = new ArrayList<>();

  /** The function at hand, and the row. */
  final SFrameFunction function = new SFrameFunction();

  final SFrameRow row = new SFrameRow();

  SectionPass(SFrameSection section) {
    this.section = section;
  }

  /** An element begins. */
  void element(SFrameElement element) throws IOException {}

  /** A function begins. */
  abstract void function(int number) throws IOException;

  abstract void row(int number) throws IOException;

  /** Something is wrong with the function at hand. */
  void fault(SFrameFault fault) throws IOException {}

  /** Goes through all; what is wrong with functions, empty for a sound section. */
  final List<SFrameFault> run() throws IOException {
    long rows = 0;
    int number = 0;
    for (SFrameElement element : section.elements()) {
      element(element);
      for (int i = 0; i < element.fdeCount; i++, number++) {
        try {
          function.open(element, i);
        } catch (MalformedSectionException e) {
          add(e.reason(), e.offset(), number);
          continue;
        }
        function(number);
        rows += function.rowCount();
        if (rows > section.size()) {
          add(Reason.SHARED_ROWS, function.offset(), number);
          return faults;
        }
        rows(number);
      }
    }
    return faults;
  }

  private void rows(int number) throws IOException {
    boolean more = true;
    while (more) {
      try {
        more = function.next(row);
      } catch (MalformedSectionException e) {
        add(e.reason(), e.offset(), number);
        continue;
      }
      if (more) {
        row(number);
      }
    }
  }

  private void add(Reason reason, long offset, int number) throws IOException {
    SFrameFault fault = new SFrameFault(reason, offset, number);
    faults.add(fault);
    fault(fault);
  }
}
