package stackweave.unwind.cfi;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.expression.ExpressionReader;
import stackweave.unwind.expression.Expressions;
import stackweave.unwind.expression.PlainValue;
import stackweave.unwind.expression.Program;
import stackweave.unwind.rule.RuleBuilder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.Unsupported;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.SectionReader;

/**
 * Reads the DWARF expressions of call frame information into a {@link RuleBuilder}. A register or
 * the CFA plus constants, read through memory at most once, becomes a plain location, and the CFA
 * of lazy-binding PLT entries a rule of its own kind. Other expressions are evaluated at each step;
 * those that {@link ExpressionReader} refuses are {@link Unsupported#EXPRESSION}.
 *
 * <p>Source: DWARF 5 sections 2.5 and 6.4.2. Not thread-safe.
 */
final class CallFrameExpression {
  private static final int PLT_BLOCK = 16;

  /**
   * The CFA that all x86-64 linkers write for their PLT, whose entries of 16 bytes push 8 bytes at
   * one place: {@code rsp + 8 + ((rip & 15) >= place) * 8}, in the text form of a {@link Program}.
   */
  private static final Pattern PLT =
      Pattern.compile("r7\\+8 pc\\+0 15 and ([1-9]|1[0-5]) ge 3 shl \\+");

  private final Expressions expressions;
  private final ExpressionReader expressionReader;

  CallFrameExpression(SectionReader reader, RuleTable rules) {
    this.expressions = rules.expressions();
    this.expressionReader = new ExpressionReader(reader, rules.architecture());
  }

  /** Reads the block at the reader's position and makes it the rule's CFA. */
  void cfa(RuleBuilder rule) throws MalformedSectionException {
    Program program = expressionReader.read(false);
    Matcher plt = PLT.matcher(program == null ? "" : program.toString());
    if (plt.matches() && rule.architecture() == Architecture.X86_64) {
      rule.setCfa(Architecture.X86_64.sp(), 8);
      rule.blockSize = PLT_BLOCK;
      rule.blockThreshold = Integer.parseInt(plt.group(1));
      return;
    }
    PlainValue value = PlainValue.of(program);
    switch (value.form()) {
      case REGISTER -> rule.setCfa(value.register(), value.offset());
      case AT_REGISTER -> {
        if (fits(value)) {
          rule.setCfaAt(value.register(), (int) value.offset(), (int) value.outerOffset());
        } else {
          cfa(rule, program);
        }
      }
      default -> cfa(rule, program);
    }
  }

  private void cfa(RuleBuilder rule, Program program) {
    int expression = intern(program);
    if (expression == Expressions.NONE) {
      rule.refuseCfa(Unsupported.EXPRESSION);
    } else {
      rule.setCfaExpression(expression);
    }
  }

  private int intern(Program program) {
    return program == null ? Expressions.NONE : expressions.intern(program);
  }

  /**
   * Reads the block at the reader's position as the location of a register; {@link
   * Location#UNKNOWN} if it can't be evaluated.
   *
   * @param address whether the expression gives where the value is, rather than the value
   */
  long location(boolean address) throws MalformedSectionException {
    Program program = expressionReader.read(true);
    long plain = plainLocation(PlainValue.of(program), address);
    if (Location.kind(plain) != Location.UNKNOWN) {
      return plain;
    }
    int expression = intern(program);
    return expression == Expressions.NONE
        ? plain
        : Location.of(address ? Location.AT_EXPRESSION : Location.EXPRESSION, 0, expression);
  }

  /** The value as a location without an expression, or {@link Location#UNKNOWN}. */
  private static long plainLocation(PlainValue value, boolean address) {
    if (value.form() == PlainValue.Form.OTHER || !fits(value)) {
      return Location.of(Location.UNKNOWN);
    }
    int offset = (int) value.offset();
    int register = value.register();
    boolean read = !address && value.outerOffset() == 0;
    return switch (value.form()) {
      case REGISTER ->
          Location.of(address ? Location.AT_REGISTER : Location.REGISTER_PLUS, register, offset);
      case CFA -> Location.of(address ? Location.AT_CFA : Location.CFA_PLUS, 0, offset);
      case AT_REGISTER ->
          read
              ? Location.of(Location.AT_REGISTER, register, offset)
              : Location.of(Location.UNKNOWN);
      case AT_CFA -> read ? Location.atCfa(offset) : Location.of(Location.UNKNOWN);
      default -> Location.of(Location.UNKNOWN);
    };
  }

  private static boolean fits(PlainValue value) {
    return value.offset() == (int) value.offset()
        && value.outerOffset() == (int) value.outerOffset()
        && value.register() < Location.MAX_REGISTERS;
  }
}
