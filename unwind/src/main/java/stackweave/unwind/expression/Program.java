package stackweave.unwind.expression;

import java.util.Arrays;
import stackweave.unwind.Architecture;

/**
 * An expression that is being built: operations with their operands, as words. Mutable and reused;
 * {@link Expressions#intern} checks and keeps it.
 */
public final class Program {
  /** The longest that compilers and people write have some twenty operations. */
  public static final int MAX_OPERATIONS = 128;

  static final int WORDS_PER_OPERATION = 2;

  /** At least as much as other readers of DWARF have. */
  static final int MAX_STACK = 64;

  private static final int UNREACHED = -1;

  private final long[] words = new long[MAX_OPERATIONS * WORDS_PER_OPERATION];
  private int operations;
  private boolean tooLong;

  /** Makes it empty. */
  public void clear() {
    operations = 0;
    tooLong = false;
  }

  /** How many operations there are. */
  public int size() {
    return operations;
  }

  Operation operation(int i) {
    return Operation.of((int) words[i * WORDS_PER_OPERATION] & 0xff);
  }

  int register(int i) {
    return (int) (words[i * WORDS_PER_OPERATION] >>> 8);
  }

  long operand(int i) {
    return words[i * WORDS_PER_OPERATION + 1];
  }

  void add(Operation operation, int register, long operand) {
    if (operations == MAX_OPERATIONS) {
      tooLong = true;
      return;
    }
    words[operations * WORDS_PER_OPERATION] = (long) register << 8 | operation.ordinal();
    words[operations * WORDS_PER_OPERATION + 1] = operand;
    operations++;
  }

  /** Sets where a jump leads, once that is known. */
  void setTarget(int jump, int operation) {
    words[jump * WORDS_PER_OPERATION + 1] = operation;
  }

  /** Takes over words of a record; false if they are too many or half an operation. */
  boolean set(long[] recorded, int from, int to) {
    clear();
    int count = to - from;
    if (count > words.length || count % WORDS_PER_OPERATION != 0) {
      return false;
    }
    System.arraycopy(recorded, from, words, 0, count);
    operations = count / WORDS_PER_OPERATION;
    return true;
  }

  /** The words. */
  long[] toArray() {
    return Arrays.copyOf(words, operations * WORDS_PER_OPERATION);
  }

  /**
   * Whether it can be evaluated without further checks: operations and registers exist, jumps lead
   * forwards, and before each operation the stack has the same depth on all ways, with enough
   * entries and room for it.
   */
  boolean isSound(Architecture architecture) {
    if (tooLong || operations == 0) {
      return false;
    }
    int[] depths = new int[operations + 1];
    Arrays.fill(depths, UNREACHED);
    depths[0] = 0;
    for (int i = 0; i < operations; i++) {
      if (depths[i] == UNREACHED) {
        continue; // behind a jump, and nothing leads there
      }
      long head = words[i * WORDS_PER_OPERATION];
      int code = (int) head & 0xff;
      if (code >= Operation.count()) {
        return false;
      }
      Operation operation = Operation.of(code);
      long operand = operand(i);
      int depth = depths[i];
      if (!isSound(operation, head >>> 8, operand, depth, architecture)) {
        return false;
      }
      int after = depth - operation.takes() + operation.leaves();
      if (operation.isJump()
          && (operand <= i || operand > operations || !merge(depths, (int) operand, after))) {
        return false;
      }
      if (operation != Operation.JUMP && !merge(depths, i + 1, after)) {
        return false;
      }
    }
    return depths[operations] > 0;
  }

  private static boolean isSound(
      Operation operation, long register, long operand, int depth, Architecture architecture) {
    boolean registerFits =
        operation == Operation.REGISTER ? register < architecture.registerCount() : register == 0;
    boolean operandFits =
        switch (operation) {
          case READ -> operand >= 1 && operand <= Long.BYTES;
          case PICK -> operand >= 0 && operand < depth;
          default -> true;
        };
    return registerFits
        && operandFits
        && depth >= operation.takes()
        && depth - operation.takes() + operation.leaves() <= MAX_STACK;
  }

  /** Sets the number of entries before an operation; false if another way leaves another number. */
  private static boolean merge(int[] depths, int operation, int depth) {
    if (depths[operation] == UNREACHED) {
      depths[operation] = depth;
    }
    return depths[operation] == depth;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < operations; i++) {
      long operand = operand(i);
      Operation operation = operation(i);
      text.append(i == 0 ? "" : " ").append(operation.label());
      switch (operation) {
        // No format: it loads the classes of locales, and this is read when sampling starts.
        case REGISTER -> text.append(register(i)).append(operand < 0 ? "" : "+").append(operand);
        case PC -> text.append(operand < 0 ? "" : "+").append(operand);
        case CONSTANT, READ, PICK, JUMP, JUMP_IF -> text.append(operand);
        default -> {
          // The label says all.
        }
      }
    }
    return text.toString();
  }
}
