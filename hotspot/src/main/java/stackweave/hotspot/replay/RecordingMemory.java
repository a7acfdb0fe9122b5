package stackweave.hotspot.replay;

import java.util.HashMap;
import java.util.Map;
import stackweave.hotspot.memory.MemoryCopy;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Memory that remembers what was read of it. A line is read once: whoever reads it again gets the
 * same bytes, as in the replay. Bounded: what would be too much is unreadable. Not thread-safe.
 */
final class RecordingMemory implements MemoryReader {
  private static final int LINE = RecordedLines.LINE;
  private static final int MAX_LINES = (4 << 20) / LINE;

  private final MemoryReader memory;
  private final Map<Long, byte[]> lines = new HashMap<>();
  private final byte[] word = new byte[Long.BYTES];

  RecordingMemory(MemoryReader memory) {
    this.memory = memory;
  }

  /** Takes what was read since the last call. */
  RecordedLines take() {
    RecordedLines recorded = RecordedLines.of(lines);
    lines.clear();
    return recorded;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    read(address, word, 0, Long.BYTES);
    return MemoryCopy.i8(word, 0);
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    long from = address & -LINE;
    int span = (int) ((address + length + LINE - 1 & -LINE) - from);
    if (!isRecorded(from, span)) {
      record(from, span);
    }
    for (int done = 0; done < length; ) {
      long at = address + done;
      int inLine = (int) (at & (LINE - 1));
      int count = Math.min(length - done, LINE - inLine);
      System.arraycopy(lines.get(at & -LINE), inLine, target, offset + done, count);
      done += count;
    }
  }

  private boolean isRecorded(long from, int span) {
    for (int i = 0; i < span; i += LINE) {
      if (!lines.containsKey(from + i)) {
        return false;
      }
    }
    return true;
  }

  private void record(long from, int span) throws UnreadableMemoryException {
    if (span < 0 || lines.size() + span / LINE > MAX_LINES) {
      throw UnreadableMemoryException.UNREADABLE;
    }
    byte[] bytes = new byte[span];
    memory.read(from, bytes, 0, span);
    for (int i = 0; i < span; i += LINE) {
      byte[] line = new byte[LINE];
      System.arraycopy(bytes, i, line, 0, LINE);
      lines.putIfAbsent(from + i, line);
    }
  }
}
