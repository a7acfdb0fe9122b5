package stackweave.tableless.code;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * What leads straight out of the stub that brings frames of a continuation back: nothing before the
 * VM has done so, and then what it returned, which is the innermost frame's sp.
 */
class ThawStubTest {
  private static final Processor ON_X86 = new stackweave.tableless.x86.NativeCode();
  private static final Processor ON_AARCH64 = new stackweave.tableless.aarch64.NativeCode();
  private static final long START = 0x7f00_0000_0000L;

  /** Temurin 25's return barrier, from its first instruction to {@code ret}. */
  private static final byte[] X86 =
      bytes(
          "49 8b a7 18 06 00 00 50 48 83 ec 10 c5 fb 11 04 24 49 8b ff be 01 00 00 00",
          "40 f6 c4 0f 0f 84 12 00 00 00 48 83 ec 08 e8 6e 0e c3 17 48 83 c4 08",
          "e9 05 00 00 00 e8 60 0e c3 17 48 8b d8 c5 fb 10 04 24 48 83 c4 10 58",
          "48 85 db 75 05 e9 39 fc ff ff 48 2b e3 48 83 e4 f0",
          "50 48 83 ec 10 c5 fb 11 04 24 49 8b ff be 01 00 00 00",
          "40 f6 c4 0f 0f 84 12 00 00 00 48 83 ec 08 e8 fd 87 c3 17 48 83 c4 08",
          "e9 05 00 00 00 e8 ef 87 c3 17 48 8b d8 c5 fb 10 04 24 48 83 c4 10 58",
          "48 8b e3 48 83 ec 10 5d c3");

  /** The end of that of AArch64, from the call on, as HotSpot's source has it. */
  private static final byte[] AARCH64 =
      words(
          0xd63f0100, // blr x8
          0xaa0003e9, // mov x9, x0
          0xa8c103e8, // ldp x8, x0, [sp], #16
          0x9e670100, // fmov d0, x8
          0xd100413f, // sub sp, x9, #16
          0x910003fd, // mov x29, sp
          0x910003bf, // mov sp, x29
          0xa8c17bfd, // ldp x29, x30, [sp], #16
          0xd65f03c0); // ret

  /** Before the VM's second call returns. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 7, 8, 12, 17, 20, 25, 29, 35, 39, 44, 48, 53, 58, 61, 66, 70, 71, 74, 76, 81, 84, 88, 89,
        93, 98, 101, 106, 110, 116, 120, 134
      })
  void notBeforeFramesAreThere(int offset) {
    assertNull(rule(ON_X86, X86, offset));
  }

  /** What was returned in rax, which is 0; moved to rbx, 3; and on the stack, by rsp, 7. */
  @ParameterizedTest
  @CsvSource({
    "125,0,0",
    "129,0,0",
    "139,0,0",
    "142,3,0",
    "147,3,0",
    "151,3,0",
    "152,3,0",
    "155,7,0",
    "159,7,16",
    "160,7,8"
  })
  void fromThereOnItIsTheirSp(int offset, int register, int sp) {
    assertLeadsTo(register, sp, rule(ON_X86, X86, offset));
  }

  @Test
  void notBeforeFramesAreThereOnAarch64() {
    assertNull(rule(ON_AARCH64, AARCH64, 0));
  }

  /** What was returned in r0; moved to r9; and on the stack. At {@code ret} it is in r30. */
  @ParameterizedTest
  @CsvSource({"1,0,0", "2,9,0", "3,9,0", "4,9,0", "5,31,16", "6,29,16", "7,31,16"})
  void fromThereOnItIsTheirSpOnAarch64(int instruction, int register, int sp) {
    assertLeadsTo(register, sp, rule(ON_AARCH64, AARCH64, 4 * instruction));
  }

  /** To a frame with this sp, and its return address right below. */
  private static void assertLeadsTo(int register, int sp, CallerRule rule) {
    assertNotNull(rule);
    assertEquals(1, rule.exits().length);
    CallerRule.Exit exit = rule.exits()[0];
    assertArrayEquals(new int[] {register, sp}, exit.sp());
    assertArrayEquals(new int[] {register, sp - Processor.WORD, 0}, exit.returnAddress());
  }

  private static CallerRule rule(Processor processor, byte[] code, int offset) {
    return processor.paths().straight(START + offset, memory(code), target -> false);
  }

  private static MemoryReader memory(byte[] code) {
    return new MemoryReader() {
      @Override
      public long readLong(long address) {
        throw new UnsupportedOperationException();
      }

      /** Behind the code there is none. */
      @Override
      public void read(long address, byte[] target, int offset, int length)
          throws UnreadableMemoryException {
        for (int i = 0; i < length; i++) {
          long at = address - START + i;
          if (at < 0) {
            throw UnreadableMemoryException.UNREADABLE;
          }
          target[offset + i] = at < code.length ? code[(int) at] : 0;
        }
      }
    };
  }

  private static byte[] bytes(String... hex) {
    return HexFormat.of().parseHex(String.join("", hex).replace(" ", ""));
  }

  private static byte[] words(int... words) {
    ByteBuffer buffer = ByteBuffer.allocate(words.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    for (int word : words) {
      buffer.putInt(word);
    }
    return buffer.array();
  }
}
