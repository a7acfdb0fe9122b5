package stackweave.hotspot.cpu.aarch64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;

/**
 * Instruction sequences of AArch64. The words are what GNU as makes of the text beside them; the
 * sequences are those of MacroAssembler::build_frame, remove_frame, enter, leave and
 * safepoint_poll.
 */
class HotSpotCodePatternsTest {
  private static final HotSpotCodePatterns PATTERNS = new HotSpotCodePatterns();

  private static final String NOP = "d503201f ";

  /** sub x9, sp, #0x14000; str xzr, [x9]: the stack bang. */
  private static final String BANG = "d14053e9 f900013f ";

  /** sub sp, sp, #64; stp x29, x30, [sp, #48]. */
  private static final String SMALL = NOP + BANG + "d10103ff a9037bfd " + NOP;

  /** stp x29, x30, [sp, #-16]!; mov x29, sp; mov x8, #0x1234; sub sp, sp, x8. */
  private static final String LARGE = "a9bf7bfd 910003fd d2824688 cb2863ff " + NOP;

  /** ldp x29, x30, [sp, #48]; add sp, sp, #64. */
  private static final String TAKE_DOWN = NOP + "a9437bfd 910103ff ";

  /** ldr x8, [x28, #1128]; cmp sp, x8; b.hi; ret. */
  private static final String POLL = "f9423788 eb2863ff 54000208 d65f03c0 ";

  private static byte[] code(String words) {
    String[] hex = words.trim().split(" ");
    ByteBuffer code = ByteBuffer.allocate(4 * hex.length).order(ByteOrder.LITTLE_ENDIAN);
    for (String word : hex) {
      code.putInt((int) Long.parseLong(word, 16));
    }
    return code.array();
  }

  private static PartialFrame withoutLink(int bytes) {
    return new PartialFrame(bytes, PartialFrame.IN_REGISTER, PartialFrame.IN_REGISTER);
  }

  @ParameterizedTest(name = "at {0}")
  @CsvSource({"0, 0", "4, 0", "8, 0", "12, 0", "16, 64"})
  void smallFramesAreAllocatedFirst(int pc, int bytes) {
    byte[] code = code(SMALL);
    assertEquals(withoutLink(bytes), PATTERNS.inPrologue(code, 0, pc, code.length));
  }

  @Test
  void behindTheStoreOfTheLinkASmallFrameIsComplete() {
    byte[] code = code(SMALL);
    assertNull(PATTERNS.inPrologue(code, 0, 20, code.length));
  }

  @Test
  void largeFramesPushTheLinkFirst() {
    byte[] code = code(LARGE);
    assertEquals(HotSpotCodePatterns.FRAMELESS, PATTERNS.inPrologue(code, 0, 0, code.length));
    for (int pc = 4; pc <= 12; pc += 4) {
      assertEquals(PartialFrame.LINK, PATTERNS.inPrologue(code, 0, pc, code.length));
    }
    assertNull(PATTERNS.inPrologue(code, 0, 16, code.length));
  }

  @Test
  void aPushedLinkAloneIsNoLargeFrame() {
    byte[] code = code("a9bf7bfd 910003fd " + NOP + NOP);
    assertNull(PATTERNS.inPrologue(code, 0, 12, code.length));
  }

  @Test
  void smallFramesAreFreedLast() {
    byte[] code = code(TAKE_DOWN + POLL);
    assertNull(PATTERNS.inEpilogue(code, 4));
    assertEquals(withoutLink(64), PATTERNS.inEpilogue(code, 8));
    for (int pc = 12; pc <= 24; pc += 4) {
      assertEquals(HotSpotCodePatterns.FRAMELESS, PATTERNS.inEpilogue(code, pc), "at " + pc);
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "910103ff, add sp sp #64",
    "8b2863ff, add sp sp x8",
    "910003bf, mov sp x29",
  })
  void largeFramesPopTheLinkLast(String freed, String text) {
    byte[] code = code(freed + " a8c17bfd " + POLL);
    assertEquals(PartialFrame.LINK, PATTERNS.inEpilogue(code, 4), text);
    assertEquals(HotSpotCodePatterns.FRAMELESS, PATTERNS.inEpilogue(code, 8), text);
    assertEquals(HotSpotCodePatterns.FRAMELESS, PATTERNS.inEpilogue(code, 20), text);
  }

  /** adr x8, poll; str x8, [x28, #1120]; b. */
  @Test
  void theSlowPathOfTheReturnPollHasNoFrame() {
    byte[] code = code("10fffe08 f9023388 14000010 " + NOP);
    for (int pc = 0; pc <= 8; pc += 4) {
      assertEquals(HotSpotCodePatterns.FRAMELESS, PATTERNS.inEpilogue(code, pc));
    }
    assertNull(PATTERNS.inEpilogue(code, 12));
  }

  @Test
  void behindAReturnAnotherPathBegins() {
    assertNull(PATTERNS.inEpilogue(code("a8c17bfd d65f03c0 " + NOP), 8));
    assertNull(PATTERNS.inEpilogue(code("a8c17bfd " + NOP + NOP), 8));
  }

  @ParameterizedTest
  @CsvSource({
    "94000000, true", // bl
    "d63f0100, true", // blr x8
    "d63f091f, true", // blraaz x8
    "d61f0100, false", // br x8
    "14000000, false", // b
    "d65f03c0, false", // ret
  })
  void calls(String word, boolean isCall) {
    assertEquals(isCall, PATTERNS.isCallBefore(code(word), 4));
    assertFalse(PATTERNS.isCallBefore(code(word), 0));
  }

  @ParameterizedTest
  @CsvSource({
    // bl .-64; bl .+64
    "97fffff0, 1000, fbc",
    "94000010, 1000, 103c",
    // mov x8, #0x1234; movk x8, #0x5678, lsl #16; movk x8, #0x9abc, lsl #32; blr x8
    "d2824688 f2aacf08 f2d35788 d63f0100, 1000, 9abc56781234",
    // adrp x8, .+0x12000; add x8, x8, #0x123; blr x8
    "d0000088 91048d08 d63f0100, 100c, 13123",
    // the same with a call through another register
    "d0000088 91048d08 d63f0120, 100c, 0",
    "d63f0100, 1000, 0",
  })
  void targetsOfCalls(String words, String pc, String target) {
    byte[] code = code(words);
    assertEquals(
        Long.parseLong(target, 16), PATTERNS.callTarget(code, code.length, Long.parseLong(pc, 16)));
  }

  @ParameterizedTest
  @CsvSource({
    "a8c133e8 d503201f, 2", // ldp x8, x12, [sp], #16
    "a9417be0 a8c20fe2 d503201f, 4", // ldp x0, x30, [sp, #16]; ldp x2, x3, [sp], #32
    "910043ff d503201f, 2", // add sp, sp, #16
    "f84107e8 d503201f, 2", // ldr x8, [sp], #16
    "910103ff a8c17bfd, 0", // add sp, sp, #64; ldp x29, x30, [sp], #16: its own frame
    "d503201f 910043ff, 0",
  })
  void wordsGivenUpBehindACall(String words, int count) {
    assertEquals(count, PATTERNS.popsAt(code(words)));
  }

  @Test
  void endsOfInterpreterFrames() {
    // ldp x29, x30, [sp], #16; and sp, x20, #-16; ret
    byte[] code = code("a8c17bfd 927cee9f d65f03c0");
    assertTrue(HotSpotCodePatterns.isPopLink(code, 0));
    assertTrue(HotSpotCodePatterns.isMoveOfEspToSp(code, 4));
    assertTrue(PATTERNS.isReturn(code, 8));
    assertTrue(HotSpotCodePatterns.isMoveOfEspToSp(code("9100029f"), 0)); // mov sp, x20
    assertFalse(HotSpotCodePatterns.isMoveOfEspToSp(code("910003bf"), 0)); // mov sp, x29
  }

  /** ldp x29, x3, [sp], #16; mov x8, x0; br x8: the exception blob's end. */
  @Test
  void theExceptionBlobPopsWhereItWasThrown() {
    byte[] code = code("d503201f a8c10ffd aa0003e8 d61f0100");
    assertTrue(PATTERNS.isThrowingPcPoppedBefore(code, 8, 24));
    assertTrue(PATTERNS.isThrowingPcPoppedBefore(code, 12, 24));
    assertFalse(PATTERNS.isThrowingPcPoppedBefore(code, 4, 24));
    assertEquals(8, PATTERNS.jumpRegister(code, 12));
    assertEquals(Cpu.NONE, PATTERNS.jumpRegister(code, 8));
  }

  @Test
  void signedReturnAddressesLoseTheirSignature() {
    Cpu cpu = new HotSpotConventions(true);
    assertEquals(0x7f12_3456_7890L, cpu.returnAddress(0x0035_7f12_3456_7890L));
    assertEquals(RegisterNumbers.X19, cpu.roles.senderSp());
    assertEquals(RegisterNumbers.X13, new HotSpotConventions(false).roles.senderSp());
  }
}
