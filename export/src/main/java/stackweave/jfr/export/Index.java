package stackweave.jfr.export;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The entries of a table, each once, numbered in the order in which they were first met. Not
 * thread-safe.
 *
 * @param <T> the entries, which are compared by {@code equals}
 */
public final class Index<T> {
  private final int first;
  private final Map<T, Integer> numbers = new HashMap<>();
  private final List<T> entries = new ArrayList<>();

  /**
   * @param first the number of the first entry
   */
  public Index(int first) {
    this.first = first;
  }

  /** The number of an entry, which is a new one if it was not met before. */
  public int of(T entry) {
    Integer known = numbers.putIfAbsent(entry, first + entries.size());
    if (known != null) {
      return known;
    }
    entries.add(entry);
    return first + entries.size() - 1;
  }

  /** The entry of a number. */
  public T get(int number) {
    return entries.get(number - first);
  }

  /** All entries in the order of their numbers; unmodifiable. */
  public List<T> entries() {
    return Collections.unmodifiableList(entries);
  }
}
