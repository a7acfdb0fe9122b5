package stackweave.unwind.rule;

import java.util.Arrays;
import stackweave.unwind.IntTable;

/**
 * The rows of the functions met so far: sorted offsets and rule ids in one growing array. When the
 * array is full it begins anew, so that its size has a bound.
 *
 * <p>Filled as a {@link RowSink}: {@link #begin}, rows, {@link #end}. Not thread-safe.
 *
 * @hidden no part of the API
 */
public final class RowCache implements RowSink {
  /** 4 MiB: all of libjvm 25 fits twice. */
  static final int MAX_INTS = 1 << 20;

  /** More rows than any compiler writes for one function. */
  static final int MAX_ROWS = 1 << 16;

  private static final int FIRST_INTS = 256;
  private static final int COUNT = 0;
  private static final int SIZE = 1;
  private static final int FIRST_ROW = 2;

  private final RuleTable rules;
  private final IntTable functions;
  private final IntTable ints;
  private int used;

  private int[] offsets = new int[64];
  private int[] ruleIds = new int[64];
  private int rowCount;
  private long size;
  private boolean tooMany;

  /**
   * A cache without rows.
   *
   * @param functionCount how many functions there are; they have numbers from 0
   */
  public RowCache(RuleTable rules, int functionCount) {
    this.rules = rules;
    this.functions = new IntTable(rules.memory(), functionCount);
    this.ints = new IntTable(rules.memory(), FIRST_INTS);
  }

  /** Whether the function's rows are here. */
  public boolean has(int function) {
    return functions.get(function) != 0;
  }

  /** The function's size in bytes; it must be there. */
  public long size(int function) {
    return ints.get(functions.get(function) - 1 + SIZE) & 0xffff_ffffL;
  }

  /**
   * The rule of the last row at or below an offset that lies in the function, or {@link
   * UnwindTable#NO_RULE}.
   */
  public int find(int function, long offset) {
    int base = functions.get(function) - 1;
    int count = ints.get(base + COUNT);
    int first = base + FIRST_ROW;
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if ((ints.get(first + middle) & 0xffff_ffffL) <= offset) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high < 0 ? UnwindTable.NO_RULE : ints.get(first + count + high);
  }

  /** How many rows a function has; it must be there. */
  public int rowCount(int function) {
    return ints.get(functions.get(function) - 1 + COUNT);
  }

  /** Where row {@code i} of a function begins, in bytes from its start. */
  public long offset(int function, int i) {
    return ints.get(functions.get(function) - 1 + FIRST_ROW + i) & 0xffff_ffffL;
  }

  /** The rule of row {@code i} of a function, {@link RuleTable#BLOCK} rules unresolved. */
  public int rule(int function, int i) {
    return ints.get(functions.get(function) - 1 + FIRST_ROW + rowCount(function) + i);
  }

  /** Starts a function of {@code size} bytes; larger than 4 GiB counts as 4 GiB. */
  public void begin(long size) {
    this.size = size < 0 || size > 0xffff_ffffL ? 0xffff_ffffL : size;
    rowCount = 0;
    tooMany = false;
  }

  @Override
  public void row(long offset, RuleBuilder rule) {
    if (offset < size) {
      row(offset, rules.intern(rule));
    }
  }

  /** Adds a row; one with the rule of the last row is left out, one with its offset replaces it. */
  void row(long offset, int rule) {
    if (rowCount > 0 && offsets[rowCount - 1] == (int) offset) {
      rowCount--;
    }
    if (rowCount > 0 && ruleIds[rowCount - 1] == rule) {
      return;
    }
    if (rowCount == MAX_ROWS) {
      tooMany = true;
      return;
    }
    if (rowCount == offsets.length) {
      offsets = Arrays.copyOf(offsets, rowCount * 2);
      ruleIds = Arrays.copyOf(ruleIds, rowCount * 2);
    }
    offsets[rowCount] = (int) offset;
    ruleIds[rowCount] = rule;
    rowCount++;
  }

  /** Ends the function and keeps its rows. */
  public void end(int function) {
    if (tooMany) {
      only(RuleTable.unsupportedRule(Unsupported.TOO_LARGE));
    }
    int needed = FIRST_ROW + 2 * rowCount;
    if (used + needed > MAX_INTS) {
      functions.clear();
      used = 0;
    }
    if (used + needed > ints.capacity()) {
      ints.grow(Math.min(MAX_INTS, Math.max(used + needed, ints.capacity() * 2)));
    }
    ints.set(used + COUNT, rowCount);
    ints.set(used + SIZE, (int) size);
    ints.set(used + FIRST_ROW, offsets, rowCount);
    ints.set(used + FIRST_ROW + rowCount, ruleIds, rowCount);
    functions.set(function, used + 1);
    used += needed;
  }

  /** Ends the function with one rule for all of it, whatever rows it had. */
  public void endWith(int function, int rule) {
    only(rule);
    tooMany = false;
    end(function);
  }

  private void only(int rule) {
    offsets[0] = 0;
    ruleIds[0] = rule;
    rowCount = 1;
    tooMany = false;
  }
}
