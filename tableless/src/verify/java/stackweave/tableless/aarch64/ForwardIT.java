package stackweave.tableless.aarch64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.tableless.code.CallerRule;
import stackweave.testing.Commands;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;

/**
 * Assembly for AArch64 without unwind information, stepped through in qemu: at each instruction,
 * the return address, the caller's stack pointer and its registers are those that the calls have
 * made; and so are those of all frames further out.
 */
class ForwardIT {
  private static final Path SOURCE = Path.of("src/test/resources/asm/functions-aarch64.s");
  private static final String GCC = "aarch64-linux-gnu-gcc";
  private static final String QEMU = "qemu-aarch64";
  private static final int SP = 31;
  private static final int PC = 32;
  private static final int LINK = 30;
  private static final int[] SAVED = Architecture.AARCH64.calleeSaved();

  private final Forward forward = new Forward();
  private final List<String> wrong = new ArrayList<>();
  private final Set<String> unknown = new TreeSet<>();

  /** A frame that waits: its registers at the call, and where the call returns to. */
  private record Waiting(long[] registers, long returnAddress) {}

  @Test
  void callersAreThoseThatCalled(@TempDir Path directory) throws Exception {
    assumeTrue(Commands.exist(GCC) && Commands.exist(QEMU), GCC + " or " + QEMU + " is missing");
    Path program = directory.resolve("program");
    Commands.output(
        GCC,
        "-nostdlib",
        "-static",
        "-no-pie",
        "-march=armv8.3-a",
        "-o",
        program.toString(),
        SOURCE.toString());
    int steps = 0;
    try (QemuStepper stepper = QemuStepper.start(QEMU, program)) {
      MemoryReader code = stepper.code();
      List<Waiting> callers = new ArrayList<>();
      long[] registers = stepper.registers();
      while (registers != null) {
        check(registers, true, callers, callers.size(), code, stepper);
        for (int i = callers.size() - 1; i > 0; i--) {
          long[] waiting = callers.get(i).registers().clone();
          waiting[PC] = callers.get(i).returnAddress();
          check(waiting, false, callers, i, code, stepper);
        }
        int word = stepper.word(registers[PC]);
        long[] before = registers;
        registers = stepper.step();
        steps++;
        if (registers != null && (word >>> 26 == 0x25 || (word & 0xffff_fc1f) == 0xd63f_0000)) {
          callers.add(new Waiting(before, before[PC] + 4));
        } else if ((word & 0xffff_fc1f) == 0xd65f_0000) {
          callers.remove(callers.size() - 1);
        }
      }
    }
    assertTrue(steps > 150, steps + " instructions");
    assertEquals(List.of(), wrong);
    // The size of one frame is in a register that the code there doesn't tell.
    assertTrue(unknown.size() <= 4, unknown + " without a caller");
  }

  /** Compares with the caller that {@code callers} has before place {@code end}. */
  private void check(
      long[] registers,
      boolean interrupted,
      List<Waiting> callers,
      int end,
      MemoryReader code,
      QemuStepper stepper)
      throws Exception {
    if (end == 0) {
      return;
    }
    Waiting caller = callers.get(end - 1);
    CallerRule rule = forward.forward(registers[PC], interrupted, code, target -> false);
    String where = Long.toHexString(registers[PC]) + (interrupted ? "" : " waiting");
    if (rule == null) {
      unknown.add(where);
      return;
    }
    for (CallerRule.Exit exit : rule.exits()) {
      long address = value(exit.returnAddress(), registers, stepper);
      // Signed in qemu, which has the keys.
      if ((address & Architecture.AARCH64.addressMask()) != caller.returnAddress()) {
        wrong.add(where + ": returns to " + Long.toHexString(address));
      }
      if (value(exit.sp(), registers, stepper) != caller.registers()[SP]) {
        wrong.add(where + ": caller's sp");
      }
      for (int i = 0; i < SAVED.length; i++) {
        int[] term = exit.registers()[i];
        if (term != null && value(term, registers, stepper) != caller.registers()[SAVED[i]]) {
          wrong.add(where + ": x" + SAVED[i]);
        }
      }
      if (!interrupted && exit.returnAddress()[0] == LINK && exit.returnAddress().length == 2) {
        wrong.add(where + ": the link register of a frame that waits");
      }
    }
  }

  private static long value(int[] term, long[] registers, QemuStepper stepper) throws Exception {
    long value = registers[term[0]] + term[1];
    for (int i = 2; i < term.length; i++) {
      value = stepper.longAt(value) + term[i];
    }
    return value;
  }
}
