package stackweave.hotspot.runtime;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import stackweave.hotspot.memory.LastingMemory;
import stackweave.hotspot.memory.MemoryPages;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Counts the VM's garbage collections and tells when its collector moves objects. For those who
 * compare addresses of objects: equal addresses name the same object only while no collection has
 * begun. Not thread-safe.
 */
public final class GarbageCollections {
  private static final int MAX_FLAGS = 1 << 14;
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

  private final MemoryReader memory;
  private final long counter;
  private final Moves moves;

  private GarbageCollections(MemoryReader memory, long counter, Moves moves) {
    this.memory = memory;
    this.counter = counter;
    this.moves = moves;
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
      Moves moves = moves(collectorFlags(layout, memory));
      return new GarbageCollections(memory, counter, moves);
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /** When objects may move. */
  public Moves moves() {
    return moves;
  }

  /**
   * How many collections have begun: any other number than before says that one has. A pause counts
   * its collection before it moves anything ({@code CollectedHeap::_total_collections}).
   */
  public int begun() throws UnreadableMemoryException {
    return (int) memory.readLong(counter);
  }

  private static Moves moves(Set<String> collectors) {
    if (collectors.size() != 1) {
      return Moves.UNKNOWN;
    }
    return switch (collectors.iterator().next()) {
      case "UseG1GC", "UseParallelGC", "UseSerialGC", "UseEpsilonGC" -> Moves.IN_PAUSES;
      case "UseZGC", "UseShenandoahGC" -> Moves.CONCURRENTLY;
      default -> Moves.UNKNOWN;
    };
  }

  /** Flags named as those that choose a collector are, as far as they are on. */
  private static Set<String> collectorFlags(Layout layout, MemoryReader memory)
      throws UnreadableMemoryException {
    Set<String> on = new HashSet<>();
    if (layout.flags == null
        || layout.flagCount == null
        || layout.flagName == null
        || layout.flagValue == null
        || layout.flagSize == 0) {
      return on;
    }
    MemoryPages names = new MemoryPages(memory);
    long flag = memory.readLong(layout.flags.offset());
    long count = Math.min(MAX_FLAGS, memory.readLong(layout.flagCount.offset()));
    for (long i = 0; i < count; i++, flag += layout.flagSize) {
      String name = names.string(names.readLong(flag + layout.flagName.offset()));
      if (name != null && COLLECTOR_FLAG.matcher(name).matches()) {
        long value = memory.readLong(names.readLong(flag + layout.flagValue.offset()));
        if ((value & 0xff) != 0) {
          on.add(name);
        }
      }
    }
    return on;
  }
}
