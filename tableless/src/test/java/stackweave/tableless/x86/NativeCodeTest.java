package stackweave.tableless.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** System calls after which a frame is no ordinary one; the code is what objdump prints. */
class NativeCodeTest {
  /** __clone of Debian's musl 1.2.5, up to the call of the thread's function. */
  private static final String MUSL_CLONE =
      "31c0 b038 4989fb 4889d7 4c89c2 4d89c8 4c8b542408 4d89d9 4883e6f0 4883ee08 48890e"
          + " 0f05 85c0 750f 31ed 5f 41ffd1 89c7";

  private static final int BEHIND_CALL = 37;
  private static final int AT_CALL = 44;

  /** mov eax, 435; syscall, as in glibc. */
  private static final String CLONE3 = "b8b3010000 0f05 4885c0";

  /** mov rax, 15; syscall of glibc, and the shorter one. */
  private static final String SIGRETURN = "48c7c00f000000 0f05";

  private static final String SHORT_SIGRETURN = "b80f000000 0f05";

  private final NativeCode code = new NativeCode();

  @Test
  void threadsBeginBehindCloneOfMusl() {
    for (int end = 1; end <= MUSL_CLONE.replace(" ", "").length() / 2; end++) {
      assertEquals(
          end >= BEHIND_CALL && end <= AT_CALL + 3,
          code.isCloneWithin(bytes(MUSL_CLONE, end), 48),
          "at " + end);
    }
  }

  @Test
  void threadsBeginBehindClone3() {
    assertTrue(code.isCloneWithin(bytes(CLONE3, 7), 48));
    assertTrue(code.isCloneWithin(bytes(CLONE3, 10), 48));
    assertFalse(code.isCloneWithin(bytes(CLONE3, 6), 48));
    assertFalse(code.isCloneWithin(bytes(CLONE3.replace("b3", "b4"), 7), 48));
  }

  @Test
  void handlersReturnByASystemCall() {
    assertTrue(code.isSignalReturnBefore(bytes(SIGRETURN, 9), 48));
    assertTrue(code.isSignalReturnBefore(bytes(SHORT_SIGRETURN, 7), 48));
    assertFalse(code.isSignalReturnBefore(bytes(SIGRETURN, 7), 48));
    assertFalse(code.isSignalReturnBefore(bytes(CLONE3, 7), 48));
  }

  /** __unmapself of Debian's musl 1.2.3. */
  @Test
  void stacksAreGivenBack() {
    assertEquals("b80b0000000f054831ffb83c0000000f05", HexFormat.of().formatHex(code.endOfStack()));
    assertTrue(code.isSystemCallBefore(code.endOfStack(), code.endOfStackCall()));
  }

  /** The code up to {@code end}, at the end of 48 bytes. */
  private static byte[] bytes(String hex, int end) {
    byte[] all = HexFormat.of().parseHex(hex.replace(" ", ""));
    byte[] window = new byte[48];
    int length = Math.min(end, window.length);
    System.arraycopy(all, end - length, window, window.length - length, length);
    return window;
  }
}
