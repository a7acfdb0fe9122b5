package stackweave.hotspot.method;

/**
 * Where the parts of classes were when a method of theirs was last read, by their constant pool: a
 * guess of what is read for their other methods, which nothing relies on. Direct-mapped. Not
 * thread-safe.
 */
final class MetClasses {
  private static final int LOG2_SLOTS = 8;
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  // A slot's words.
  private static final int CONSTANTS = 0;
  private static final int HOLDER = 1;
  private static final int HOLDER_NAME = 2;
  private static final int LIST = 3;
  private static final int SOURCE = 4;
  private static final int WORDS = 5;

  private final long[] slots = new long[WORDS << LOG2_SLOTS];
  private int found;

  /** Looks up a class, of which the other methods tell then. */
  boolean find(long constants) {
    found = slot(constants);
    return slots[found + CONSTANTS] == constants;
  }

  /** The class. */
  long holder() {
    return slots[found + HOLDER];
  }

  /** The symbol of its name. */
  long holderName() {
    return slots[found + HOLDER_NAME];
  }

  /** The list of its methods. */
  long list() {
    return slots[found + LIST];
  }

  /** The symbol of its source file; 0 for none. */
  long source() {
    return slots[found + SOURCE];
  }

  void put(long constants, long holder, long holderName, long list, long source) {
    int at = slot(constants);
    slots[at + CONSTANTS] = constants;
    slots[at + HOLDER] = holder;
    slots[at + HOLDER_NAME] = holderName;
    slots[at + LIST] = list;
    slots[at + SOURCE] = source;
  }

  private static int slot(long constants) {
    return (int) (constants * GOLDEN_RATIO >>> Long.SIZE - LOG2_SLOTS) * WORDS;
  }
}
