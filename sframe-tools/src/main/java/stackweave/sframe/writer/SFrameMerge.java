package stackweave.sframe.writer;

import java.nio.ByteOrder;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.sframe.SFrameElement;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameRow.Recovery;
import stackweave.unwind.sframe.SFrameSection;

/**
 * Merges the elements of one or several sections, whatever their versions, into one sorted element
 * of version 3 with the same rows. Functions without rows say nothing before version 3 and are left
 * out: in version 3 they would say that the stack ends. Not thread-safe.
 *
 * <p>Source: SFrame specification sections 1.2 (changes from version 2) and 3.
 */
public final class SFrameMerge {
  private static final int REGISTER_BASE = 1;
  private static final int DEREF = 2;
  private static final int MAX_WORDS = 15;

  private final SFrameFunction function = new SFrameFunction();
  private final SFrameRow row = new SFrameRow();
  private final int[] words = new int[MAX_WORDS];
  private SFrameElement first;
  private SFrameOutput output = new SFrameOutput(3, ByteOrder.LITTLE_ENDIAN);
  private int leftOut;

  /**
   * Adds all functions of a section.
   *
   * @throws MalformedSectionException if it, or one of its functions, can't be read, or if an
   *     element is of another ABI or fixes other offsets than what was added before; this must not
   *     be used any more then
   */
  public void add(SFrameSection section) throws MalformedSectionException {
    if (section.trailingFault() != null) {
      throw section.trailingFault();
    }
    for (SFrameElement element : section.elements()) {
      if (first == null) {
        first = element;
        output = new SFrameOutput(3, element.bytes.order());
      }
      if (element.abi != first.abi || element.bytes.order() != first.bytes.order()) {
        throw new MalformedSectionException(Reason.WRONG_ABI, element.offset + 4);
      }
      if (element.fixedFp != first.fixedFp || element.fixedRa != first.fixedRa) {
        throw new MalformedSectionException(Reason.OTHER_FIXED_OFFSETS, element.offset + 5);
      }
      for (int i = 0; i < element.fdeCount; i++) {
        function.open(element, i);
        add();
      }
    }
  }

  private void add() throws MalformedSectionException {
    if (function.rowCount() == 0 && function.version() < 3) {
      leftOut++;
      return;
    }
    boolean flex = function.isFlex() || hasRegisters();
    int rowType = Integer.numberOfTrailingZeros(function.addressSize());
    int info =
        rowType
            | (function.isMask() ? SFrameOutput.PC_TYPE_MASK : 0)
            | (function.isKeyB() ? SFrameOutput.KEY_B : 0)
            | (function.isSignal() ? SFrameOutput.SIGNAL : 0);
    int info2 = flex ? SFrameOutput.FDE_TYPE_FLEX : 0;
    int blockSize = function.isMask() ? function.blockSize() : 0;
    // Version 3 counts 16 bits of rows: a longer function goes on as another one.
    long base = 0;
    int rowsOffset = output.beginRows();
    int count = 0;
    while (function.next(row)) {
      if (count == SFrameOutput.MAX_ROWS_V3) {
        if (function.isMask()) {
          throw new MalformedSectionException(Reason.BAD_ROW, row.offset());
        }
        function(base, row.start(), rowsOffset, count, info, info2, blockSize);
        base = row.start();
        rowsOffset = output.beginRows();
        count = 0;
      }
      output.row(row.start() - base, rowType, words(flex), words);
      count++;
    }
    function(base, Math.max(base, function.size()), rowsOffset, count, info, info2, blockSize);
  }

  /** The function, or the part of it between two offsets. */
  private void function(
      long from, long to, int rowsOffset, int count, int info, int info2, int blockSize) {
    output.function(function.start() + from, to - from, rowsOffset, count, info, info2, blockSize);
  }

  /** Whether V2 rows of s390x name registers: version 3 says that in flexible rows only. */
  private boolean hasRegisters() throws MalformedSectionException {
    boolean found = false;
    while (!found && function.next(row)) {
      found = row.ra() == Recovery.REGISTER || row.fp() == Recovery.REGISTER;
    }
    function.rewind();
    return found;
  }

  /** Puts the row's words into {@link #words}; its info byte. */
  private int words(boolean flex) {
    if (flex && !function.isFlex() && !row.isUndefined()) {
      return flexWords();
    }
    for (int i = 0; i < row.wordCount(); i++) {
      words[i] = (int) row.word(i);
    }
    return row.info();
  }

  /** The words of a default row as those of a flexible one. */
  private int flexWords() {
    words[0] = row.cfaRegister() << 3 | REGISTER_BASE;
    words[1] = (int) row.word(0);
    int count = 2;
    boolean ra = row.ra() == Recovery.AT_CFA || row.ra() == Recovery.REGISTER;
    if (ra) {
      count = pair(count, row.ra(), row.raRegister(), row.raOffset());
    }
    if (row.fp() != Recovery.UNCHANGED) {
      if (!ra) {
        words[count++] = 0; // padding
      }
      count = pair(count, row.fp(), row.fpRegister(), row.fpOffset());
    }
    int code = 0;
    for (int i = 0; i < count; i++) {
      // Control words are unsigned, but fit as signed numbers, too.
      code = Math.max(code, words[i] == (byte) words[i] ? 0 : words[i] == (short) words[i] ? 1 : 2);
    }
    return (row.info() & 0x81) | code << 5 | count << 1;
  }

  private int pair(int at, Recovery recovery, int register, long offset) {
    boolean inRegister = recovery == Recovery.REGISTER;
    words[at] = inRegister ? register << 3 | REGISTER_BASE : DEREF;
    words[at + 1] = inRegister ? 0 : (int) offset;
    return at + 2;
  }

  /** How many functions were added; one of more than 65,535 rows counts several times. */
  public int functionCount() {
    return output.functionCount();
  }

  /** How many rows were added. */
  public int rowCount() {
    return output.rowCount();
  }

  /** How many functions were left out since they say nothing. */
  public int leftOut() {
    return leftOut;
  }

  /**
   * The merged section; empty where no element was added.
   *
   * @param address where it will be loaded
   */
  public byte[] write(long address) {
    return first == null
        ? new byte[0]
        : output.write(first.abi, first.fixedFp, first.fixedRa, address);
  }
}
