package stackweave.jfr.store;

import java.util.Arrays;
import stackweave.jfr.event.SampleRecord;

/**
 * Sums up what samples of CPU time, or of an event, stand for, by the method of their innermost
 * frame: for people who watch a recording. An array has a number for each method of a generation,
 * and begins anew with the next. For the drain thread, except {@link #text}.
 */
final class HottestMethod {
  private static final int FIRST_CAPACITY = 64;

  private final StackTables tables;
  private long[] weights = new long[FIRST_CAPACITY];
  private long all;
  private volatile String text = "";

  HottestMethod(StackTables tables) {
    this.tables = tables;
  }

  /** Counts a sample that was written. */
  void add(SampleRecord sample) {
    if (sample.kind != SampleRecord.Kind.CPU && sample.kind != SampleRecord.Kind.EVENT) {
      return;
    }
    int node = tables.trie.indexOf(sample.stackId);
    int method = node < 0 ? -1 : tables.methods.indexOf(tables.trie.method(node));
    if (method >= weights.length) {
      weights = Arrays.copyOf(weights, Math.max(method + 1, 2 * weights.length));
    }
    if (method >= 0) {
      weights[method] += sample.weight;
    }
    all += sample.weight;
  }

  /** All methods get other numbers. */
  void forget() {
    Arrays.fill(weights, 0);
    all = 0;
  }

  /** Finds the hottest, once a second: its name is made for people. */
  void find() {
    int hottest = 0;
    for (int i = 1; i < weights.length; i++) {
      hottest = weights[i] > weights[hottest] ? i : hottest;
    }
    if (all <= 0 || weights[hottest] <= 0) {
      return;
    }
    MethodDefinition method = tables.methods.at(hottest);
    String name =
        method.className().isEmpty() ? method.name() : method.className() + "." + method.name();
    text = 100 * weights[hottest] / all + " % in " + name;
  }

  /** The method and its share of all, such as {@code 12 % in deflate}; empty before. Any thread. */
  String text() {
    return text;
  }
}
