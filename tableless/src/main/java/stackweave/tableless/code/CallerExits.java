package stackweave.tableless.code;

import stackweave.unwind.walk.Found;

/**
 * Collects the exits of a function that an analysis meets, by sort. Of exits with the same caller,
 * one is kept, in which registers that differ are not known. Reused; not thread-safe.
 */
public final class CallerExits {
  // Sorts, in the order of trust.
  /** Returns. */
  public static final int RETURN = 0;

  /** Begins a function: what is on top is its return address. */
  public static final int ENTRY = 1;

  /** Jumps to where the code doesn't say. */
  public static final int JUMP = 2;

  private static final int SORTS = 3;

  /** With more different exits there is no rule. */
  private static final int MAX_EXITS = 4;

  private final SymbolicValues values;
  private final int[] numbers;
  private final int[] saved;

  /** Whether calls push return addresses. */
  private final boolean pushed;

  private final int[] counts = new int[SORTS];
  private final long[][] returnAddresses = new long[SORTS][MAX_EXITS];
  private final long[][] stackPointers = new long[SORTS][MAX_EXITS];
  private final long[][][] registers;

  CallerExits(SymbolicValues values, int[] numbers, int[] saved, boolean pushed) {
    this.pushed = pushed;
    this.values = values;
    this.numbers = numbers;
    this.saved = saved;
    registers = new long[SORTS][MAX_EXITS][saved.length];
  }

  void clear() {
    for (int sort = 0; sort < SORTS; sort++) {
      counts[sort] = 0;
    }
  }

  /**
   * Adds an exit.
   *
   * @param returnAddress a word that was loaded, or a register as it was at first
   * @param sp the caller's
   * @param state registers at the exit
   */
  public void add(int sort, long returnAddress, long sp, SymbolicState state) {
    int count = counts[sort];
    for (int i = 0; i < Math.min(count, MAX_EXITS); i++) {
      if (returnAddresses[sort][i] == returnAddress && stackPointers[sort][i] == sp) {
        merge(registers[sort][i], state);
        return;
      }
    }
    counts[sort] = count + 1;
    if (count >= MAX_EXITS) {
      return;
    }
    returnAddresses[sort][count] = returnAddress;
    stackPointers[sort][count] = sp;
    for (int i = 0; i < saved.length; i++) {
      registers[sort][count][i] = state.registers[saved[i]];
    }
  }

  private void merge(long[] known, SymbolicState state) {
    for (int i = 0; i < saved.length; i++) {
      if (known[i] != state.registers[saved[i]]) {
        known[i] = SymbolicValues.UNKNOWN;
      }
    }
  }

  /** The rule of the exits of a sort; null if there is none, or too many differ. */
  CallerRule rule(int sort, Found found) {
    int count = counts[sort];
    if (count == 0 || count > MAX_EXITS) {
      return null;
    }
    CallerRule.Exit[] exits = new CallerRule.Exit[count];
    for (int i = 0; i < count; i++) {
      int[] returnAddress = values.term(returnAddresses[sort][i], numbers);
      int[] sp = values.term(stackPointers[sort][i], numbers);
      if (sp == null && pushed && values.isLoaded(returnAddresses[sort][i])) {
        // Drops an unknown number of arguments: the caller's sp is above the return address.
        long above = values.addressOf(returnAddresses[sort][i]);
        sp = values.term(SymbolicValues.plus(above, Processor.WORD), numbers);
      }
      if (returnAddress == null || sp == null) {
        return null;
      }
      int[][] terms = new int[saved.length][];
      for (int r = 0; r < saved.length; r++) {
        terms[r] = values.term(registers[sort][i][r], numbers);
      }
      exits[i] = new CallerRule.Exit(returnAddress, sp, terms);
    }
    return new CallerRule(found, exits);
  }

  boolean has(int sort) {
    return counts[sort] > 0;
  }
}
