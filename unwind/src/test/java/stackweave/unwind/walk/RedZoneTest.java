package stackweave.unwind.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
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
import stackweave.unwind.sframe.writer.SFrameWriter;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.table.UnwindSections;
import stackweave.unwind.table.UnwindTables;

/**
 * Leaf functions that keep what they must hand back below sp, and say so: at each instruction of a
 * program, the frames with all their callee-saved registers are those that gdb finds ({@code
 * -Dunwind.gdb=PROGRAM}: another one than that on the path). Their caller finds its frame by rbp,
 * which they have overwritten.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedZoneTest {
  private static final String GDB = System.getProperty("unwind.gdb", "gdb");
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

  /** Each instruction's frames, with the stack from the red zone up to where it began. */
  private static final String SCRIPT =
      """
      import gdb
      names = ["rip", "rsp", "rbp", "rbx", "r12", "r13", "r14", "r15"]
      def registers(frame):
          return [int(frame.read_register(n)) & (1 << 64) - 1 for n in names]
      gdb.execute("starti")
      top = registers(gdb.newest_frame())[1] + 64
      while gdb.selected_inferior().threads():
          frame = gdb.newest_frame()
          bottom = registers(frame)[1] - 256
          print("stack %x" % bottom, gdb.selected_inferior().read_memory(bottom, top - bottom).tobytes().hex())
          while frame is not None:
              print("frame", frame.name(), *["%x" % r for r in registers(frame)])
              frame = frame.older()
          gdb.execute("stepi", to_string=True)
      """;

  /** DWARF numbers of the script's registers behind rip. */
  private static final int[] NUMBERS = {7, 6, 3, 12, 13, 14, 15};

  /** One instruction: its frames, innermost first, each with the registers of the script. */
  private record State(long bottom, byte[] stack, List<String> names, List<long[]> frames) {}

  private Elf elf;
  private List<State> states;

  @BeforeAll
  void stepThroughTheProgram(@TempDir Path directory) throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "a program for x86-64");
    Path source = Files.writeString(directory.resolve("leaves.s"), PROGRAM);
    Path program = directory.resolve("leaves");
    run("gcc", "-nostdlib", "-static", "-o", program.toString(), source.toString());
    Path script = Files.writeString(directory.resolve("step.py"), SCRIPT);
    String said =
        run(
            GDB,
            "-nx",
            "-batch",
            "-iex",
            "set debuginfod enabled off",
            "-x",
            script.toString(),
            program.toString());
    elf = Elf.read(program);
    states = states(said);
    assertTrue(states.size() > 30, said);
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      assumeTrue(false, command[0] + " is missing");
      throw e;
    }
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), text);
    return text;
  }

  private static List<State> states(String said) {
    List<State> states = new ArrayList<>();
    for (String line : said.lines().toList()) {
      String[] words = line.split(" ");
      if (words[0].equals("stack")) {
        byte[] stack = HexFormat.of().parseHex(words[2]);
        states.add(new State(hex(words[1]), stack, new ArrayList<>(), new ArrayList<>()));
      } else if (words[0].equals("frame")) {
        State state = states.get(states.size() - 1);
        state.names.add(words[1]);
        state.frames.add(IntStream.range(2, words.length).mapToLong(i -> hex(words[i])).toArray());
      }
    }
    return states;
  }

  private static long hex(String word) {
    return Long.parseUnsignedLong(word, 16);
  }

  /** The program saves and overwrites registers as the test supposes. */
  @Test
  void leavesAreSteppedThrough() {
    for (String leaf : List.of("near", "far", "kept")) {
      assertTrue(
          states.stream()
              .anyMatch(
                  state ->
                      state.names.equals(List.of(leaf, "outer", "_start"))
                          && state.frames.get(0)[2] != state.frames.get(1)[2]),
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
      StackSnapshot snapshot = snapshot(state, RED_ZONE);
      Registers registers = snapshot.registers();
      boolean interrupted = true;
      for (int i = 1; i < state.frames.size(); i++) {
        assertNull(unwinder.step(registers, interrupted, snapshot, modules));
        interrupted = false;
        frames++;
        assertEquals(text(state.frames.get(i), all), text(registers, all), at(state, i));
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
      if (state.frames.size() > 1) {
        StackSnapshot snapshot = snapshot(state, 0);
        Registers registers = snapshot.registers();
        assertNull(unwinder.step(registers, true, snapshot, modules));
        assertEquals(state.frames.get(1)[0], registers.pc(), at(state, 1));
        assertEquals(state.frames.get(1)[1], registers.sp(), at(state, 1));
      }
    }
  }

  private NativeUnwinder unwinder(String kind, ModuleList modules) throws Exception {
    UnwindSections sections = elf.ehFrameOnly();
    if (!kind.equals(".eh_frame")) {
      int version = kind.charAt(kind.length() - 1) - '0';
      byte[] sframe = SFrameWriter.convert(sections, version, ByteOrder.LITTLE_ENDIAN, 0).bytes();
      sections =
          new UnwindSections(
              new Section(ByteBuffer.wrap(sframe), 0), null, null, null, Architecture.X86_64);
    }
    RuleTable rules = new RuleTable(Architecture.X86_64);
    Elf.Header text = elf.header(".text");
    modules.add(
        text.address(), text.address() + text.size(), 0, UnwindTables.open(sections, rules));
    return new NativeUnwinder(rules);
  }

  /** The innermost frame's registers, and the stack from {@code below} bytes below its sp on. */
  private static StackSnapshot snapshot(State state, int below) {
    StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);
    long[] innermost = state.frames.get(0);
    snapshot.registers().setPc(innermost[0]);
    for (int i = 0; i < NUMBERS.length; i++) {
      snapshot.registers().set(NUMBERS[i], innermost[1 + i]);
    }
    long from = innermost[1] - below;
    int skipped = (int) (from - state.bottom);
    int length = state.stack.length - skipped;
    System.arraycopy(state.stack, skipped, snapshot.stackBytes(), 0, length);
    snapshot.setStack(from, length);
    return snapshot;
  }

  private static String text(long[] frame, boolean all) {
    StringBuilder text = new StringBuilder("pc " + Long.toHexString(frame[0]));
    for (int i = 0; i < (all ? NUMBERS.length : 2); i++) {
      text.append(" r").append(NUMBERS[i]).append(' ').append(Long.toHexString(frame[1 + i]));
    }
    return text.toString();
  }

  private static String text(Registers registers, boolean all) {
    StringBuilder text = new StringBuilder("pc " + Long.toHexString(registers.pc()));
    for (int i = 0; i < (all ? NUMBERS.length : 2); i++) {
      text.append(" r").append(NUMBERS[i]).append(' ');
      text.append(
          registers.isKnown(NUMBERS[i]) ? Long.toHexString(registers.get(NUMBERS[i])) : "lost");
    }
    return text.toString();
  }

  private static String at(State state, int frame) {
    return state.names.get(0)
        + " at "
        + Long.toHexString(state.frames.get(0)[0])
        + ", frame "
        + frame;
  }
}
