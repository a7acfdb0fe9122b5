package stackweave.unwind.expression;

/**
 * The operations of an expression: those of DWARF that call frame information may use (DWARF 5
 * sections 2.5.1 and 6.4.2.3), with similar ones made one. How many entries each takes from the
 * stack and leaves there is fixed, so that a program can be checked before it runs.
 */
enum Operation {
  /** Pushes the operand. */
  CONSTANT("", 0, 1),
  /** Pushes a register plus the operand. */
  REGISTER("r", 0, 1),
  /** Pushes the frame's pc plus the operand. */
  PC("pc", 0, 1),
  /** Pushes the CFA, which is there before the first operation of a register's expression. */
  CFA("cfa", 0, 1),
  /** Replaces an address by as many bytes of memory as the operand says, 1 to 8. */
  READ("*", 1, 1),
  /** Pushes the entry that has as many above it as the operand says. */
  PICK("pick", 0, 1),
  DROP(0x13, "drop", 1, 0),
  SWAP(0x16, "swap", 2, 2),
  /** The first three: the top becomes the third. */
  ROTATE(0x17, "rot", 3, 3),
  ABSOLUTE(0x19, "abs", 1, 1),
  NEGATE(0x1f, "neg", 1, 1),
  NOT(0x20, "not", 1, 1),
  AND(0x1a, "and"),
  DIVIDE(0x1b, "div"),
  MINUS(0x1c, "-"),
  /** Unsigned, as DWARF has it. */
  MODULO(0x1d, "mod"),
  TIMES(0x1e, "x"),
  OR(0x21, "or"),
  PLUS(0x22, "+"),
  SHIFT_LEFT(0x24, "shl"),
  SHIFT_RIGHT(0x25, "shr"),
  SHIFT_RIGHT_SIGNED(0x26, "shra"),
  XOR(0x27, "xor"),
  EQUAL(0x29, "eq"),
  GREATER_OR_EQUAL(0x2a, "ge"),
  GREATER(0x2b, "gt"),
  LESS_OR_EQUAL(0x2c, "le"),
  LESS(0x2d, "lt"),
  NOT_EQUAL(0x2e, "ne"),
  /** Goes on at the operation whose number is the operand, which lies ahead. */
  JUMP("jump", 0, 0),
  /** Pops a value and jumps likewise if that is not 0. */
  JUMP_IF("jump if", 1, 0);

  private static final int NO_CODE = -1;
  private static final Operation[] ALL = values();

  private final int opcode;
  private final String label;
  private final int takes;
  private final int leaves;

  /** An operation that stands for several codes of DWARF, or that has an operand. */
  Operation(String label, int takes, int leaves) {
    this(NO_CODE, label, takes, leaves);
  }

  /** An operation that makes one value of two. */
  Operation(int opcode, String label) {
    this(opcode, label, 2, 1);
  }

  Operation(int opcode, String label, int takes, int leaves) {
    this.opcode = opcode;
    this.label = label;
    this.takes = takes;
    this.leaves = leaves;
  }

  private static boolean isShift(long bits) {
    return bits >= 0 && bits < Long.SIZE;
  }

  static Operation of(int code) {
    return ALL[code];
  }

  /** The operation without an operand for a code of DWARF, or null. */
  static Operation ofDwarf(int opcode) {
    for (Operation operation : ALL) {
      if (operation.opcode == opcode) {
        return operation;
      }
    }
    return null;
  }

  static int count() {
    return ALL.length;
  }

  String label() {
    return label;
  }

  int takes() {
    return takes;
  }

  int leaves() {
    return leaves;
  }

  boolean isBinary() {
    return takes == 2 && leaves == 1;
  }

  /** The result of a {@link #isBinary} operation; {@code first} is the lower one on the stack. */
  long of(long first, long second) {
    return switch (this) {
      case AND -> first & second;
      case DIVIDE -> first / second;
      case MINUS -> first - second;
      case MODULO -> Long.remainderUnsigned(first, second);
      case TIMES -> first * second;
      case OR -> first | second;
      case PLUS -> first + second;
      case SHIFT_LEFT -> isShift(second) ? first << second : 0;
      case SHIFT_RIGHT -> isShift(second) ? first >>> second : 0;
      case SHIFT_RIGHT_SIGNED -> first >> (isShift(second) ? second : Long.SIZE - 1);
      case XOR -> first ^ second;
      case EQUAL -> first == second ? 1 : 0;
      case GREATER_OR_EQUAL -> first >= second ? 1 : 0;
      case GREATER -> first > second ? 1 : 0;
      case LESS_OR_EQUAL -> first <= second ? 1 : 0;
      case LESS -> first < second ? 1 : 0;
      case NOT_EQUAL -> first != second ? 1 : 0;
      default -> throw new AssertionError(this);
    };
  }

  boolean isJump() {
    return this == JUMP || this == JUMP_IF;
  }
}
