package stackweave.sframe.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.section.Section;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;
import stackweave.unwind.walk.GdbTrace;
import stackweave.unwind.walk.GdbTrace.State;
import stackweave.unwind.walk.ModuleList;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Leaf functions that keep what they must hand back below sp, and say so: at each instruction of a
 * program, the frames with all their callee-saved registers are those that gdb finds. Their caller
 * finds its frame by rbp, which they have overwritten.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedZoneTest {
  private static final int RED_ZONE = 128;

  /**
   * {@code _start} calls {@code outer}, that the leaves {@code near}, {@code far}, {@code kept}.
   */
  private static final String PROGRAM =
      """
              .text
              .globl _start
      _start: .cfi_startproc
              .cfi_undefined rip
              movq $0x1006, %rbp
              movq $0x1003, %rbx
              movq $0x1012, %r12
              call outer
              movl $60, %eax
              xorl %edi, %edi
              syscall
              .cfi_endproc

      outer:  .cfi_startproc
              pushq %rbp
              .cfi_def_cfa_offset 16
              .cfi_offset %rbp, -16
              movq %rsp, %rbp
              .cfi_def_cfa_register %rbp
              subq $32, %rsp
              movq $0x2003, %rbx
              movq $0x2012, %r12
              call near
              call far
              call kept
              leave
              .cfi_def_cfa %rsp, 8
              ret
              .cfi_endproc

      # The first three slots of the red zone; what was restored is said to be.
      near:   .cfi_startproc
              movq %rbp, -8(%rsp)
              .cfi_offset %rbp, -16
              movq %rbx, -16(%rsp)
              .cfi_offset %rbx, -24
              movq %r12, -24(%rsp)
              .cfi_offset %r12, -32
              movl $1, %ebp
              movl $2, %ebx
              movl $3, %r12d
              addl %ebx, %ebp
              movq -24(%rsp), %r12
              .cfi_restore %r12
              movq -16(%rsp), %rbx
              .cfi_restore %rbx
              movq -8(%rsp), %rbp
              .cfi_restore %rbp
              ret
              .cfi_endproc

      # The last slot of the red zone: the first byte of it is at sp - 128.
      far:    .cfi_startproc
              movq %rbp, -128(%rsp)
              .cfi_offset %rbp, -136
              xorl %ebp, %ebp
              movq -128(%rsp), %rbp
              .cfi_restore %rbp
              ret
              .cfi_endproc

      # Pushed first, then popped, then overwritten: the slot counts to the end.
      kept:   .cfi_startproc
              pushq %rbp
              .cfi_def_cfa_offset 16
              .cfi_offset %rbp, -16
              popq %rbp
              .cfi_def_cfa_offset 8
              movl $4, %ebp
              movq -8(%rsp), %rbp
              ret
              .cfi_endproc
      """;

  private GdbTrace trace;
  private List<State> states;

  @BeforeAll
  void stepThroughTheProgram(@TempDir Path directory) throws Exception {
    trace = GdbTrace.of(directory, PROGRAM);
    states = trace.states();
    assertTrue(states.size() > 30, states.size() + " instructions");
  }

  /** The program saves and overwrites registers as the test supposes. */
  @Test
  void leavesAreSteppedThrough() {
    for (String leaf : List.of("near", "far", "kept")) {
      assertTrue(
          states.stream()
              .anyMatch(
                  state ->
                      state.names().equals(List.of(leaf, "outer", "_start"))
                          && state.frames().get(0)[2] != state.frames().get(1)[2]),
          leaf + " does not overwrite rbp");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".eh_frame", "SFrame V2", "SFrame V3"})
  void framesAreThoseOfGdb(String kind) throws Exception {
    boolean all = kind.equals(".eh_frame"); // SFrame says nothing of callee-saved registers but rbp
    ModuleList modules = new ModuleList();
    NativeUnwinder unwinder = unwinder(kind, modules);
    int frames = 0;
    for (State state : states) {
      StackSnapshot snapshot = state.snapshot(RED_ZONE);
      Registers registers = snapshot.registers();
      boolean interrupted = true;
      for (int i = 1; i < state.frames().size(); i++) {
        assertNull(unwinder.step(registers, interrupted, snapshot, modules));
        interrupted = false;
        frames++;
        assertEquals(
            GdbTrace.text(state.frames().get(i), all), GdbTrace.text(registers, all), state.at(i));
      }
      assertEquals(StopReason.COMPLETE, unwinder.step(registers, interrupted, snapshot, modules));
    }
    assertTrue(frames > states.size(), frames + " frames");
  }

  /** What was copied from sp on does not have it: the leaf's caller is found all the same. */
  @Test
  void callerIsFoundWithoutTheRedZone() throws Exception {
    ModuleList modules = new ModuleList();
    NativeUnwinder unwinder = unwinder(".eh_frame", modules);
    for (State state : states) {
      if (state.frames().size() > 1) {
        StackSnapshot snapshot = state.snapshot(0);
        Registers registers = snapshot.registers();
        assertNull(unwinder.step(registers, true, snapshot, modules));
        assertEquals(state.frames().get(1)[0], registers.pc(), state.at(1));
        assertEquals(state.frames().get(1)[1], registers.sp(), state.at(1));
      }
    }
  }

  private NativeUnwinder unwinder(String kind, ModuleList modules) throws Exception {
    UnwindSections sections = trace.elf().ehFrameOnly();
    if (!kind.equals(".eh_frame")) {
      int version = kind.charAt(kind.length() - 1) - '0';
      byte[] sframe = SFrameWriter.convert(sections, version, ByteOrder.LITTLE_ENDIAN, 0).bytes();
      sections =
          new UnwindSections(
              new Section(ByteBuffer.wrap(sframe), 0), null, null, null, Architecture.X86_64);
    }
    RuleTable rules = new RuleTable(Architecture.X86_64);
    Elf.Header text = trace.elf().header(".text");
    modules.add(
        text.address(), text.address() + text.size(), 0, UnwindTables.open(sections, rules));
    return new NativeUnwinder(rules);
  }
}
