package stackweave.unwind.expression;

import java.nio.ByteOrder;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Evaluates interned expressions. {@link Program#isSound} has checked them: the stack has what each
 * operation takes, and each operation is executed at most once. Allocates nothing. Not thread-safe.
 */
public final class ExpressionEvaluator {
  private final Expressions expressions;
  private final boolean bigEndian;
  private final long[] stack = new long[Program.MAX_STACK];
  private final byte[] part = new byte[Long.BYTES];
  private int depth;

  /** Evaluates {@code expressions} over memory of this byte order. */
  public ExpressionEvaluator(Expressions expressions, ByteOrder order) {
    this.expressions = expressions;
    this.bigEndian = order == ByteOrder.BIG_ENDIAN;
  }

  /**
   * Evaluates an expression; {@link #result} then has its value.
   *
   * @param cfa of the frame; unused by the expression of the CFA itself
   * @return false if there is no value: a register is not known, or the expression divides by 0
   * @throws UnreadableMemoryException if the expression reads memory that can't be read
   */
  public boolean evaluate(int expression, long cfa, Registers registers, MemoryReader memory)
      throws UnreadableMemoryException {
    long[] words = expressions.words(expression);
    int end = words.length / Program.WORDS_PER_OPERATION;
    depth = 0;
    for (int i = 0; i < end; ) {
      long head = words[i * Program.WORDS_PER_OPERATION];
      long operand = words[i * Program.WORDS_PER_OPERATION + 1];
      Operation operation = Operation.of((int) head & 0xff);
      i++;
      switch (operation) {
        case REGISTER -> {
          int register = (int) (head >>> 8);
          if (!registers.isKnown(register)) {
            return false;
          }
          push(registers.get(register) + operand);
        }
        case PC -> push(registers.pc() + operand);
        case CFA -> push(cfa);
        case CONSTANT -> push(operand);
        case READ -> push(read(pop(), (int) operand, memory));
        case JUMP -> i = (int) operand;
        case JUMP_IF -> i = pop() == 0 ? i : (int) operand;
        case DIVIDE, MODULO -> {
          if (top() == 0) {
            return false;
          }
          compute(operation, operand);
        }
        default -> compute(operation, operand);
      }
    }
    return true;
  }

  /** The value of the expression that was evaluated last. */
  public long result() {
    return top();
  }

  private void push(long value) {
    stack[depth++] = value;
  }

  private long pop() {
    return stack[--depth];
  }

  private long top() {
    return stack[depth - 1];
  }

  private long read(long address, int bytes, MemoryReader memory) throws UnreadableMemoryException {
    if (bytes == Long.BYTES) {
      return memory.readLong(address);
    }
    memory.read(address, part, 0, bytes);
    long value = 0;
    for (int i = 0; i < bytes; i++) {
      int next = bigEndian ? i : bytes - 1 - i;
      value = value << Byte.SIZE | part[next] & 0xff;
    }
    return value;
  }

  private void compute(Operation operation, long operand) {
    if (operation.isBinary()) {
      long second = pop();
      push(operation.of(pop(), second));
      return;
    }
    switch (operation) {
      case PICK -> push(stack[depth - 1 - (int) operand]);
      case DROP -> depth--;
      case SWAP -> {
        long top = pop();
        long below = pop();
        push(top);
        push(below);
      }
      case ROTATE -> {
        long top = pop();
        long second = pop();
        long third = pop();
        push(top);
        push(third);
        push(second);
      }
      case ABSOLUTE -> push(Math.abs(pop()));
      case NEGATE -> push(-pop());
      case NOT -> push(~pop());
      default -> throw new AssertionError(operation);
    }
  }
}
