package stackweave.hotspot.heap;

import stackweave.hotspot.memory.BoundedMemory;
import stackweave.hotspot.memory.LastingMemory;
import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Names and ids of Java threads, read from outside from their {@code java.lang.Thread} in the heap.
 * Sources: javaThread.hpp (thread.hpp in 17), oopHandle.hpp, Thread.java; JDK 17 to 27.
 *
 * <p>The VM runs meanwhile, so a Thread counts only if it names the JavaThread that led to it
 * ({@code eetop}), if the references to it and to its name are the same afterwards, and if no pause
 * has moved objects in between ({@link GarbageCollections#still}). Objects that Shenandoah copies
 * while threads run have their copy's address in their mark. Not thread-safe.
 */
public final class ThreadObjects {
  private static final String CARRIER = "jdk/internal/misc/CarrierThread";

  /** Of a listing: some 25 are needed for a thread. */
  private static final int MAX_READS = 1 << 20;

  /** Classes between that of a thread and java.lang.Thread. */
  private static final int MAX_SUBCLASSES = 32;

  private final Layout layout;
  private final BoundedMemory memory;
  private final GarbageCollections collections;
  private final HeapObjects objects;

  // Of java.lang.Thread, once one was met.
  private long thread;
  private int nameField;
  private int idField;
  private int eetopField;

  private ThreadObjects(
      Layout layout, BoundedMemory memory, GarbageCollections collections, HeapObjects objects) {
    this.layout = layout;
    this.memory = memory;
    this.collections = collections;
    this.objects = objects;
  }

  /**
   * What a Thread says of itself.
   *
   * @param id what {@code getId()} gives
   * @param isCarrier whether its purpose is to carry virtual threads
   */
  public record Found(String name, long id, boolean isCarrier) {
    /** That a JavaThread has no Thread, or none with a name that is read. */
    public static final Found NONE = new Found("", 0, false);
  }

  /**
   * Opens those of a VM; takes some milliseconds.
   *
   * @return null where names can't be read: with a collector that keeps other things in references
   *     (ZGC), or where the JDK does not describe its objects
   */
  public static ThreadObjects open(Layout layout, MemoryReader process) {
    BoundedMemory memory = new BoundedMemory(process, MAX_READS);
    GarbageCollections collections =
        GarbageCollections.open(layout, new LastingMemory(null, memory));
    if (collections == null || !isDescribed(layout)) {
      return null;
    }
    boolean concurrent = collections.collector().equals("UseShenandoahGC");
    if (!concurrent && collections.moves() != GarbageCollections.Moves.IN_PAUSES) {
      return null;
    }
    try {
      return new ThreadObjects(
          layout, memory, collections, new HeapObjects(layout, memory, concurrent));
    } catch (UnreadableMemoryException e) {
      return null;
    }
  }

  /** Whether the JDK describes what reading objects needs. */
  static boolean isDescribed(Layout layout) {
    return layout.threadObject != null
        && layout.klassSuper != null
        && layout.klassLayout != null
        && layout.classFields != null
        && layout.classFieldsData != null
        && layout.oopBase != null
        && layout.oopShift != null
        && layout.narrowKlassBase != null
        && layout.narrowKlassShift != null
        && layout.objectKlass != null;
  }

  /** Begins a listing, all of which together is bounded: each thread may lead to many classes. */
  public void begin() {
    memory.begin();
  }

  /**
   * Reads the Thread of a JavaThread.
   *
   * @return {@link Found#NONE} if it has none; null if it is not certain at this moment, as while a
   *     collection moves objects
   */
  public Found read(long javaThread) {
    try {
      long still = collections.still();
      Found found = still == GarbageCollections.MOVING ? null : readOnce(javaThread);
      return found != null && collections.still() == still ? found : null;
    } catch (UnreadableMemoryException e) {
      return null; // it has ended, or its objects have moved
    }
  }

  private Found readOnce(long javaThread) throws UnreadableMemoryException {
    long handle = memory.readLong(javaThread + layout.threadObject.offset());
    long reference = handle == 0 ? 0 : memory.readLong(handle);
    long object = objects.present(reference);
    if (object == 0) {
      return Found.NONE;
    }
    long klass = objects.klass(object);
    if (!isThread(klass) || memory.readLong(object + eetopField) != javaThread) {
      return Found.NONE;
    }
    long text = objects.reference(object, nameField);
    String name = objects.text(text);
    long id = memory.readLong(object + idField);
    boolean same =
        memory.readLong(handle) == reference && objects.reference(object, nameField) == text;
    if (!same) {
      return null;
    }
    return name == null
        ? Found.NONE
        : new Found(name, id, klass != thread && objects.classes().isNamed(klass, CARRIER));
  }

  /** Whether the class is java.lang.Thread or one of its subclasses. */
  private boolean isThread(long klass) throws UnreadableMemoryException {
    long each = klass;
    for (int i = 0; i < MAX_SUBCLASSES && each != 0; i++) {
      if (each == thread || thread == 0 && isThreadItself(each)) {
        return true;
      }
      each = memory.readLong(each + layout.klassSuper.offset());
    }
    return false;
  }

  private boolean isThreadItself(long klass) throws UnreadableMemoryException {
    ClassFields classes = objects.classes();
    if (!classes.isNamed(klass, "java/lang/Thread")) {
      return false;
    }
    nameField = classes.offset(klass, "name", "Ljava/lang/String;");
    idField = classes.offset(klass, "tid", "J");
    eetopField = classes.offset(klass, "eetop", "J");
    thread = nameField > 0 && idField > 0 && eetopField > 0 ? klass : 0;
    return thread != 0;
  }
}
