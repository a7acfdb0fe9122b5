package stackweave.jfr.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Interned definitions of one kind, with ids that are never reused, and the chunk in which each was
 * last emitted. Used by {@link EventStore}; not thread-safe.
 */
final class Definitions<T> {
  private static final int FIRST_CAPACITY = 64;

  private Map<T, Long> ids = new HashMap<>();
  private List<T> values = new ArrayList<>();
  private int[] emitted = new int[FIRST_CAPACITY];
  private long firstId = 1;

  /** The id of an equal definition; a new one if there is none. */
  long intern(T value) {
    Long id = ids.get(value);
    return id != null ? id : add(value);
  }

  private long add(T value) {
    int index = values.size();
    if (index == emitted.length) {
      emitted = Arrays.copyOf(emitted, 2 * index);
    }
    emitted[index] = 0;
    values.add(value);
    ids.put(value, firstId + index);
    return firstId + index;
  }

  /** Removes all definitions and frees their memory; ids continue. */
  void clear() {
    firstId += values.size();
    ids = new HashMap<>();
    values = new ArrayList<>();
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
