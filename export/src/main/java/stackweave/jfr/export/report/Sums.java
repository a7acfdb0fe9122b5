package stackweave.jfr.export.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.read.SampleSum;

/**
 * Sums of samples, waits or calls by a key, such as a name.
 *
 * @param <K> the key of a sum
 */
final class Sums<K> {
  /** A number and a time; for samples of events, their weight instead of the time. */
  static final class Sum {
    /** The shown name, which several sums may share. */
    String name;

    long count;
    long nanos;
    long longest;

    /** Sum of the squares of the times of samples. */
    double squares;

    Sum(String name) {
      this.name = name;
    }

    void add(long more, long moreNanos) {
      count += more;
      nanos += moreNanos;
      longest = Math.max(longest, moreNanos);
    }

    void add(SampleSum sum) {
      add(sum.count(), sum.weightNanos());
      squares += sum.squares();
    }
  }

  /** The most time first, then the most samples, then by name. */
  private static final Comparator<Sum> LARGEST =
      Comparator.comparingLong((Sum sum) -> -sum.nanos)
          .thenComparingLong(sum -> -sum.count)
          .thenComparing(sum -> sum.name);

  private final Map<K, Sum> byKey = new HashMap<>();

  /** The sum of a key, which is new and empty if there is none. */
  Sum of(K key) {
    return byKey.computeIfAbsent(key, any -> new Sum(key.toString()));
  }

  /** The sum of a key; an empty one, which is not kept, if there is none. */
  Sum get(K key) {
    return byKey.getOrDefault(key, new Sum(key.toString()));
  }

  /** The sum of all. */
  Sum sum() {
    Sum all = new Sum("");
    byKey.values().forEach(each -> all.add(each.count, each.nanos));
    return all;
  }

  /** The largest first. */
  List<Sum> sorted() {
    List<Sum> sorted = new ArrayList<>(byKey.values());
    sorted.sort(LARGEST);
    return sorted;
  }

  /** The largest ones, at most so many. */
  List<Sum> largest(int most) {
    return first(sorted(), most);
  }

  /** The first elements of a list, at most so many. */
  static <T> List<T> first(List<T> all, int most) {
    return all.subList(0, Math.min(most, all.size()));
  }
}
