package stackweave.hotspot;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import stackweave.testing.Commands;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * A program in assembly without unwind information that gdb steps through. The true callers are
 * those that call instructions have pushed and return instructions have not taken yet: no unwind
 * information, and nothing of this project, is needed to know them.
 *
 * @param ranges all of its code, by the address of its first byte
 * @param states one for each instruction, in the order in which they were executed
 */
record SteppedProgram(List<Range> ranges, List<State> states) implements MemoryReader {
  /** By number in the script; DWARF numbers of the registers behind rip. */
  private static final int[] NUMBERS = {7, 6, 3, 12, 13, 14, 15, 0, 1, 2, 4, 5, 8, 9, 10, 11};

  private static final String SCRIPT =
      """
      import gdb
      names = ["rip", "rsp", "rbp", "rbx", "r12", "r13", "r14", "r15"]
      others = ["rax", "rdx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11"]
      def registers(names):
          frame = gdb.newest_frame()
          return ["%x" % (int(frame.read_register(n)) & (1 << 64) - 1) for n in names]
      def dump(start, end):
          memory = gdb.selected_inferior().read_memory(start, end - start).tobytes()
          print("code %x" % start, memory.hex())
      gdb.execute("starti")
      top = int(gdb.parse_and_eval("$rsp")) + 64
      inferior = gdb.selected_inferior()
      callers = []
      dumped = set()
      while inferior.threads():
          values = registers(names)
          pc = int(values[0], 16)
          sp = int(values[1], 16)
          if pc >> 12 not in dumped:
              dumped.add(pc >> 12)
              dump(pc & -4096, (pc & -4096) + 4096)
          bottom = sp - 256
          stack = inferior.read_memory(bottom, top - bottom).tobytes().hex()
          print("state %x" % bottom, stack, *values, *registers(others))
          for caller in reversed(callers):
              print("caller", *caller)
          text = gdb.execute("x/i $pc", to_string=True).split(":", 1)[1].split()
          gdb.execute("stepi", to_string=True)
          if not inferior.threads():
              break
          if text[0] in ("call", "callq"):
              after = int(gdb.parse_and_eval("$rsp"))
              pushed = int.from_bytes(inferior.read_memory(after, 8).tobytes(), "little")
              if pushed != int(gdb.parse_and_eval("$rip")) & (1 << 64) - 1:
                  callers.append(["%x" % pushed] + values[1:])
          elif "ret" in text or "ret" in text[0]:
              callers.pop()
          elif callers and text[0] == "jmp" and "*%rcx" in text:
              callers.pop()
      """;

  /** A piece of code. */
  record Range(long start, byte[] bytes) {}

  /**
   * One instruction.
   *
   * @param bottom address of the first byte of {@code stack}
   * @param registers rip, then those of {@link #NUMBERS}
   * @param callers the innermost first: return address, then sp and callee-saved registers
   */
  record State(long bottom, byte[] stack, long[] registers, List<long[]> callers) {
    long pc() {
      return registers[0];
    }

    /** The sample that is taken there. */
    StackSnapshot snapshot(MemoryReader elsewhere) {
      StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);
      snapshot.clear();
      snapshot.setElsewhere(elsewhere);
      snapshot.setHasRegisters(true);
      snapshot.registers().setPc(registers[0]);
      for (int i = 0; i < NUMBERS.length; i++) {
        snapshot.registers().set(NUMBERS[i], registers[1 + i]);
      }
      int skipped = (int) (registers[1] - bottom);
      int length = stack.length - skipped;
      System.arraycopy(stack, skipped, snapshot.stackBytes(), 0, length);
      snapshot.setStack(registers[1], length);
      return snapshot;
    }
  }

  /** Assembles and links the source, and steps through it; skips the test without gcc or gdb. */
  static SteppedProgram of(Path directory, Path source) throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "a program for x86-64");
    Path program = directory.resolve("program");
    Commands.outputOrSkip(
        "gcc", "-nostdlib", "-static", "-no-pie", "-o", program.toString(), source.toString());
    Path script = Files.writeString(directory.resolve("step.py"), SCRIPT);
    String said =
        Commands.outputOrSkip(
            "gdb",
            "-nx",
            "-batch",
            "-iex",
            "set debuginfod enabled off",
            "-x",
            script.toString(),
            program.toString());
    List<Range> code = new ArrayList<>();
    List<State> states = new ArrayList<>();
    for (String line : said.lines().toList()) {
      String[] words = line.split(" ");
      switch (words[0]) {
        case "code" -> code.add(new Range(hex(words[1]), bytes(words[2])));
        case "state" ->
            states.add(
                new State(hex(words[1]), bytes(words[2]), values(words, 3), new ArrayList<>()));
        case "caller" -> states.get(states.size() - 1).callers.add(values(words, 1));
        default -> {}
      }
    }
    return new SteppedProgram(code, states);
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static long[] values(String[] words, int from) {
    return IntStream.range(from, words.length).mapToLong(i -> hex(words[i])).toArray();
  }

  private static long hex(String word) {
    return Long.parseUnsignedLong(word, 16);
  }

  // ---- its code, as the unwinder reads it

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    byte[] word = new byte[Long.BYTES];
    read(address, word, 0, word.length);
    return ByteBuffer.wrap(word).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    for (int i = 0; i < length; i++) {
      target[offset + i] = at(address + i);
    }
  }

  /** Whether instructions of a page were executed. */
  boolean isCode(long address) {
    return ranges.stream().anyMatch(r -> address >= r.start && address - r.start < r.bytes.length);
  }

  /** Whether the instruction is {@code jmp *slot(%rip)}, with the prefix {@code bnd} or without. */
  boolean isJumpThroughData(long pc) {
    try {
      long jump = at(pc) == (byte) 0xf2 ? pc + 1 : pc;
      return at(jump) == (byte) 0xff && at(jump + 1) == 0x25;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  private byte at(long address) throws UnreadableMemoryException {
    for (Range range : ranges) {
      if (address >= range.start && address - range.start < range.bytes.length) {
        return range.bytes[(int) (address - range.start)];
      }
    }
    throw UnreadableMemoryException.UNREADABLE;
  }
}
