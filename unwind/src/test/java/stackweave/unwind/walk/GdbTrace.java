package stackweave.unwind.walk;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import stackweave.testing.Commands;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.Registers;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * A program in assembly for x86-64 that gdb steps through: at each instruction the frames that gdb
 * finds, with their callee-saved registers ({@code -Dunwind.gdb=PROGRAM}: another gdb than that on
 * the path).
 *
 * @param states one for each instruction, in the order in which they were executed
 */
public record GdbTrace(Elf elf, List<GdbTrace.State> states) {
  private static final String GDB = System.getProperty("unwind.gdb", "gdb");

  /** Each instruction's frames, with the stack from the red zone up to where it began. */
  private static final String SCRIPT =
      """
      import gdb
      names = ["rip", "rsp", "rbp", "rbx", "r12", "r13", "r14", "r15"]
      others = ["rax", "rdx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11"]
      def registers(frame, names):
          return ["%x" % (int(frame.read_register(n)) & (1 << 64) - 1) for n in names]
      gdb.execute("starti")
      top = int(gdb.newest_frame().read_register("rsp")) + 64
      while gdb.selected_inferior().threads():
          frame = gdb.newest_frame()
          bottom = int(frame.read_register("rsp")) - 256
          print("stack %x" % bottom, gdb.selected_inferior().read_memory(bottom, top - bottom).tobytes().hex(), *registers(frame, others))
          while frame is not None:
              print("frame", frame.name(), *registers(frame, names))
              frame = frame.older()
          gdb.execute("stepi", to_string=True)
      """;

  /** DWARF numbers of the script's names behind rip, and of its others. */
  private static final int[] NUMBERS = {7, 6, 3, 12, 13, 14, 15};

  private static final int[] OTHERS = {0, 1, 2, 4, 5, 8, 9, 10, 11};

  /**
   * One instruction.
   *
   * @param bottom address of the first byte of {@code stack}
   * @param others of the innermost frame, what no function hands back
   * @param names of the frames, the innermost first
   * @param frames their registers: rip, then those of {@link #NUMBERS}
   */
  public record State(
      long bottom, byte[] stack, long[] others, List<String> names, List<long[]> frames) {
    /** The innermost frame's registers, and the stack from {@code below} bytes below its sp on. */
    public StackSnapshot snapshot(int below) {
      StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);
      long[] innermost = frames.get(0);
      snapshot.registers().setPc(innermost[0]);
      for (int i = 0; i < NUMBERS.length; i++) {
        snapshot.registers().set(NUMBERS[i], innermost[1 + i]);
      }
      for (int i = 0; i < OTHERS.length; i++) {
        snapshot.registers().set(OTHERS[i], others[i]);
      }
      long from = innermost[1] - below;
      int skipped = (int) (from - bottom);
      int length = stack.length - skipped;
      System.arraycopy(stack, skipped, snapshot.stackBytes(), 0, length);
      snapshot.setStack(from, length);
      return snapshot;
    }

    /** Where it is, for messages. */
    public String at(int frame) {
      return names.get(0) + " at " + Long.toHexString(frames.get(0)[0]) + ", frame " + frame;
    }
  }

  /** Assembles and links the source, and steps through it; skips the test without gcc or gdb. */
  public static GdbTrace of(Path directory, String assembly) throws Exception {
    assumeTrue(System.getProperty("os.arch").equals("amd64"), "a program for x86-64");
    Path source = Files.writeString(directory.resolve("program.s"), assembly);
    Path program = directory.resolve("program");
    Commands.outputOrSkip(
        "gcc", "-nostdlib", "-static", "-o", program.toString(), source.toString());
    Path script = Files.writeString(directory.resolve("step.py"), SCRIPT);
    String said =
        Commands.outputOrSkip(
            GDB,
            "-nx",
            "-batch",
            "-iex",
            "set debuginfod enabled off",
            "-x",
            script.toString(),
            program.toString());
    return new GdbTrace(Elf.read(program), states(said));
  }

  private static List<State> states(String said) {
    List<State> states = new ArrayList<>();
    for (String line : said.lines().toList()) {
      String[] words = line.split(" ");
      if (words[0].equals("stack")) {
        byte[] stack = HexFormat.of().parseHex(words[2]);
        states.add(
            new State(
                hex(words[1]), stack, values(words, 3), new ArrayList<>(), new ArrayList<>()));
      } else if (words[0].equals("frame")) {
        State state = states.get(states.size() - 1);
        state.names.add(words[1]);
        state.frames.add(values(words, 2));
      }
    }
    return states;
  }

  private static long[] values(String[] words, int from) {
    return IntStream.range(from, words.length).mapToLong(i -> hex(words[i])).toArray();
  }

  private static long hex(String word) {
    return Long.parseUnsignedLong(word, 16);
  }

  /**
   * A frame of gdb's.
   *
   * @param all whether with all callee-saved registers, or those that every caller needs
   */
  public static String text(long[] frame, boolean all) {
    StringBuilder text = new StringBuilder("pc " + Long.toHexString(frame[0]));
    for (int i = 0; i < (all ? NUMBERS.length : 2); i++) {
      text.append(" r").append(NUMBERS[i]).append(' ').append(Long.toHexString(frame[1 + i]));
    }
    return text.toString();
  }

  /** A frame of ours in the same form. */
  public static String text(Registers registers, boolean all) {
    StringBuilder text = new StringBuilder("pc " + Long.toHexString(registers.pc()));
    for (int i = 0; i < (all ? NUMBERS.length : 2); i++) {
      text.append(" r").append(NUMBERS[i]).append(' ');
      text.append(
          registers.isKnown(NUMBERS[i]) ? Long.toHexString(registers.get(NUMBERS[i])) : "lost");
    }
    return text.toString();
  }
}
