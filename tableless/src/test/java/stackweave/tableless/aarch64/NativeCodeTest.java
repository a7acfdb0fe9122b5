package stackweave.tableless.aarch64;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** The words are what GNU as makes of the text beside them. */
class NativeCodeTest {
  @Test
  void threadsAreMadeBySystemCalls() {
    assertTrue(isCloneWithin(12, 0xd2803668, 0xd4000001, 0xd503201f)); // mov x8, #435
    assertTrue(isCloneWithin(8, 0xd2801b88, 0xd4000001)); // mov x8, #220
    assertFalse(isCloneWithin(8, 0xd2801168, 0xd4000001)); // mov x8, #139
  }

  @Test
  void handlersReturnByASystemCall() {
    assertTrue(new NativeCode().isSignalReturnBefore(code(0xd2801168, 0xd4000001), 8));
    assertFalse(new NativeCode().isSignalReturnBefore(code(0xd2801168, 0xd4000001), 4));
    assertFalse(new NativeCode().isSignalReturnBefore(code(0xd2801b88, 0xd4000001), 8));
  }

  /** __unmapself of Debian's musl 1.2.5. */
  @Test
  void stacksAreGivenBack() {
    NativeCode code = new NativeCode();
    assertArrayEquals(code(0xd2801ae8, 0xd4000001, 0xd2800ba8, 0xd4000001), code.endOfStack());
    assertTrue(code.isSystemCallBefore(code.endOfStack(), code.endOfStackCall()));
  }

  private static boolean isCloneWithin(int end, int... words) {
    return new NativeCode().isCloneWithin(code(words), end);
  }

  private static byte[] code(int... words) {
    ByteBuffer code = ByteBuffer.allocate(4 * words.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int word : words) {
      code.putInt(word);
    }
    return code.array();
  }
}
