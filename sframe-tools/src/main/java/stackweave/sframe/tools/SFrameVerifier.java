package stackweave.sframe.tools;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import stackweave.unwind.Architecture;
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
 * producer should not write. Functions after a malformed one are checked, too; elements after a
 * malformed header can't be found.
 */
public final class SFrameVerifier {
  /** What can be wrong with a row that can be read. */
  private static final Set<Reason> ROW_FAULTS =
      EnumSet.of(
          Reason.ROW_OUTSIDE,
          Reason.LATE_FIRST_ROW,
          Reason.DUPLICATE_ROW,
          Reason.TOO_MANY_WORDS,
          Reason.RESERVED_BITS);

  private final SFrameSection section;
  private final List<SFrameFault> faults = new ArrayList<>();

  /** Number of the first function of the element at hand, over all elements. */
  private int firstNumber;

  private long allRows;

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
    verifier.elements();
    verifier.overlaps();
    MalformedSectionException trailing = section.trailingFault();
    if (trailing != null) {
      verifier.faults.add(new SFrameFault(trailing.reason(), trailing.offset(), -1));
    }
    verifier.faults.sort(Comparator.comparingLong(SFrameFault::offset));
    return verifier.faults;
  }

  private void elements() {
    for (SFrameElement element : section.elements()) {
      header(element);
      if (!functions(element)) {
        return;
      }
      firstNumber += element.fdeCount;
    }
  }

  /** Checks the header (sections 2.2.1 and 3.1.1), and what lies between it, functions and rows. */
  private void header(SFrameElement element) {
    boolean bigAbi = element.abi == 1 || element.abi == 4;
    if (bigAbi != (element.bytes.order() == ByteOrder.BIG_ENDIAN)) {
      add(Reason.WRONG_BYTE_ORDER, element.offset + 4, -1);
    }
    if (element.architecture == Architecture.X86_64 && element.fixedRa == 0) {
      add(Reason.NO_FIXED_RA, element.offset + 6, -1);
    }
    int body =
        element.offset + SFrameElement.HEADER_SIZE + (element.bytes.get(element.offset + 7) & 0xff);
    int tableEnd = element.fde(element.fdeCount);
    boolean tableFirst = element.fdeOffset <= element.freOffset;
    gap(body, tableFirst ? element.fdeOffset : element.freOffset);
    if (tableFirst) {
      gap(tableEnd, element.freOffset);
    } else {
      gap(element.freEnd, element.fdeOffset);
    }
  }

  private void gap(long from, long to) {
    if (from < to) {
      add(Reason.GAP, from, -1);
    }
  }

  /** Checks functions; false, at once, if they share more rows than the section has bytes. */
  private boolean functions(SFrameElement element) {
    SFrameFunction function = new SFrameFunction();
    SortedIndex used = new SortedIndex(element.fdeCount);
    boolean sorted = (element.flags & SFrameElement.FLAG_SORTED) != 0;
    boolean sound = true;
    long rows = 0;
    for (int i = 0; i < element.fdeCount; i++) {
      int number = firstNumber + i;
      if (sorted && i > 0 && Long.compareUnsigned(element.start(i - 1), element.start(i)) > 0) {
        add(Reason.NOT_SORTED, element.fde(i), number);
      }
      try {
        function.open(element, i);
      } catch (MalformedSectionException e) {
        add(e.reason(), e.offset(), number);
        sound = false;
        continue;
      }
      rows += function.rowCount();
      allRows += function.rowCount();
      if (allRows > section.size()) {
        add(Reason.SHARED_ROWS, element.fde(i), number);
        return false;
      }
      if (function.hasReservedBits()) {
        add(Reason.RESERVED_BITS, element.fde(i), number);
      }
      if (function.isFlex() && function.rowCount() == 0) {
        add(Reason.FLEX_WITHOUT_ROWS, element.fde(i), number);
      }
      sound &= rows(function, number);
      used.add(function.rowsBegin(), function.rowsRead());
    }
    // A function that can't be read may have any number of rows, in any number of bytes.
    if (sound) {
      if (rows != element.u4(element.offset + 12)) {
        add(Reason.WRONG_ROW_COUNT, element.offset + 12, -1);
      }
      unused(element, used);
    }
    return true;
  }

  /** Adds the bytes of rows that no function has. */
  private void unused(SFrameElement element, SortedIndex used) {
    used.sort();
    long end = element.freOffset;
    for (int i = 0; i < used.size(); i++) {
      gap(end, used.start(i));
      end = Math.max(end, used.value(i));
    }
    gap(end, element.freEnd);
  }

  /** Checks rows, with each kind of fault once for a function; false where rows can't be found. */
  private boolean rows(SFrameFunction function, int number) {
    SFrameRow row = new SFrameRow();
    long end = function.isMask() ? function.blockSize() : function.size();
    Set<Reason> told = EnumSet.noneOf(Reason.class);
    long before = -1;
    boolean found = true;
    boolean more = true;
    while (more) {
      int at = function.rowsRead();
      try {
        more = function.next(row);
        if (more) {
          for (Reason reason : ROW_FAULTS) {
            if (isFault(reason, row, before, end, function.size()) && told.add(reason)) {
              add(reason, row.offset(), number);
            }
          }
          before = row.start();
        }
      } catch (MalformedSectionException e) {
        add(e.reason(), e.offset(), number);
        // Where only its words make no sense, it is a row all the same.
        found &= function.rowsRead() != at;
        before = Math.max(before, 0);
      }
    }
    return found;
  }

  /** Whether a row has a fault; the row before it starts at {@code before} (-1: none). */
  private static boolean isFault(
      Reason reason, SFrameRow row, long before, long end, long functionSize) {
    return switch (reason) {
      case ROW_OUTSIDE -> row.start() >= end && functionSize != 0;
      case LATE_FIRST_ROW -> before < 0 && row.start() != 0;
      case DUPLICATE_ROW -> before == row.start();
      case TOO_MANY_WORDS -> row.wordsUsed() < row.wordCount();
      case RESERVED_BITS -> row.hasReservedBits();
      default -> false;
    };
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
      if (before != null) {
        long distance = element.start(inElement) - before.start(inBefore);
        if (Long.compareUnsigned(distance, before.size(inBefore)) < 0) {
          Reason reason = distance == 0 ? Reason.DUPLICATE_START : Reason.OVERLAP;
          add(reason, element.fde(inElement), byStart.value(i));
        }
      }
      before = element;
      inBefore = inElement;
    }
  }

  private void add(Reason reason, long offset, int function) {
    faults.add(new SFrameFault(reason, offset, function));
  }
}
