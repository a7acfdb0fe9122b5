package stackweave.agent.jdk.label;

/** A scope of a thread: its labels, and the scope around it. It runs as a copy in java.lang. */
final class ContextScope implements Runnable {
  /** The number of nested scopes whose labels are read. */
  static final int MAX_DEPTH = 16;

  /** Most nested scopes that are kept: those that are left open would fill the heap. */
  static final int MAX_NESTED = 1_000;

  private static final String[] NO_LABELS = {};

  final ContextThread thread;

  /** The scope that it was opened in; null for none. */
  final ContextScope outer;

  /** The period of sampling in which it was opened. */
  final int period;

  private final String[] labels;

  /** Whether it is over; for the thread itself. Not volatile, which would cost it 10 ns. */
  boolean isClosed;

  /**
   * Whether another thread closed it, or its own while an inner one was open: the end is unknown.
   */
  volatile boolean isEndUnknown;

  /** How many scopes it is in, closed ones included. A short fits into the object's padding. */
  private final short nested;

  /** The key of {@link #noted}, which the drain thread sets. */
  long key;

  long noted;

  ContextScope(ContextThread thread, ContextScope outer, String[] labels, int period) {
    boolean isKept = outer != null && outer.nested < MAX_NESTED;
    this.thread = thread;
    this.outer = isKept ? outer : null;
    this.nested = (short) (isKept ? outer.nested + 1 : 0);
    this.labels = labels;
    this.period = period;
  }

  /** Ends the scope. */
  @Override
  public void run() {
    if (!isClosed) {
      isClosed = true;
      thread.close(this);
    }
  }

  /**
   * Keys and values of the scope and of those around it in the same period, its own first, except
   * scopes whose end is not known. Null if the scope itself is one.
   */
  static String[][] labels(Object scope) {
    ContextScope innermost = (ContextScope) scope;
    if (innermost.isEndUnknown) {
      return null;
    }
    int depth = 0;
    for (ContextScope each = innermost; isIn(each, innermost, depth); each = each.outer) {
      depth++;
    }
    String[][] all = new String[depth][];
    ContextScope each = innermost;
    for (int i = 0; i < depth; i++) {
      all[i] = each.isEndUnknown ? NO_LABELS : each.labels;
      each = each.outer;
    }
    return all;
  }

  private static boolean isIn(ContextScope scope, ContextScope innermost, int depth) {
    return scope != null && scope.period == innermost.period && depth < MAX_DEPTH;
  }

  /**
   * The number that {@link #note} stored with the key; 0 for none, also if the labels have changed
   * since. For the drain thread.
   */
  static long noted(Object scope, long key) {
    ContextScope known = (ContextScope) scope;
    return known.key == key && !known.isAnyEndUnknown() ? known.noted : 0;
  }

  private boolean isAnyEndUnknown() {
    int depth = 0;
    for (ContextScope each = this; isIn(each, this, depth); each = each.outer) {
      if (each.isEndUnknown) {
        return true;
      }
      depth++;
    }
    return false;
  }

  /** Stores a number with a key. For the drain thread. */
  static void note(Object scope, long key, long number) {
    ContextScope known = (ContextScope) scope;
    known.key = key;
    known.noted = number;
  }
}
