package stackweave.jfr.store;

import java.util.Arrays;
import stackweave.unwind.hash.HashIndex;

/** Numbers of texts in the order in which they came, from 0. Not thread-safe. */
final class TextTable {
  private static final int FIRST_CAPACITY = 16;

  /** What {@link #clear} leaves at most: of a usual block. */
  private static final int KEPT_CAPACITY = 512;

  private HashIndex numbers = new HashIndex(FIRST_CAPACITY);
  private String[] texts = new String[FIRST_CAPACITY];
  private int count;

  /** The number of a text, or {@code -1} for a new one, which then has the next. */
  int add(String text) {
    int hash = hash(text);
    for (int slot = numbers.first(hash); slot != HashIndex.NONE; slot = numbers.next(slot)) {
      if (texts[numbers.at(slot)].equals(text)) {
        return numbers.at(slot);
      }
    }
    if (count == texts.length) {
      texts = Arrays.copyOf(texts, 2 * count);
    }
    numbers.add(hash, count);
    texts[count++] = text;
    return -1;
  }

  private static int hash(String text) {
    return text.hashCode() * 0x9E3779B1;
  }

  /** Forgets all texts, and gives back what very many of them took. */
  void clear() {
    if (count > 0) {
      setCapacity(Math.min(texts.length, KEPT_CAPACITY));
    }
  }

  /** Forgets all texts, and gives back all that they took. */
  void rest() {
    setCapacity(FIRST_CAPACITY);
  }

  private void setCapacity(int capacity) {
    if (texts.length == capacity) {
      Arrays.fill(texts, 0, count, null);
    } else {
      texts = new String[capacity];
    }
    numbers = new HashIndex(capacity);
    count = 0;
  }
}
