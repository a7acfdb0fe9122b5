package stackweave.jfr.store;

import java.util.Arrays;
import stackweave.unwind.hash.InternTable;

/**
 * Interned definitions of one kind, with ids that are never reused, and the chunk in which each was
 * last emitted. Used by {@link EventStore}; not thread-safe.
 */
final class InternedDefinitions<T> {
  private static final int FIRST_CAPACITY = 64;

  private final InternTable<T> values = new InternTable<>();
  private int[] emitted = new int[FIRST_CAPACITY];
  private long firstId = 1;

  /** The id of an equal definition; a new one if there is none. */
  long intern(T value) {
    int index = values.intern(value);
    if (index >= emitted.length) {
      emitted = Arrays.copyOf(emitted, 2 * index);
    }
    return firstId + index;
  }

  /** Removes all definitions and frees their memory; ids continue. */
  void clear() {
    firstId += values.size();
    values.clear();
    emitted = new int[FIRST_CAPACITY];
  }

  int count() {
    return values.size();
  }

  /** Index of a definition of this generation, -1 for any other id. */
  int indexOf(long id) {
    long index = id - firstId;
    return index >= 0 && index < values.size() ? (int) index : -1;
  }

  T at(int index) {
    return values.get(index);
  }

  /** Whether the definition must be emitted in {@code chunk}; marks it as emitted. */
  boolean claim(int index, int chunk) {
    if (emitted[index] == chunk) {
      return false;
    }
    emitted[index] = chunk;
    return true;
  }
}
