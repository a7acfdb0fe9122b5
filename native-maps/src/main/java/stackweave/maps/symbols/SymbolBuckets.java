package stackweave.maps.symbols;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import stackweave.maps.elf.Strings;

/**
 * The collected symbols of a module in buckets, one for each 4 KiB of code or more. {@link
 * SymbolTableBuilder} puts each symbol into its bucket and no more: in a fresh JVM our bytecode is
 * interpreted, and samples meet a small part of a library. A bucket that is asked for is put in
 * order: sorted, one name left for each address, labels inside of functions dropped.
 *
 * <p>All in one table of ints: for each bucket its first symbol, the highest end, and its state;
 * then three ints a symbol. All addresses are relative to the base.
 */
final class SymbolBuckets {
  /** Addresses are kept as unsigned 32-bit distances; code is never spread further. */
  static final long MAX_SPAN = 0xffffffffL;

  // What is kept of a symbol: where it starts; how long it is, or, until its bucket is in order,
  // how long it may be if the file does not say; and the rest.
  static final int START = 0;
  static final int SIZE = 1;
  static final int NAME = 2;
  static final int SYMBOL = 3;

  /** The rest: where its name is in its string table, then its kind, its table, its sign. */
  static final int NAME_BITS = 26;

  static final int TABLE_BIT = NAME_BITS + 3;

  /** The file does not say the size. */
  static final int UNSIZED = 1 << 31;

  /** Kinds, lower is better: global 0, weak 1, local 2, and the same from 4 on for NOTYPE. */
  static final int LOCAL_KIND = 2;

  static final int NOTYPE_KIND = 4;

  // States of a bucket: as it was collected; or how many symbols are left, plus one, below zero
  // while there may be labels among them that are none.
  private static final int COLLECTED = 0;

  /** Before so many buckets are searched for what reaches into one, all are put in order. */
  static final int MANY = 256;

  private final long base;
  private final int shift;
  private final int count;
  private final IntBuffer table;
  private final ByteBuffer[] names;

  /**
   * @param base what is added to all addresses
   * @param shift the size of a bucket's code, as a power of two
   * @param count how many buckets there are
   * @param table as {@link #ints} says: filled, but for the states
   * @param names the string tables, which stay readable
   */
  SymbolBuckets(long base, int shift, int count, IntBuffer table, ByteBuffer[] names) {
    this.base = base;
    this.shift = shift;
    this.count = count;
    this.table = table;
    this.names = names;
  }

  /** How long the table is for so many buckets and symbols. */
  static int ints(int buckets, int symbols) {
    return symbols(buckets) + SYMBOL * symbols;
  }

  /** Where the highest ends stand, one for each bucket: of those that begin in or before it. */
  static int reaches(int buckets) {
    return buckets + 1;
  }

  /** Where the symbols stand. */
  static int symbols(int buckets) {
    return 3 * buckets + 1;
  }

  long base() {
    return base;
  }

  /** How many buckets there are. */
  int count() {
    return count;
  }

  /** The bucket of an address that is not negative; the last one for all behind it. */
  int of(long address) {
    return (int) Math.min(address >>> shift, count - 1);
  }

  int first(int bucket) {
    return table.get(bucket);
  }

  /** Behind the last symbol of a bucket, which is in order then. */
  int end(int bucket) {
    return first(bucket) + ordered(bucket);
  }

  /** The bucket before with symbols, or −1. */
  int before(int bucket) {
    int first = first(bucket);
    int low = 0;
    int high = bucket;
    // Mostly it is the one before.
    for (int middle = Math.max(bucket - 1, 0); low < high; middle = (low + high) >>> 1) {
      if (first(middle) < first) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** The bucket behind with symbols, or {@link #count}. */
  int after(int bucket) {
    int next = bucket + 1;
    while (next < count && first(next) == first(next + 1)) {
      next++;
    }
    return next;
  }

  /**
   * No symbol of a known size that starts in this bucket or before it ends behind this. It may be
   * more than the highest end where a symbol counted that has lost its address to another.
   */
  long reach(int bucket) {
    return table.get(reaches(count) + bucket) & MAX_SPAN;
  }

  /** The bucket's last symbol that starts at or below an address; else the one before its first. */
  int floor(int bucket, long address) {
    int low = first(bucket);
    int high = end(bucket) - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (start(middle) <= address) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  long start(int symbol) {
    return table.get(symbols(count) + symbol * SYMBOL + START) & MAX_SPAN;
  }

  long size(int symbol) {
    return table.get(symbols(count) + symbol * SYMBOL + SIZE) & MAX_SPAN;
  }

  boolean isSized(int symbol) {
    return word(symbol) >= 0;
  }

  String name(int symbol) {
    int name = word(symbol);
    return Strings.at(stringsOf(name), offset(name));
  }

  /** Puts all in order at once, and makes what reaches how far exact. */
  void finish() {
    long functionEnd = 0;
    long highest = 0;
    for (int bucket = 0; bucket < count; bucket++) {
      sort(bucket);
      if (state(bucket) < COLLECTED) {
        keepOutside(bucket, functionEnd);
      }
      functionEnd = Math.max(functionEnd, functionEnd(bucket));
      int end = end(bucket);
      for (int i = first(bucket); i < end; i++) {
        highest = Math.max(highest, start(i) + size(i));
      }
      table.put(reaches(count) + bucket, (int) highest);
    }
  }

  private int state(int bucket) {
    return table.get(reaches(count) + count + bucket);
  }

  private void setState(int bucket, int state) {
    table.put(reaches(count) + count + bucket, state);
  }

  /** Puts a bucket in order, where it is not; returns how many symbols it has then. */
  private int ordered(int bucket) {
    if (state(bucket) == COLLECTED) {
      sort(bucket);
    }
    if (state(bucket) < COLLECTED) {
      dropLabels(bucket);
    }
    return state(bucket) - 1;
  }

  private int[] read(int bucket, int symbols) {
    int[] read = new int[SYMBOL * symbols];
    table.get(symbols(count) + SYMBOL * first(bucket), read);
    return read;
  }

  private void write(int bucket, int[] symbols, int length) {
    table.put(symbols(count) + SYMBOL * first(bucket), symbols, 0, SYMBOL * length);
  }

  /** Sorts a bucket, keeps the best name of each address, and gives a size to what has none. */
  private void sort(int bucket) {
    if (state(bucket) != COLLECTED) {
      return;
    }
    int length = first(bucket + 1) - first(bucket);
    int[] collected = read(bucket, length);
    long[] order = new long[length];
    for (int i = 0; i < length; i++) {
      order[i] = (long) (collected[SYMBOL * i + START] ^ Integer.MIN_VALUE) << 32 | i;
    }
    Arrays.sort(order);
    int[] sorted = new int[collected.length];
    int to = 0;
    for (int i = 0; i < length; i++) {
      int from = SYMBOL * (int) order[i];
      boolean same = to > 0 && sorted[to - SYMBOL + START] == collected[from + START];
      if (!same || isBetter(collected[from + NAME], sorted[to - SYMBOL + NAME])) {
        to -= same ? SYMBOL : 0;
        sorted[to + START] = collected[from + START];
        sorted[to + SIZE] = collected[from + SIZE];
        sorted[to + NAME] = collected[from + NAME];
        to += SYMBOL;
      }
    }
    limitSizes(bucket, sorted, to);
    // Only now: a label may have lost its address to a function.
    boolean labels = false;
    for (int at = 0; at < to; at += SYMBOL) {
      labels |= isLabel(sorted[at + NAME]);
    }
    int left = to / SYMBOL;
    write(bucket, sorted, left);
    setState(bucket, labels ? -left - 1 : left + 1);
  }

  private void limitSizes(int bucket, int[] sorted, int length) {
    for (int at = 0; at < length; at += SYMBOL) {
      long start = sorted[at + START] & MAX_SPAN;
      long limit = MAX_SPAN;
      if (sorted[at + NAME] < 0) {
        int next = at + SYMBOL;
        limit = next < length ? sorted[next + START] & MAX_SPAN : lowestBehind(bucket);
      }
      sorted[at + SIZE] = (int) Math.min(sorted[at + SIZE] & MAX_SPAN, limit - start);
    }
  }

  /**
   * The lowest start in the next bucket. In one that is in order a label may be missing; but what
   * has dropped it reaches over the end of this one, and drops what reaches to there.
   */
  private long lowestBehind(int bucket) {
    int next = after(bucket);
    if (next == count) {
      return MAX_SPAN;
    }
    if (state(next) != COLLECTED) {
      return start(first(next));
    }
    int[] symbols = read(next, first(next + 1) - first(next));
    long lowest = MAX_SPAN;
    for (int at = 0; at < symbols.length; at += SYMBOL) {
      lowest = Math.min(lowest, symbols[at + START] & MAX_SPAN);
    }
    return lowest;
  }

  /** Drops what is a place inside of a function and not one of its own. */
  private void dropLabels(int bucket) {
    int label = first(bucket);
    while (!isLabel(word(label))) {
      label++;
    }
    long functionEnd = functionEndBefore(bucket, start(label));
    if (state(bucket) < COLLECTED) {
      keepOutside(bucket, functionEnd);
    }
  }

  /**
   * The highest end of a function that starts in the buckets before this one, or 0.
   *
   * @param least ends up to here are not wanted
   */
  private long functionEndBefore(int bucket, long least) {
    long highest = 0;
    long bucketEnd = (bucket + 1L) << shift;
    int looked = 0;
    for (int other = before(bucket);
        other >= 0 && reach(other) > least && highest < bucketEnd;
        other = before(other)) {
      if (++looked == MANY) {
        finish();
        return 0;
      }
      sort(other);
      highest = Math.max(highest, functionEnd(other));
    }
    return highest;
  }

  /** The highest end of a function that starts in this bucket, which is sorted; or 0. */
  private long functionEnd(int bucket) {
    int end = first(bucket) + Math.abs(state(bucket)) - 1;
    long highest = 0;
    for (int i = first(bucket); i < end; i++) {
      if (!isLabel(word(i))) {
        highest = Math.max(highest, start(i) + size(i));
      }
    }
    return highest;
  }

  /**
   * Leaves the labels of a sorted bucket that no function covers.
   *
   * @param before the highest end of a function of the buckets before
   */
  private void keepOutside(int bucket, long before) {
    int[] symbols = read(bucket, -state(bucket) - 1);
    long functionEnd = before;
    int to = 0;
    for (int from = 0; from < symbols.length; from += SYMBOL) {
      long start = symbols[from + START] & MAX_SPAN;
      if (!isLabel(symbols[from + NAME])) {
        functionEnd = Math.max(functionEnd, start + (symbols[from + SIZE] & MAX_SPAN));
      } else if (start < functionEnd) {
        continue;
      }
      System.arraycopy(symbols, from, symbols, to, SYMBOL);
      to += SYMBOL;
    }
    write(bucket, symbols, to / SYMBOL);
    setState(bucket, to / SYMBOL + 1);
  }

  private int word(int symbol) {
    return table.get(symbols(count) + symbol * SYMBOL + NAME);
  }

  private static int kind(int word) {
    return word >>> NAME_BITS & 7;
  }

  private static int offset(int word) {
    return word & (1 << NAME_BITS) - 1;
  }

  private ByteBuffer stringsOf(int word) {
    return names[word >>> TABLE_BIT & 1];
  }

  /** Whether the symbol says where code begins, but not reliably where it ends. */
  private static boolean isLabel(int word) {
    return word < 0 || kind(word) >= NOTYPE_KIND;
  }

  /**
   * Which of two names of one address is shown: one with a size, one that is not local, the one
   * with fewer leading underscores ({@code malloc} rather than {@code __libc_malloc}), a global one
   * rather than a weak one, the shorter one.
   */
  private boolean isBetter(int word, int than) {
    int order = Boolean.compare(isLabel(word), isLabel(than));
    if (order == 0) {
      order = Boolean.compare(isLocal(word), isLocal(than));
    }
    if (order == 0) {
      order = underscores(word) - underscores(than);
    }
    if (order == 0) {
      order = kind(word) - kind(than);
    }
    if (order == 0) {
      order =
          Strings.length(stringsOf(word), offset(word))
              - Strings.length(stringsOf(than), offset(than));
    }
    return order < 0;
  }

  private static boolean isLocal(int word) {
    return kind(word) % NOTYPE_KIND == LOCAL_KIND;
  }

  /** Leading underscores; those of a mangled name are its mark and no sign of an alias. */
  private int underscores(int word) {
    ByteBuffer strings = stringsOf(word);
    int from = offset(word);
    int at = from;
    while (at < strings.limit() && strings.get(at) == '_') {
      at++;
    }
    boolean mangled =
        at - from == 1
            && at < strings.limit()
            && (strings.get(at) == 'Z' || strings.get(at) == 'R');
    return mangled ? 0 : at - from;
  }
}
