package stackweave.unwind.rule;

import stackweave.unwind.HeapShare;

/**
 * The rules of recently looked up addresses: two entries per set, the older one replaced. Keys are
 * runtime addresses together with the generation of the modules. Not thread-safe.
 *
 * @hidden no part of the API
 */
public final class PcRuleCache {
  /**
   * 8,192 sets of two: 256 KiB, and more return addresses than a busy JVM shows in a minute. A
   * quarter of it on small heaps.
   */
  private static final int SETS = Math.max(1 << 11, HeapShare.of(1 << 13));

  private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SETS);

  /** {@link #find} of an address that is not there. */
  public static final int MISS = Integer.MIN_VALUE;

  private final long[] addresses = new long[2 * SETS];
  private final int[] generations = new int[2 * SETS];
  private final int[] rules = new int[2 * SETS];

  /** An empty cache. */
  public PcRuleCache() {
    java.util.Arrays.fill(rules, MISS);
  }

  /** The rule put for the address in this generation of the modules, or {@link #MISS}. */
  public int find(long address, int generation) {
    int i = set(address);
    if (addresses[i] == address && generations[i] == generation && rules[i] != MISS) {
      return rules[i];
    }
    if (addresses[i + 1] == address && generations[i + 1] == generation && rules[i + 1] != MISS) {
      return rules[i + 1];
    }
    return MISS;
  }

  /** Keeps a rule; the older entry of its set is dropped. */
  public void put(long address, int generation, int rule) {
    int i = set(address);
    addresses[i + 1] = addresses[i];
    generations[i + 1] = generations[i];
    rules[i + 1] = rules[i];
    addresses[i] = address;
    generations[i] = generation;
    rules[i] = rule;
  }

  private static int set(long address) {
    return (int) ((address * 0x9e37_79b9_7f4a_7c15L) >>> SHIFT) << 1;
  }
}
