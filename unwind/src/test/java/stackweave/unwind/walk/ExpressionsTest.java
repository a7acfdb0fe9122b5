package stackweave.unwind.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.Location;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.expression.ExpressionEvaluator;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.table.UnwindTables;
import stackweave.unwind.walk.GdbTrace.State;

/**
 * Functions whose CFA and registers are given by DWARF expressions of many operations: at each
 * instruction the frames with all their callee-saved registers are those that gdb finds, which
 * evaluates the expressions by itself.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExpressionsTest {
  /** DW_CFA_def_cfa_expression, with its length in bytes. */
  private static final int CFA = 0x0f;

  /** The same of the value of a register, and of its address. */
  private static final int VALUE = 0x16;

  private static final int ADDRESS = 0x10;
  private static final int RBX = 3;
  private static final int R12 = 12;

  private static String escape(int instruction, String bytes) {
    byte[] expression = HexFormat.ofDelimiter(" ").parseHex(bytes);
    return ".cfi_escape "
        + hex((byte) instruction)
        + ", "
        + hex((byte) expression.length)
        + operands(expression);
  }

  private static String escape(int instruction, int register, String bytes) {
    byte[] expression = HexFormat.ofDelimiter(" ").parseHex(bytes);
    return ".cfi_escape "
        + hex((byte) instruction)
        + ", "
        + hex((byte) register)
        + ", "
        + hex((byte) expression.length)
        + operands(expression);
  }

  private static String operands(byte[] expression) {
    StringBuilder text = new StringBuilder();
    for (byte b : expression) {
      text.append(", ").append(hex(b));
    }
    return text.toString();
  }

  private static String hex(byte b) {
    return String.format("0x%02x", b & 0xff);
  }

  /** A function that pushes rbx and r12 and makes room, with a CFA by expression all the while. */
  private static String function(String name, String cfa, String... more) {
    return """
        NAME:   .cfi_startproc
                .cfi_def_cfa_offset 8
                movq $5, %r9
                pushq %rbx
                .cfi_def_cfa_offset 16
                .cfi_offset %rbx, -16
                pushq %r12
                .cfi_def_cfa_offset 24
                .cfi_offset %r12, -24
                subq $40, %rsp
                .cfi_def_cfa_offset 64
                leaq 64(%rsp), %r10
                movq %r10, 8(%rsp)
                leaq 8(%rsp), %r11
                movq %r11, 16(%rsp)
                movq $-192, 24(%rsp)
                CFA
                MORE
                movl $1, %ebx
                movl $2, %r12d
                call leaf
                movq $5, %r9
                nop
                movq 40(%rsp), %r12
                movq 48(%rsp), %rbx
                .cfi_def_cfa %rsp, 64
                .cfi_restore %rbx
                .cfi_restore %r12
                addq $56, %rsp
                .cfi_def_cfa_offset 8
                ret
                .cfi_endproc
        """
        .replace("NAME", name)
        .replace("CFA", cfa)
        .replace("MORE", String.join("\n", more));
  }

  /**
   * By name: rsp + r9 * 8 + 24, as BoringSSL's multiplication has it; two reads; a jump over what
   * would spoil it; arithmetic of all sorts; registers by value and by address.
   */
  private static final String PROGRAM =
      """
              .text
              .globl _start
      _start: .cfi_startproc
              .cfi_undefined rip
              movq $0x1003, %rbx
              movq $0x1012, %r12
              movq $0x1006, %rbp
              call twice
              call jumps
              call moves
              call values
              call bytes
              call scaled
              movl $60, %eax
              xorl %edi, %edi
              syscall
              .cfi_endproc
      leaf:   .cfi_startproc
              nop
              ret
              .cfi_endproc
      """
          // *(*(rsp + 16)) : 16(rsp) -> 8(rsp) -> CFA
          + function("twice", escape(CFA, "77 10 06 06"))
          // rsp + 64; if rip >= 1 skip "+ 8"
          + function("jumps", escape(CFA, "77 c0 00 80 00 31 2f 03 00 23 08 96 2e 28 02 00 23 08"))
          // 64 by each operation that there is, plus rsp
          + function(
              "moves",
              escape(
                  CFA,
                  "39 37 32 17 1c 1e 12 14 15 02 13 22 16 1b 35 24 1f 19 20 20 30 21 08 ff 1a"
                      + " 30 27 31 25 31 24 30 26 08 41 1d 12 30 2b 1e 12 12 29 1e 12 35 2e 1e"
                      + " 12 35 2d 22 12 12 2c 1e 12 12 2a 1e 77 00 22"))
          + function(
              "values",
              escape(CFA, "77 c0 00 12 20 20 16 13"),
              // rbx = *(CFA - 16) by arithmetic on the CFA; r12 at rsp + 40
              escape(VALUE, RBX, "31 34 24 1c 06"),
              escape(ADDRESS, R12, "13 77 08 34 38 1e 22"))
          // a byte, 64, of -192
          + function("bytes", escape(CFA, "77 18 94 01 77 00 22"))
          + function("scaled", escape(CFA, "77 18 79 00 33 24 22"));

  private GdbTrace trace;

  @BeforeAll
  void stepThroughTheProgram(@TempDir Path directory) throws Exception {
    trace = GdbTrace.of(directory, PROGRAM);
  }

  @Test
  void framesAreThoseOfGdb() throws Exception {
    NativeUnwinder unwinder = new NativeUnwinder(new RuleTable(Architecture.X86_64));
    UnwindTable table = UnwindTables.open(trace.elf().ehFrameOnly(), unwinder.rules());
    Elf.Header text = trace.elf().header(".text");
    ModuleList modules = new ModuleList();
    modules.add(text.address(), text.address() + text.size(), 0, table);
    int byExpression = 0;
    for (State state : trace.states()) {
      StackSnapshot snapshot = state.snapshot(0);
      Registers registers = snapshot.registers();
      boolean interrupted = true;
      for (int i = 1; i < state.frames().size(); i++) {
        int rule = table.find(interrupted ? registers.pc() : registers.pc() - 1);
        boolean expression = Location.kind(unwinder.rules().cfa(rule)) == Location.EXPRESSION;
        byExpression += expression ? 1 : 0;
        StopReason stop = unwinder.step(registers, interrupted, snapshot, modules);
        if (stop == StopReason.UNKNOWN_REGISTER && usesLostRegister(state, i, interrupted)) {
          break;
        }
        assertNull(stop, state.at(i));
        assertEquals(
            GdbTrace.text(state.frames().get(i), true),
            GdbTrace.text(registers, true),
            state.at(i));
        interrupted = false;
      }
    }
    assertTrue(byExpression > 40, byExpression + " steps by expressions");
  }

  /** Of callers no unwinder knows r9; gdb takes what it holds in the innermost frame. */
  private static boolean usesLostRegister(State state, int frame, boolean interrupted) {
    return !interrupted && state.names().get(frame - 1).equals("scaled");
  }

  @Test
  void allFunctionsAreSteppedThrough() {
    assertEquals(
        List.of("_start", "bytes", "jumps", "leaf", "moves", "scaled", "twice", "values"),
        trace.states().stream()
            .map(state -> state.names().get(0))
            .distinct()
            .sorted()
            .collect(Collectors.toList()));
  }

  @Test
  void rulesAreTheSameInAnotherTable() {
    RuleTable rules = new RuleTable(Architecture.X86_64);
    UnwindTable table = UnwindTables.open(trace.elf().ehFrameOnly(), rules);
    RuleTable others = new RuleTable(Architecture.X86_64);
    others.intern(rules.words(table.find(trace.states().get(0).frames().get(0)[0])));
    for (State state : trace.states()) {
      int rule = table.find(state.frames().get(0)[0]);
      long[] words = rules.words(rule);
      assertEquals(rules.describe(rule), others.describe(others.intern(words)));
    }
    assertTrue(others.expressions().size() >= 7, others.expressions().size() + " expressions");
  }

  @Test
  void madeUpWordsAreRefusedOrHarmless() throws Exception {
    RuleTable rules = new RuleTable(Architecture.X86_64);
    UnwindTable table = UnwindTables.open(trace.elf().ehFrameOnly(), rules);
    State moves =
        trace.states().stream()
            .filter(state -> state.names().get(0).equals("moves"))
            .skip(10)
            .findFirst()
            .orElseThrow();
    long[] good = rules.words(table.find(moves.frames().get(0)[0]));
    int refused = 0;
    for (int word = 0; word < good.length; word++) {
      for (long bad : new long[] {-1, 0, 5, 31, 32, 0xff, Long.MIN_VALUE, 1L << 40, good.length}) {
        long[] words = good.clone();
        words[word] = bad;
        try {
          // Another rule of the same form can be told, and evaluated.
          int rule = rules.intern(words);
          rules.describe(rule);
          if (Location.kind(rules.cfa(rule)) == Location.EXPRESSION) {
            evaluate(rules, Location.offset(rules.cfa(rule)), moves);
          }
        } catch (IllegalArgumentException e) {
          refused++;
        }
      }
    }
    assertTrue(refused > good.length, refused + " refused");
    for (int length = 0; length < good.length; length++) {
      long[] words = Arrays.copyOf(good, length);
      assertThrows(IllegalArgumentException.class, () -> rules.intern(words));
    }
  }

  private static void evaluate(RuleTable rules, int expression, State state) {
    StackSnapshot snapshot = state.snapshot(0);
    ExpressionEvaluator evaluator =
        new ExpressionEvaluator(rules.expressions(), ByteOrder.LITTLE_ENDIAN);
    try {
      evaluator.evaluate(expression, 0, snapshot.registers(), snapshot);
    } catch (UnreadableMemoryException e) {
      // What it reads is anywhere.
    }
  }
}
