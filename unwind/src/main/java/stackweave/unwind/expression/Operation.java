package stackweave.unwind.expression;

/**
 * The operations of an expression: those of DWARF that call frame information may use (DWARF 5
 * sections 2.5.1 and 6.4.2.3), several codes made one. What they take from the stack and leave
 * there is fixed, so that a program can be checked before it runs.
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
  DROP("drop", 1, 0),
  SWAP("swap", 2, 2),
  /** The first three: the top becomes the third. */
  ROTATE("rot", 3, 3),
  ABSOLUTE("abs", 1, 1),
  NEGATE("neg", 1, 1),
  NOT("not", 1, 1),
  AND("and", 2, 1),
  DIVIDE("div", 2, 1),
  MINUS("-", 2, 1),
  /** Unsigned, as DWARF has it. */
  MODULO("mod", 2, 1),
  TIMES("x", 2, 1),
  OR("or", 2, 1),
  PLUS("+", 2, 1),
  SHIFT_LEFT("shl", 2, 1),
  SHIFT_RIGHT("shr", 2, 1),
  SHIFT_RIGHT_SIGNED("shra", 2, 1),
  XOR("xor", 2, 1),
  EQUAL("eq", 2, 1),
  GREATER_OR_EQUAL("ge", 2, 1),
  GREATER("gt", 2, 1),
  LESS_OR_EQUAL("le", 2, 1),
  LESS("lt", 2, 1),
  NOT_EQUAL("ne", 2, 1),
  /** Goes on at the operation whose number is the operand, which lies ahead. */
  JUMP("jump", 0, 0),
  /** The same if what it takes is not 0. */
  JUMP_IF("jump if", 1, 0);

  private static final Operation[] ALL = values();

  private final String label;
  private final int takes;
  private final int leaves;

  Operation(String label, int takes, int leaves) {
    this.label = label;
    this.takes = takes;
    this.leaves = leaves;
  }

  static Operation of(int code) {
    return ALL[code];
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

  boolean isJump() {
    return this == JUMP || this == JUMP_IF;
  }
}
