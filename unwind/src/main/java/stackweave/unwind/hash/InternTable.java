package stackweave.unwind.hash;

import java.util.ArrayList;
import java.util.List;

/**
 * Objects that are kept once each, numbered from 0 in the order they came in. Found by {@link
 * Object#hashCode} and {@link Object#equals} in a {@link HashIndex}, which takes a fifth of what a
 * map of objects to boxed numbers does. Not thread-safe.
 */
public final class InternTable<T> {
  private static final int GOLDEN_RATIO = 0x9E3779B9;
  private static final int FIRST_CAPACITY = 64;

  private final HashIndex index = new HashIndex(FIRST_CAPACITY);
  private List<T> values = new ArrayList<>();

  /** The number of an equal object, which is this one if there was none. */
  public int intern(T value) {
    int hash = value.hashCode() * GOLDEN_RATIO;
    for (int slot = index.first(hash); slot != HashIndex.NONE; slot = index.next(slot)) {
      int number = index.at(slot);
      if (values.get(number).equals(value)) {
        return number;
      }
    }
    int number = values.size();
    values.add(value);
    index.add(hash, number);
    return number;
  }

  /** The object of a number that {@link #intern} gave. */
  public T get(int number) {
    return values.get(number);
  }

  /** How many objects there are. */
  public int size() {
    return values.size();
  }

  /** Forgets all objects, and gives back what they took; numbers begin at 0 again. */
  public void clear() {
    index.clear();
    values = new ArrayList<>();
  }
}
