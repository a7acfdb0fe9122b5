package stackweave.hotspot.runtime;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import stackweave.hotspot.memory.LastingMemory;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Counts the VM's garbage collections and tells when its collector moves objects. For those who
 * compare addresses of objects: equal addresses name the same object only while no collection has
 * begun. Not thread-safe.
 */
public final class GarbageCollections {
  private static final Pattern COLLECTOR_FLAG =
      Pattern.compile("Use(?!.*SystemGC)[A-Z][A-Za-z0-9]*GC");

  /** When objects may move. */
  public enum Moves {
    /** In pauses, counted before they move anything: no object moves while no pause is counted. */
    IN_PAUSES,
    /**
     * At any time, each object at most once between two counts; what threads have on their stacks
     * may be old for a while.
     */
    CONCURRENTLY,
    /** This collector is not known here. */
    UNKNOWN
  }

  /** What {@link #still} says while a pause is going on. */
  public static final long MOVING = -1;

  private final MemoryReader memory;
  private final long counter;

  /** Address of the byte that says whether a pause is going on; 0 where the VM has none. */
  private final long pause;

  private final String collector;

  private GarbageCollections(MemoryReader memory, long counter, long pause, String collector) {
    this.memory = memory;
    this.counter = counter;
    this.pause = pause;
    this.collector = collector;
  }

  /** Opens those of the VM, or null if they can't be read. */
  public static GarbageCollections open(Layout layout, LastingMemory memory) {
    try {
      long heap = memory.readLong(layout.collectedHeap.offset());
      long counter = heap + layout.totalCollections.offset();
      if (heap == 0) {
        return null;
      }
      // The heap's object lives as long as the VM (Universe::_collectedHeap in universe.cpp).
      memory.addWord(counter);
      long pause = layout.pauseIsOn == null ? 0 : heap + layout.pauseIsOn.offset();
      return new GarbageCollections(memory, counter, pause, collector(layout, memory));
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /** When objects may move. */
  public Moves moves() {
    return switch (collector) {
      case "UseG1GC", "UseParallelGC", "UseSerialGC", "UseEpsilonGC" -> Moves.IN_PAUSES;
      case "UseZGC", "UseShenandoahGC" -> Moves.CONCURRENTLY;
      default -> Moves.UNKNOWN;
    };
  }

  /** The option that chooses the collector, such as {@code UseG1GC}; empty if it is not known. */
  public String collector() {
    return collector;
  }

  /**
   * How many collections have begun: any other number than before says that one has. A pause counts
   * its collection before it moves anything ({@code CollectedHeap::_total_collections}).
   */
  public int begun() throws UnreadableMemoryException {
    return (int) memory.readLong(counter);
  }

  /**
   * For those who read objects from outside: the same number before and after says that no pause
   * has moved any meanwhile. A pause says that it is going on ({@code IsSTWGCActiveMark}) before it
   * moves anything, and has counted its collection when it ends.
   *
   * @return {@link #MOVING} while a pause is going on, or if the VM does not say that
   */
  public long still() throws UnreadableMemoryException {
    // In this order: a pause that begins after the first read is seen by the second, or counted.
    long count = begun() & 0xffff_ffffL;
    return pause == 0 || (memory.readLong(pause) & 0xff) != 0 ? MOVING : count;
  }

  /** The only flag that is on of those that choose a collector; else empty. */
  private static String collector(Layout layout, MemoryReader memory)
      throws UnreadableMemoryException {
    List<String> on =
        VmFlags.read(layout, memory, COLLECTOR_FLAG).entrySet().stream()
            .filter(Map.Entry::getValue)
            .map(Map.Entry::getKey)
            .toList();
    return on.size() == 1 ? on.get(0) : "";
  }
}
