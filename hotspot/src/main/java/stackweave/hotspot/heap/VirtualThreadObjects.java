package stackweave.hotspot.heap;

import stackweave.hotspot.heap.ThreadObjects.Found;
import stackweave.hotspot.memory.LastingMemory;
import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;

/**
 * Names and ids of virtual threads, read from outside by the addresses of their continuations,
 * which copied stacks have. Sources: Continuation.java, VirtualThread.java; JDK 21 to 27.
 *
 * <p>The thread may have been unmounted since, and even be garbage: its objects are where they were
 * as long as no pause has moved any since before the sample ({@link GarbageCollections#still}), and
 * only then there is an answer. Bounded; times by {@link System#nanoTime}. Not thread-safe.
 */
public final class VirtualThreadObjects {
  private static final String CONTINUATION = "java/lang/VirtualThread$VThreadContinuation";
  private static final String VIRTUAL_THREAD = "java/lang/VirtualThread";

  /** Classes between that of a continuation or thread and the one that has the field. */
  private static final int MAX_SUPERCLASSES = 4;

  private static final int MAX_KNOWN = 1 << 12;
  private static final int FIRST_SLOTS = 256;

  /** A thread may be renamed: so long its name counts, in ns. */
  private static final long KNOWN_NANOS = 1_000_000_000L;

  private final Layout layout;
  private final MemoryReader memory;
  private final GarbageCollections collections;
  private final HeapObjects objects;

  /** What was found since {@link #known} was emptied, by the continuation's address. */
  private final LongTable<Found> found = new LongTable<>(FIRST_SLOTS, MAX_KNOWN);

  private long known;

  /** What {@link GarbageCollections#still} said last, and a time when it said so. */
  private long still = GarbageCollections.MOVING;

  private long since;

  // Classes and their fields, once they were met; 0 before.
  private long continuationClass;
  private int targetField;
  private long taskClass;
  private int threadField;
  private long threadClass;
  private int continuationField;
  private int nameField;
  private int idField;

  private VirtualThreadObjects(
      Layout layout, MemoryReader memory, GarbageCollections collections, HeapObjects objects) {
    this.layout = layout;
    this.memory = memory;
    this.collections = collections;
    this.objects = objects;
  }

  /**
   * Opens those of a VM; takes some milliseconds.
   *
   * @return null where they can't be read: with collectors that move objects while threads run, and
   *     where the JDK does not describe its objects
   */
  public static VirtualThreadObjects open(Layout layout, LastingMemory memory) {
    GarbageCollections collections = GarbageCollections.open(layout, memory);
    if (collections == null
        || collections.moves() != GarbageCollections.Moves.IN_PAUSES
        || !ThreadObjects.isDescribed(layout)) {
      return null;
    }
    try {
      return new VirtualThreadObjects(
          layout, memory, collections, new HeapObjects(layout, memory, false));
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /**
   * The virtual thread of a continuation.
   *
   * @param continuation its address in a stack
   * @param nanos when the stack was copied
   * @return null if that is not certain
   */
  public Found find(long continuation, long nanos) {
    try {
      if (!isStillSince(nanos)) {
        return null;
      }
      Found before = found.get(continuation);
      if (before != null) {
        return before;
      }
      Found read = read(continuation);
      if (read != null && isStillSince(nanos)) {
        found.put(continuation, read);
        return read;
      }
      return null;
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /** Whether no pause has moved objects since then, as far as is known. */
  private boolean isStillSince(long nanos) throws UnreadableMemoryException {
    long now = collections.still();
    long time = System.nanoTime();
    if (now != still || time - known > KNOWN_NANOS) {
      found.clear();
      known = time;
    }
    if (now != still) {
      still = now;
      since = time;
    }
    return still != GarbageCollections.MOVING && since - nanos <= 0;
  }

  private Found read(long continuation) throws UnreadableMemoryException {
    if (continuation == 0 || !isContinuation(objects.klass(continuation))) {
      return null;
    }
    long task = objects.reference(continuation, targetField);
    if (task == 0 || !isTask(objects.klass(task))) {
      return null;
    }
    long thread = objects.reference(task, threadField);
    if (thread == 0
        || !isVirtualThread(objects.klass(thread))
        || objects.reference(thread, continuationField) != continuation) {
      return null;
    }
    String name = objects.text(objects.reference(thread, nameField));
    return name == null ? null : new Found(name, memory.readLong(thread + idField), false);
  }

  private boolean isContinuation(long klass) throws UnreadableMemoryException {
    if (continuationClass == 0 && objects.classes().isNamed(klass, CONTINUATION)) {
      targetField = inherited(klass, "target", "Ljava/lang/Runnable;");
      continuationClass = targetField > 0 ? klass : 0;
    }
    return continuationClass != 0 && klass == continuationClass;
  }

  /** The class of what a continuation runs, which keeps the thread in a field of its own. */
  private boolean isTask(long klass) throws UnreadableMemoryException {
    if (taskClass == 0) {
      threadField = objects.classes().offset(klass, null, "Ljava/lang/VirtualThread;");
      taskClass = threadField > 0 ? klass : 0;
    }
    return taskClass != 0 && klass == taskClass;
  }

  private boolean isVirtualThread(long klass) throws UnreadableMemoryException {
    if (threadClass == 0 && objects.classes().isNamed(klass, VIRTUAL_THREAD)) {
      continuationField = inherited(klass, "cont", "Ljdk/internal/vm/Continuation;");
      nameField = inherited(klass, "name", "Ljava/lang/String;");
      idField = inherited(klass, "tid", "J");
      threadClass = continuationField > 0 && nameField > 0 && idField > 0 ? klass : 0;
    }
    return threadClass != 0 && klass == threadClass;
  }

  /** Where objects have a field of their class or of one that it extends; 0 for nowhere. */
  private int inherited(long klass, String name, String signature)
      throws UnreadableMemoryException {
    long each = klass;
    for (int i = 0; i < MAX_SUPERCLASSES && each != 0; i++) {
      int offset = objects.classes().offset(each, name, signature);
      if (offset != ClassFields.NONE) {
        return offset;
      }
      each = memory.readLong(each + layout.klassSuper.offset());
    }
    return 0;
  }
}
