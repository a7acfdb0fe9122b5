package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.testing.Commands;
import stackweave.unwind.Architecture;
import stackweave.unwind.StopReason;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.CodeModules;

/**
 * Leaves in code without unwind information: functions of the C library whose information is kept
 * from the unwinder, and says in the test where the return address is. All other words of the stack
 * are return addresses, too: of calls long returned.
 */
class NativeLeafIT {
  private static final int RSP = 7;
  private static final long SP = 0x7000_0000_0000L;
  private static final int STACK_BYTES = 4096;
  private static final Pattern BY_RSP = Pattern.compile("cfa=r7\\+(\\d+) ra=c-8.*");

  /** What a call leaves as frame pointer, for all it matters here. */
  private static final long FP = SP + 2048;

  private static final Set<Long> INSTRUCTIONS = new HashSet<>();

  private final Vm vm = new Vm();
  private final FrameBuffer frames = new FrameBuffer(64);
  private final ProcessModules.Module libc;
  private final List<Long> returns = new ArrayList<>();

  NativeLeafIT() throws Exception {
    ProcessModules.Module found = null;
    for (long start : vm.modules.libcFunctions()) {
      found = vm.modules.find(start);
      byte[] code = new byte[256];
      vm.memory.read(start, code, 0, code.length);
      for (int i = 8; i < code.length && returns.size() < 400; i++) {
        if (code[i - 5] == (byte) 0xe8 && vm.modules.find(start + i) == found) {
          returns.add(start + i);
        }
      }
    }
    libc = found;
  }

  /** The C library, with functions but without unwind information. */
  private final class Silent implements CodeModules, CodeModule {
    private final TreeSet<Long> functions = new TreeSet<>();

    Silent(boolean symbols) {
      if (symbols) {
        functions.addAll(vm.modules.libcFunctions());
      }
    }

    @Override
    public int generation() {
      return functions.isEmpty() ? 1 : 2;
    }

    @Override
    public CodeModule find(long pc) {
      return vm.modules.find(pc) == null ? null : this;
    }

    @Override
    public long bias() {
      return 0;
    }

    @Override
    public UnwindTable unwindTable() {
      return new Nothing();
    }

    @Override
    public long functionStart(long pc) {
      Long start = functions.floor(pc);
      return start == null ? 0 : start;
    }
  }

  private static final class Nothing implements UnwindTable {
    @Override
    public int find(long address) {
      return NO_RULE;
    }

    @Override
    public UnwindSource source() {
      return UnwindSource.NONE;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void returnsWhereTheUnwindTableSaysAmongStaleReturnAddresses(boolean symbols) throws Exception {
    Set<Long> instructions = instructions();
    assertTrue(returns.size() > 100);
    MixedUnwinder unwinder = vm.unwinder();
    Silent modules = new Silent(symbols);
    List<String> wrong = new ArrayList<>();
    int checked = 0;
    int deep = 0;
    int functions = 0;
    for (long start : vm.modules.libcFunctions()) {
      // A tenth of them, others with symbols than without.
      for (int offset = functions++ % 10 == (symbols ? 0 : 1) ? 0 : 64; offset < 64; offset++) {
        Matcher rule =
            instructions.contains(start + offset - libc.bias()) ? rule(start + offset) : null;
        if (rule != null) {
          int depth = Integer.parseInt(rule.group(1)) - Cpu.WORD;
          unwinder.unwind(sample(start + offset, depth), modules, frames);
          if (frames.count() > 1 && !frames.found(1).isGuess()) {
            if (!returns.get(depth / Cpu.WORD).equals(frames.pc(1))) {
              wrong.add(
                  frames.found(1)
                      + " "
                      + returns.indexOf(frames.pc(1))
                      + " instead of depth "
                      + depth
                      + " in "
                      + Long.toHexString(start - libc.bias())
                      + " at "
                      + Long.toHexString(frames.pc(0) - libc.bias()));
            }
            checked++;
            deep += depth > 0 ? 1 : 0;
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(checked > 700 && deep > 300, checked + " checked, " + deep + " with a frame");
    assertEquals(0, unwinder.failures());
  }

  /** Where instructions begin in the C library, as addresses of the file. */
  private static Set<Long> instructions() throws Exception {
    if (!INSTRUCTIONS.isEmpty()) {
      return INSTRUCTIONS;
    }
    assumeTrue(Commands.exist("objdump"), "objdump is not installed");
    Process objdump = new ProcessBuilder("objdump", "-d", "-w", "-j", ".text", libcFile()).start();
    try (BufferedReader lines = objdump.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] columns = line.split("\t");
        if (columns.length == 3 && isRun(columns[2])) {
          INSTRUCTIONS.add(Long.parseLong(columns[0].trim().replace(":", ""), 16));
        }
      }
    }
    return INSTRUCTIONS;
  }

  /**
   * Not padding; nor a call that does not return, behind which another function begins: nothing in
   * the code tells that.
   */
  private static boolean isRun(String instruction) {
    return !instruction.contains("nop")
        && !instruction.startsWith("xchg   %ax,%ax")
        && !instruction.contains("__chk_fail");
  }

  private static String libcFile() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      if (line.endsWith("/libc.so.6")) {
        return line.substring(line.indexOf('/'));
      }
    }
    throw new IllegalStateException("no C library");
  }

  private Matcher rule(long pc) {
    int rule = libc.table().find(pc - libc.bias());
    Matcher matcher = rule < 0 ? null : BY_RSP.matcher(vm.rules.describe(rule));
    return matcher != null && matcher.matches() ? matcher : null;
  }

  /** All words are return addresses, each another; that at {@code depth} is the true one. */
  private StackSnapshot sample(long pc, int depth) {
    StackSnapshot sample = new StackSnapshot(Architecture.X86_64);
    sample.clear();
    sample.setElsewhere(vm.memory);
    ByteBuffer stack = ByteBuffer.wrap(sample.stackBytes()).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < STACK_BYTES / Cpu.WORD; i++) {
      stack.putLong(returns.get(i % returns.size()));
    }
    for (int i = 0; i < 16; i++) {
      sample.registers().set(i, FP);
    }
    sample.registers().set(RSP, SP);
    sample.registers().setPc(pc);
    sample.setHasRegisters(true);
    sample.setStack(SP, Math.max(STACK_BYTES, depth + Cpu.WORD));
    return sample;
  }

  @Test
  void whereNoCodeIsTheTopIsBelieved() {
    StackSnapshot sample = sample(0x1000, 0);
    vm.unwinder().unwind(sample, new Silent(false), frames);
    assertEquals(returns.get(0), frames.pc(1));
    ByteBuffer.wrap(sample.stackBytes()).putLong(0, 1);
    vm.unwinder().unwind(sample, new Silent(false), frames);
    assertEquals(StopReason.NO_MODULE, frames.end());
    assertEquals(1, frames.count());
  }
}
