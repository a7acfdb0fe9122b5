package stackweave.tableless.x86;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import stackweave.tableless.code.CallerRule;
import stackweave.tableless.code.CodePaths;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.walk.Found;

/** Ways through code that is longer than what is followed of it. */
class ForwardTest {
  private static final long START = 0x10000;
  private static final int BLOCK = CodePaths.MAX_INSTRUCTIONS;
  private static final int BLOCKS = 3;
  private static final int PAGE = 4096;

  /** As loops that were unrolled: each can be passed over, and all of them end with a return. */
  @Test
  void branchesLeadPastWhatIsTooLong() {
    ByteBuffer code =
        ByteBuffer.allocate(BLOCKS * (6 + BLOCK) + PAGE).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < BLOCKS; i++) {
      code.put((byte) 0x0f).put((byte) 0x84).putInt(BLOCK); // je
      for (int k = 0; k < BLOCK; k++) {
        code.put((byte) 0x90);
      }
    }
    code.put((byte) 0x5b).put((byte) 0xc3); // pop rbx; ret
    CallerRule rule =
        new NativeCode().paths().forward(START, true, memory(code.array()), target -> false);
    assertNotNull(rule);
    assertEquals(Found.FORWARD, rule.found());
    assertArrayEquals(new int[] {7, 16}, rule.exits()[0].sp());
  }

  private static MemoryReader memory(byte[] code) {
    return new MemoryReader() {
      @Override
      public long readLong(long address) throws UnreadableMemoryException {
        throw UnreadableMemoryException.UNREADABLE;
      }

      @Override
      public void read(long address, byte[] target, int offset, int length)
          throws UnreadableMemoryException {
        if (address < START || address + length > START + code.length) {
          throw UnreadableMemoryException.UNREADABLE;
        }
        byte[] piece = Arrays.copyOfRange(code, (int) (address - START), code.length);
        System.arraycopy(piece, 0, target, offset, length);
      }
    };
  }
}
