package stackweave.jfr.store;

import java.util.Arrays;
import stackweave.unwind.hash.HashIndex;

/** Numbers of texts in the order in which they came, from 0. Not thread-safe. */
final class TextTable {
  private static final int FIRST_CAPACITY = 512;

  private final HashIndex numbers = new HashIndex(FIRST_CAPACITY);
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

  /** Forgets all texts, and gives back what many of them took. */
  void clear() {
    if (count == 0) {
      return;
    }
    if (texts.length == FIRST_CAPACITY) {
      Arrays.fill(texts, 0, count, null);
    } else {
      texts = new String[FIRST_CAPACITY];
    }
    numbers.clear();
    count = 0;
  }
}
