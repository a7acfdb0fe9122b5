package stackweave.unwind.sframe.tools;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;
import stackweave.unwind.section.SortedIndex;
import stackweave.unwind.sframe.SFrameElement;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameSection;

/**
 * Finds all that is wrong in an SFrame section: what a reader refuses, and what it takes but a
 * producer should not write. Functions behind a bad one are read on; elements behind a bad header
 * can't be found.
 */
public final class SFrameVerifier {
  private final SFrameSection section;
  private final List<SFrameFault> faults = new ArrayList<>();

  private SFrameVerifier(SFrameSection section) {
    this.section = section;
  }

  /** All faults, by offset; empty for a sound section, which an empty one is. */
  public static List<SFrameFault> verify(Section bytes) {
    SFrameSection section;
    try {
      section = SFrameSection.read(bytes);
    } catch (MalformedSectionException e) {
      return List.of(new SFrameFault(e.reason(), e.offset(), -1));
    }
    SFrameVerifier verifier = new SFrameVerifier(section);
    verifier.functions();
    verifier.overlaps();
    MalformedSectionException trailing = section.trailingFault();
    if (trailing != null) {
      verifier.faults.add(new SFrameFault(trailing.reason(), trailing.offset(), -1));
    }
    verifier.faults.sort(Comparator.comparingLong(SFrameFault::offset));
    return verifier.faults;
  }

  private void functions() {
    SFrameFunction function = new SFrameFunction();
    SFrameRow row = new SFrameRow();
    long allRows = 0;
    int first = 0;
    for (SFrameElement element : section.elements()) {
      long rows = 0;
      boolean sound = true;
      for (int i = 0; i < element.fdeCount; i++) {
        int number = first + i;
        boolean sorted = (element.flags & SFrameElement.FLAG_SORTED) != 0;
        if (sorted && i > 0 && Long.compareUnsigned(element.start(i - 1), element.start(i)) > 0) {
          add(Reason.NOT_SORTED, element.fde(i), number);
        }
        try {
          function.open(element, i);
          rows += function.rowCount();
          allRows += function.rowCount();
          if (allRows > section.size()) {
            add(Reason.SHARED_ROWS, element.fde(i), number);
            return;
          }
          rows(function, row, number);
        } catch (MalformedSectionException e) {
          add(e.reason(), e.offset(), number);
          sound = false;
        }
      }
      // A function that can't be read may have any number of rows.
      if (sound && rows != element.u4(element.offset + 12)) {
        add(Reason.WRONG_ROW_COUNT, element.offset + 12, -1);
      }
      first += element.fdeCount;
    }
  }

  private void rows(SFrameFunction function, SFrameRow row, int number)
      throws MalformedSectionException {
    long end = function.isMask() ? function.blockSize() : function.size();
    boolean outside = false;
    while (function.next(row)) {
      if (row.start() >= end && !outside && function.size() != 0) {
        add(Reason.ROW_OUTSIDE, row.offset(), number);
        outside = true;
      }
    }
  }

  /** Empty functions cover nothing, so they overlap nothing. */
  private void overlaps() {
    SortedIndex byStart = new SortedIndex(section.functionCount());
    int number = 0;
    for (SFrameElement element : section.elements()) {
      for (int i = 0; i < element.fdeCount; i++, number++) {
        if (element.size(i) != 0) {
          byStart.add(element.start(i), number);
        }
      }
    }
    byStart.sort();
    SFrameElement before = null;
    int inBefore = 0;
    for (int i = 0; i < byStart.size(); i++) {
      int at = section.element(byStart.value(i));
      SFrameElement element = section.elements().get(at);
      int inElement = byStart.value(i) - section.firstFunction(at);
      if (before != null
          && Long.compareUnsigned(
                  element.start(inElement) - before.start(inBefore), before.size(inBefore))
              < 0) {
        add(Reason.OVERLAP, element.fde(inElement), byStart.value(i));
      }
      before = element;
      inBefore = inElement;
    }
  }

  private void add(Reason reason, long offset, int function) {
    faults.add(new SFrameFault(reason, offset, function));
  }
}
