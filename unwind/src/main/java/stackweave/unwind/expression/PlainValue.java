package stackweave.unwind.expression;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The value of a {@link Program} in simple cases: a register or the CFA plus a constant, or the
 * word there plus a constant. Immutable.
 *
 * @param register of that form, by its number in DWARF
 * @param offset what is added to the register or the CFA, or the constant
 * @param outerOffset what is added to what was read from memory
 */
public record PlainValue(Form form, int register, long offset, long outerOffset) {
  /** A constant, a register or the CFA plus an offset, or the word at such an address. */
  public enum Form {
    CONSTANT,
    REGISTER,
    CFA,
    AT_REGISTER,
    AT_CFA,
    /** Something else. */
    OTHER
  }

  private static final PlainValue OTHER = new PlainValue(Form.OTHER, 0, 0, 0);

  /** The value of {@code program}; {@link Form#OTHER} of null. */
  public static PlainValue of(Program program) {
    Deque<PlainValue> stack = new ArrayDeque<>();
    boolean plain = program != null;
    for (int i = 0; plain && i < program.size(); i++) {
      plain = take(program, i, stack);
    }
    return plain && !stack.isEmpty() ? stack.peek() : OTHER;
  }

  /** Whether an operation leaves plain values on the stack. */
  private static boolean take(Program program, int i, Deque<PlainValue> stack) {
    long operand = program.operand(i);
    return switch (program.operation(i)) {
      case CONSTANT -> push(stack, Form.CONSTANT, 0, operand);
      case REGISTER -> push(stack, Form.REGISTER, program.register(i), operand);
      case PC -> push(stack, Form.REGISTER, ExpressionReader.X86_64_RIP, operand);
      case CFA -> push(stack, Form.CFA, 0, operand);
      case READ ->
          operand == Long.BYTES && !stack.isEmpty() && stack.offerFirst(stack.pop().read());
      case DROP -> stack.poll() != null;
      case MINUS -> add(stack, -1);
      case PLUS -> add(stack, 1);
      default -> false;
    };
  }

  private static boolean push(Deque<PlainValue> stack, Form form, int register, long offset) {
    return stack.offerFirst(new PlainValue(form, register, offset, 0));
  }

  /** Adds or subtracts the constant on top; constants below a base are added the other way. */
  private static boolean add(Deque<PlainValue> stack, int sign) {
    if (stack.size() < 2) {
      return false;
    }
    PlainValue top = stack.pop();
    PlainValue below = stack.pop();
    if (top.form == Form.CONSTANT) {
      return stack.offerFirst(below.plus(sign * top.offset));
    }
    return below.form == Form.CONSTANT && sign > 0 && stack.offerFirst(top.plus(below.offset));
  }

  private PlainValue read() {
    return switch (form) {
      case REGISTER -> new PlainValue(Form.AT_REGISTER, register, offset, 0);
      case CFA -> new PlainValue(Form.AT_CFA, register, offset, 0);
      default -> OTHER;
    };
  }

  private PlainValue plus(long constant) {
    boolean outer = form == Form.AT_REGISTER || form == Form.AT_CFA;
    return outer
        ? new PlainValue(form, register, offset, outerOffset + constant)
        : new PlainValue(form, register, offset + constant, outerOffset);
  }
}
