package stackweave.unwind.expression;

/**
 * What a {@link Program} computes, where that can be said without one: a register or the CFA plus
 * constants, read through memory at most once, plus constants. Mutable and reused. Not thread-safe.
 */
public final class PlainValue {
  /** What a value is: known in itself, beside a register or the CFA, or read from beside one. */
  public enum Form {
    CONSTANT,
    REGISTER,
    CFA,
    AT_REGISTER,
    AT_CFA,
    /** Something else. */
    OTHER
  }

  private static final int MAX_STACK = 8;

  // A stack of values.
  private final Form[] forms = new Form[MAX_STACK];
  private final int[] registers = new int[MAX_STACK];
  private final long[] inner = new long[MAX_STACK];
  private final long[] outer = new long[MAX_STACK];
  private int depth;
  private boolean failed;

  /** Takes the value of {@code program}; {@link Form#OTHER} of null. */
  public void set(Program program) {
    depth = 0;
    failed = program == null;
    for (int i = 0; !failed && i < program.size(); i++) {
      take(program, i);
    }
    failed |= depth == 0;
  }

  /** What the value is. */
  public Form form() {
    return failed ? Form.OTHER : forms[depth - 1];
  }

  /** The register, by its number in DWARF. */
  public int register() {
    return registers[depth - 1];
  }

  /** What is added to the register or the CFA, or the constant. */
  public long offset() {
    return inner[depth - 1];
  }

  /** What is added to what was read from memory. */
  public long outerOffset() {
    return outer[depth - 1];
  }

  private void take(Program program, int i) {
    long operand = program.operand(i);
    switch (program.operation(i)) {
      case CONSTANT -> push(Form.CONSTANT, 0, operand);
      case REGISTER -> push(Form.REGISTER, program.register(i), operand);
      case PC -> push(Form.REGISTER, ExpressionReader.X86_64_RIP, operand);
      case CFA -> push(Form.CFA, 0, operand);
      case READ -> read(operand);
      case DROP -> drop();
      case MINUS -> addTop(-1);
      case PLUS -> addTop(1);
      default -> failed = true;
    }
  }

  private void push(Form form, int register, long offset) {
    if (depth == MAX_STACK) {
      failed = true;
      return;
    }
    forms[depth] = form;
    registers[depth] = register;
    inner[depth] = offset;
    outer[depth] = 0;
    depth++;
  }

  private void drop() {
    failed |= depth == 0;
    depth = Math.max(0, depth - 1);
  }

  private void read(long bytes) {
    if (depth == 0 || bytes != Long.BYTES) {
      failed = true;
      return;
    }
    int top = depth - 1;
    forms[top] =
        switch (forms[top]) {
          case REGISTER -> Form.AT_REGISTER;
          case CFA -> Form.AT_CFA;
          default -> Form.OTHER;
        };
  }

  private void add(long constant) {
    int top = depth - 1;
    if (forms[top] == Form.AT_REGISTER || forms[top] == Form.AT_CFA) {
      outer[top] += constant;
    } else {
      inner[top] += constant;
    }
  }

  /** Adds or subtracts the constant on top; constants below a base are added the other way. */
  private void addTop(int sign) {
    if (depth < 2) {
      failed = true;
      return;
    }
    int top = depth - 1;
    int below = depth - 2;
    if (forms[top] == Form.CONSTANT) {
      depth--;
      add(sign * inner[top]);
    } else if (forms[below] == Form.CONSTANT && sign > 0) {
      long constant = inner[below];
      forms[below] = forms[top];
      registers[below] = registers[top];
      inner[below] = inner[top];
      outer[below] = outer[top];
      depth--;
      add(constant);
    } else {
      failed = true;
    }
  }
}
