package stackweave.unwind.walk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;

/**
 * The first frames of musl, which has no unwind tables: stacks end at the calls in {@code __clone}
 * and {@code _start}, and nowhere near. The code is that of Debian's packages musl and musl-dev
 * 1.2.3 and 1.2.5 (crt1.o linked), as objdump prints it.
 */
class MuslFirstFrameTest {
  private static final long CODE = 0x40_0000;
  private static final long SP = 0x7fff_0000L;

  /** From {@code syscall} in __clone to {@code ret}; the call's return address is at 12. */
  private static final String X86_CLONE = "0f05 85c0 750f 31ed 5f 41ffd1 89c7 31c0 b03c 0f05 f4 c3";

  private static final int X86_CLONE_RETURN = 12;

  /** {@code xor rbp, rbp} to the call of {@code _start_c}. */
  private static final String X86_START = "4831ed 4889e7 488d35c92d0000 4883e4f0 e800000000 90";

  private static final int X86_START_RETURN = 22;

  /** From {@code svc} in __clone on: cbz, ret, ldp, blr, mov, svc. */
  private static final String AARCH64_CLONE =
      "010000d4 400000b4 c0035fd6 e103c1a8 20003fd6 a80b80d2 010000d4";

  private static final int AARCH64_CLONE_RETURN = 20;

  @Test
  void aThreadBeginsInClone() {
    assertOnlyEnd(Architecture.X86_64, X86_CLONE, X86_CLONE_RETURN);
    assertOnlyEnd(Architecture.AARCH64, AARCH64_CLONE, AARCH64_CLONE_RETURN);
  }

  @Test
  void aProgramBeginsInStart() {
    assertOnlyEnd(Architecture.X86_64, X86_START, X86_START_RETURN);
  }

  /** A call whose result goes to another system call, and one by name. */
  @Test
  void otherCallsAreNone() {
    assertNone(Architecture.X86_64, X86_CLONE.replace("b03c", "b03b"), X86_CLONE_RETURN);
    assertNone(Architecture.X86_64, X86_CLONE.replace("41ffd1", "4190c9"), X86_CLONE_RETURN);
    assertNone(Architecture.X86_64, X86_START.replace("4831ed", "4831db"), X86_START_RETURN);
    assertNone(Architecture.X86_64, X86_START.replace("4883e4f0", "4883e4f8"), X86_START_RETURN);
    assertNone(
        Architecture.AARCH64, AARCH64_CLONE.replace("a80b80d2", "c80b80d2"), AARCH64_CLONE_RETURN);
    assertNone(
        Architecture.AARCH64, AARCH64_CLONE.replace("20003fd6", "20001fd6"), AARCH64_CLONE_RETURN);
  }

  /** An instruction that was interrupted has not waited for that call. */
  @Test
  void interruptedCodeIsNone() {
    assertEquals(StopReason.NO_RULE, step(Architecture.X86_64, X86_CLONE, X86_CLONE_RETURN, true));
    assertEquals(
        StopReason.NO_RULE, step(Architecture.AARCH64, AARCH64_CLONE, AARCH64_CLONE_RETURN, true));
  }

  private static void assertOnlyEnd(Architecture architecture, String code, int end) {
    int bytes = bytes(code).length;
    for (int at = 1; at <= bytes; at++) {
      StopReason expected = at == end ? StopReason.COMPLETE : StopReason.NO_RULE;
      assertEquals(expected, step(architecture, code, at, false), "at " + at);
    }
  }

  private static void assertNone(Architecture architecture, String code, int end) {
    assertEquals(StopReason.NO_RULE, step(architecture, code, end, false), code);
  }

  private static byte[] bytes(String code) {
    return HexFormat.of().parseHex(code.replace(" ", ""));
  }

  private static StopReason step(
      Architecture architecture, String code, int at, boolean interrupted) {
    byte[] bytes = bytes(code);
    UnwindTable none = address -> UnwindTable.NO_RULE;
    ModuleList modules = new ModuleList().add(CODE, CODE + bytes.length + 1, CODE, none);
    Registers registers = new Registers(architecture);
    registers.set(architecture.sp(), SP);
    registers.setPc(CODE + at);
    return new NativeUnwinder(new RuleTable(architecture))
        .step(registers, interrupted, memory(bytes), modules);
  }

  /** The code, with zeros around it. */
  private static MemoryReader memory(byte[] code) {
    return new MemoryReader() {
      @Override
      public long readLong(long address) throws UnreadableMemoryException {
        throw UnreadableMemoryException.UNREADABLE;
      }

      @Override
      public void read(long address, byte[] target, int offset, int length) {
        for (int i = 0; i < length; i++) {
          long at = address + i - CODE;
          target[offset + i] = at >= 0 && at < code.length ? code[(int) at] : 0;
        }
      }
    };
  }
}
