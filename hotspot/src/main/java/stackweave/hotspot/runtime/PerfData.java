package stackweave.hotspot.runtime;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Looks up counters in the VM's performance data (HotSpot's {@code perfMemory.hpp}): the shared
 * memory that jstat reads, too. Stateless; takes no lock of the VM.
 */
public final class PerfData {
  // PerfDataPrologue and PerfDataEntry (perfMemory.hpp), format 2.0: the same from JDK 5 on
  private static final int PROLOGUE_BYTES = 32;
  private static final int ENTRY_LENGTH = 0;
  private static final int ENTRY_NAME = 4;
  private static final int ENTRY_DATA = 16;
  private static final int ENTRY_BYTES = 20;

  /** More than the VM sets aside for performance data by default, 32 KiB. */
  private static final int MAX_BYTES = 1 << 20;

  private PerfData() {}

  /**
   * The address of a counter of the VM's performance data, or 0 if there is none.
   *
   * @param name as {@code jcmd PerfCounter.print} has it
   */
  public static long find(String name, Layout layout, MemoryReader memory)
      throws UnreadableMemoryException {
    byte[] counter = (name + "\0").getBytes(ISO_8859_1);
    if (layout.perfStart == null || layout.perfTop == null) {
      return 0;
    }
    long start = memory.readLong(layout.perfStart.offset());
    long length = memory.readLong(layout.perfTop.offset()) - start;
    if (start == 0 || length <= PROLOGUE_BYTES || length > MAX_BYTES) {
      return 0;
    }
    MemoryCopy piece = new MemoryCopy((int) length).copy(memory, start, (int) length);
    for (int at = PROLOGUE_BYTES; at + ENTRY_BYTES < length; ) {
      int size = piece.i4(at + ENTRY_LENGTH);
      int text = at + piece.i4(at + ENTRY_NAME);
      if (size <= 0 || size > length || text < at || text > length - counter.length) {
        return 0;
      }
      if (Arrays.equals(piece.bytes(), text, text + counter.length, counter, 0, counter.length)) {
        return start + at + piece.i4(at + ENTRY_DATA);
      }
      at += size;
    }
    return 0;
  }
}
