package stackweave.hotspot.code;

import java.util.Map;
import java.util.TreeMap;
import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.memory.MemoryPages;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The template interpreter's codelets, by pc. Read once: the VM generates the interpreter at
 * start-up and never changes it. Immutable.
 */
public final class InterpreterCodelets {
  private static final int MAX_CODELETS = 4096;

  /**
   * One codelet.
   *
   * @param begin first address of its header
   * @param end first address behind its code
   * @param isReturnEntry whether frames return here without a call before it
   * @param isMethodEntry whether it begins a method
   * @param hasFrame of a method entry: whether it ever sets up a frame (the entries of intrinsics
   *     do not)
   */
  public record Codelet(
      long begin,
      long end,
      String description,
      boolean isReturnEntry,
      boolean isMethodEntry,
      boolean hasFrame) {

    static Codelet of(long begin, long end, String description) {
      boolean entry = description.contains("method entry point");
      boolean frame =
          description.contains("kind = zerolocals") || description.contains("kind = native");
      boolean returns =
          description.contains("return entry") || description.startsWith("deoptimization");
      return new Codelet(begin, end, description, returns, entry, !entry || frame);
    }
  }

  /** Codelets by their first addresses. */
  private final TreeMap<Long, Codelet> codelets = new TreeMap<>();

  /**
   * Reads all codelets.
   *
   * @throws UnreadableMemoryException if they are not readable
   */
  public InterpreterCodelets(Layout layout, MemoryReader memory) throws UnreadableMemoryException {
    MemoryPages pages = new MemoryPages(memory);
    long queue = memory.readLong(layout.interpreterCode.offset());
    MemoryCopy piece = new MemoryCopy(128).copy(memory, queue, layout.queueEnd.end());
    long buffer = layout.queueBuffer.in(piece);
    long end = buffer + layout.queueEnd.in(piece);
    long at = buffer + layout.queueBegin.in(piece);
    while (at < end && codelets.size() < MAX_CODELETS) {
      piece.copy(memory, at, layout.codeletHeaderSize);
      long size = layout.codeletSize.in(piece);
      if (size <= 0) {
        break;
      }
      String description = pages.string(layout.codeletDescription.in(piece));
      codelets.put(at, Codelet.of(at, at + size, description == null ? "" : description));
      at += size;
    }
  }

  /** The codelet that holds {@code pc}, or null. */
  public Codelet find(long pc) {
    Map.Entry<Long, Codelet> below = codelets.floorEntry(pc);
    return below == null || pc >= below.getValue().end ? null : below.getValue();
  }
}
