package stackweave.unwind.cfi;

import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.expression.ExpressionReader;
import stackweave.unwind.expression.Expressions;
import stackweave.unwind.expression.Program;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.SectionReader;

/**
 * The DWARF expressions of call frame information. Where a location says the same, it becomes one:
 * a register or the CFA plus constants, read through memory at most once, plus constants; and the
 * CFA of lazy-binding PLT entries is a rule of its own. All others are kept, to be evaluated at
 * each step ({@link ExpressionReader} says what is left: {@link Unsupported#EXPRESSION}).
 *
 * <p>Source: DWARF 5 sections 2.5 and 6.4.2. Not thread-safe.
 */
final class CallFrameExpression {
  private static final int MAX_STACK = 8;

  /** Code after which a value is: constant, base register + offset, CFA + offset, or unknown. */
  private static final int CONSTANT = 0;

  private static final int REGISTER = 1;
  private static final int CFA = 2;
  private static final int DEREF_REGISTER = 3;
  private static final int DEREF_CFA = 4;
  private static final int OTHER = 5;

  /** PLT entries of 16 bytes push 8 bytes at one place: 3x is DW_OP_lit of that place. */
  private static final int PLT_BLOCK = 16;

  private final SectionReader reader;
  private final Expressions expressions;
  private final ExpressionReader expressionReader;

  // A stack of symbolic values: form, register, offset before and after the read of memory.
  private final int[] forms = new int[MAX_STACK];
  private final int[] registers = new int[MAX_STACK];
  private final long[] inner = new long[MAX_STACK];
  private final long[] outer = new long[MAX_STACK];
  private int depth;
  private boolean failed;

  CallFrameExpression(SectionReader reader, RuleTable rules) {
    this.reader = reader;
    this.expressions = rules.expressions();
    this.expressionReader = new ExpressionReader(reader, rules.architecture());
  }

  /** Reads the block at the reader's position and makes it the rule's CFA. */
  void cfa(RuleBuilder rule) throws MalformedSectionException {
    int from = reader.position();
    int threshold = pltThreshold();
    if (threshold > 0 && rule.architecture() == Architecture.X86_64) {
      rule.setCfa(Architecture.X86_64.sp(), 8);
      rule.blockSize = PLT_BLOCK;
      rule.blockThreshold = threshold;
      return;
    }
    int limit = reader.limit();
    reader.range(from, limit);
    evaluate(false);
    int top = depth - 1;
    if (!failed && depth > 0 && forms[top] == REGISTER) {
      rule.setCfa(registers[top], inner[top]);
    } else if (!failed && depth > 0 && forms[top] == DEREF_REGISTER && fits(top)) {
      rule.setCfaAt(registers[top], (int) inner[top], (int) outer[top]);
    } else {
      reader.range(from, limit);
      int expression = intern(false);
      if (expression == Expressions.NONE) {
        rule.refuseCfa(Unsupported.EXPRESSION);
      } else {
        rule.setCfaExpression(expression);
      }
    }
  }

  /** Keeps the expression at the reader's position. */
  private int intern(boolean cfaOnStack) throws MalformedSectionException {
    Program program = expressionReader.read(cfaOnStack);
    return program == null ? Expressions.NONE : expressions.intern(program);
  }

  /**
   * Reads the block at the reader's position as the location of a register; {@link
   * Location#UNKNOWN} if it can't be evaluated.
   *
   * @param address whether the expression gives where the value is, rather than the value
   */
  long location(boolean address) throws MalformedSectionException {
    int from = reader.position();
    int limit = reader.limit();
    evaluate(true);
    long plain = plainLocation(address);
    if (Location.kind(plain) != Location.UNKNOWN) {
      return plain;
    }
    reader.range(from, limit);
    int expression = intern(true);
    return expression == Expressions.NONE
        ? plain
        : Location.of(address ? Location.AT_EXPRESSION : Location.EXPRESSION, 0, expression);
  }

  /** What was evaluated as a location without an expression, or {@link Location#UNKNOWN}. */
  private long plainLocation(boolean address) {
    int top = depth - 1;
    if (failed || depth == 0 || !fits(top)) {
      return Location.of(Location.UNKNOWN);
    }
    int offset = (int) inner[top];
    int register = registers[top];
    boolean plain = outer[top] == 0;
    return switch (forms[top]) {
      case REGISTER ->
          Location.of(address ? Location.AT_REGISTER : Location.REGISTER_PLUS, register, offset);
      case CFA -> Location.of(address ? Location.AT_CFA : Location.CFA_PLUS, 0, offset);
      case DEREF_REGISTER ->
          !address && plain
              ? Location.of(Location.AT_REGISTER, register, offset)
              : Location.of(Location.UNKNOWN);
      case DEREF_CFA -> !address && plain ? Location.atCfa(offset) : Location.of(Location.UNKNOWN);
      default -> Location.of(Location.UNKNOWN);
    };
  }

  private boolean fits(int i) {
    return inner[i] == (int) inner[i]
        && outer[i] == (int) outer[i]
        && registers[i] < Location.MAX_REGISTERS;
  }

  /**
   * The place of the push in a PLT entry if the block is the one that all x86-64 linkers write for
   * their PLT, {@code rsp + 8 + ((rip & 15) >= place) * 8}; else 0. Moves the reader past it.
   */
  private int pltThreshold() throws MalformedSectionException {
    long length = reader.uleb();
    if (length != 11) {
      return 0;
    }
    boolean same =
        reader.u1() == 0x77 // breg7 (rsp)
            && reader.u1() == 8
            && reader.u1() == 0x80 // breg16 (rip)
            && reader.u1() == 0
            && reader.u1() == 0x3f // lit15
            && reader.u1() == 0x1a; // and
    if (!same) {
      return 0;
    }
    int place = reader.u1() - 0x30; // lit
    same =
        reader.u1() == 0x2a // ge
            && reader.u1() == 0x33 // lit3
            && reader.u1() == 0x24 // shl
            && reader.u1() == 0x22; // plus
    return same && place > 0 && place < PLT_BLOCK ? place : 0;
  }

  /** Runs the block at the reader's position; leaves the reader behind it. */
  private void evaluate(boolean cfaOnStack) throws MalformedSectionException {
    long length = reader.uleb();
    int from = reader.position();
    int limit = reader.limit();
    reader.skip(length);
    int end = reader.position();
    reader.range(from, end);
    depth = 0;
    failed = false;
    if (cfaOnStack) {
      push(CFA, 0, 0);
    }
    while (!failed && reader.hasMore()) {
      operation(reader.u1());
    }
    reader.range(end, limit);
  }

  private void operation(int opcode) throws MalformedSectionException {
    if (opcode >= 0x30 && opcode <= 0x4f) { // lit0..31
      push(CONSTANT, 0, opcode - 0x30);
    } else if (opcode >= 0x70 && opcode <= 0x8f) { // breg0..31
      push(REGISTER, opcode - 0x70, reader.sleb());
    } else {
      switch (opcode) {
        case 0x06 -> deref();
        case 0x08 -> push(CONSTANT, 0, reader.u1());
        case 0x09 -> push(CONSTANT, 0, (byte) reader.u1());
        case 0x0a -> push(CONSTANT, 0, reader.u2());
        case 0x0b -> push(CONSTANT, 0, (short) reader.u2());
        case 0x0c -> push(CONSTANT, 0, reader.u4());
        case 0x0d -> push(CONSTANT, 0, reader.s4());
        case 0x0e, 0x0f -> push(CONSTANT, 0, reader.s8());
        case 0x10 -> push(CONSTANT, 0, reader.uleb());
        case 0x11 -> push(CONSTANT, 0, reader.sleb());
        case 0x13 -> drop();
        case 0x1c -> addTop(-1);
        case 0x22 -> addTop(1);
        case 0x23 -> add(reader.uleb());
        case 0x92 -> push(REGISTER, reader.register(), reader.sleb());
        case 0x96 -> {} // nop
        default -> failed = true;
      }
    }
  }

  private void push(int form, int register, long offset) {
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

  private void deref() {
    if (depth == 0) {
      failed = true;
      return;
    }
    int top = depth - 1;
    forms[top] =
        switch (forms[top]) {
          case REGISTER -> DEREF_REGISTER;
          case CFA -> DEREF_CFA;
          default -> OTHER;
        };
  }

  private void add(long constant) {
    if (depth == 0) {
      failed = true;
      return;
    }
    int top = depth - 1;
    if (forms[top] == DEREF_REGISTER || forms[top] == DEREF_CFA) {
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
    if (forms[top] == CONSTANT) {
      long constant = sign * inner[top];
      depth--;
      add(constant);
    } else if (forms[below] == CONSTANT && sign > 0) {
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
