package stackweave.hotspot.cpu.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.hotspot.ElfImage;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.hotspot.method.Unsigned5Test;
import stackweave.testing.Commands;

/** Instruction sequences: calls against objdump, frames against what the compilers emit. */
class HotSpotCodePatternsTest {
  private static final HotSpotCodePatterns PATTERNS = new HotSpotCodePatterns();

  private static final String PUSH_PROLOGUE = "89842400c0feff" + "55" + "4883ec20" + "90";
  private static final String MOV_PROLOGUE = "4881ec28000000" + "48896c2420" + "90";

  /** As C2 of JDK 26 and 27 begins Long.rotateRight, by gdb; behind it the entry barrier. */
  private static final String SHORT_MOV_PROLOGUE =
      "4883ec18" + "48896c2410" + "666690" + "41817f2001000000";

  /** As Graal 23.1 begins Math.min on JDK 21, by objdump; behind it the entry barrier. */
  private static final String GRAAL_PROLOGUE =
      "89842400c0feff" + "4883ec18" + "90" + "41817f200b000000";

  /** As Graal 22.3 ends ArrayList$Itr.hasNext on JDK 17, by objdump. */
  private static final String GRAAL_EPILOGUE = "4883c418" + "498b8f48030000" + "8501" + "c3";

  /** Every call that objdump sees is a call, and its target the one that objdump prints. */
  @Test
  void callsAsObjdumpSeesThem() throws Exception {
    assumeTrue(Commands.exist("objdump"), "objdump is not installed");
    Path libjvm = Path.of(System.getProperty("java.home"), "lib/server/libjvm.so");
    var text = ElfImage.open(libjvm).section(".text");
    long from = text.address() + (1 << 20);
    List<String> lines =
        Commands.output(
                "objdump",
                "-d",
                "--start-address=" + from,
                "--stop-address=" + (from + (1 << 18)),
                libjvm)
            .lines()
            .toList();
    int calls = 0;
    for (String line : lines) {
      String[] columns = line.split("\t");
      if (columns.length == 3 && columns[2].startsWith("call")) {
        calls++;
        long pc = Long.parseLong(columns[0].trim().replace(":", ""), 16);
        checkCall(
            text.bytes(), text.address(), pc, columns[1].trim().split(" ").length, columns[2]);
      }
    }
    assertTrue(calls > 1000, calls + " calls");
  }

  private static void checkCall(
      ByteBuffer text, long address, long pc, int length, String instruction) throws IOException {
    byte[] code = new byte[PATTERNS.lengths.knownCall()];
    long end = pc + length;
    text.get((int) (end - address) - code.length, code);
    assertTrue(PATTERNS.isCallBefore(code, code.length), instruction);
    if (length == 5) {
      String target = instruction.replaceAll("^call\\s+([0-9a-f]+).*", "$1");
      assertEquals(
          Long.parseLong(target, 16), PATTERNS.callTarget(code, code.length, end), instruction);
    }
  }

  @Test
  void aCallThroughARegisterHasItsTargetInTheMoveBefore() {
    byte[] code = Unsigned5Test.bytes("49ba2211000078560000" + "41ffd2");
    assertEquals(0x5678_0000_1122L, PATTERNS.callTarget(code, code.length, 0));
    byte[] other = Unsigned5Test.bytes("49bb2211000078560000" + "41ffd2");
    assertEquals(0, PATTERNS.callTarget(other, other.length, 0));
  }

  @ParameterizedTest(name = "{0} at {1}")
  @CsvSource({
    // stack bang; push rbp; sub rsp, 32
    PUSH_PROLOGUE + ", 0, 0, -1",
    PUSH_PROLOGUE + ", 7, 0, -1",
    PUSH_PROLOGUE + ", 8, 8, 0",
    // sub rsp, 40; mov [rsp + 32], rbp
    MOV_PROLOGUE + ", 0, 0, -1",
    MOV_PROLOGUE + ", 7, 40, -1",
    // sub rsp, 24; mov [rsp + 16], rbp
    SHORT_MOV_PROLOGUE + ", 0, 0, -1",
    SHORT_MOV_PROLOGUE + ", 4, 24, -1",
    // stack bang; sub rsp, 24
    GRAAL_PROLOGUE + ", 0, 0, -1",
    GRAAL_PROLOGUE + ", 7, 0, -1",
    // stack bang; sub rsp, 40; mov [rsp + 32], rbp
    "89842400c0feff" + MOV_PROLOGUE + ", 7, 0, -1",
    "89842400c0feff" + MOV_PROLOGUE + ", 14, 40, -1",
  })
  void prologues(String hex, int pc, int returnAddress, int savedFp) {
    byte[] code = Unsigned5Test.bytes(hex);
    assertEquals(
        new PartialFrame(returnAddress + Cpu.WORD, returnAddress, savedFp),
        PATTERNS.inPrologue(code, 0, pc, code.length));
  }

  @ParameterizedTest
  @CsvSource({
    PUSH_PROLOGUE + ", 12",
    MOV_PROLOGUE + ", 12",
    SHORT_MOV_PROLOGUE + ", 9",
    SHORT_MOV_PROLOGUE + ", 12",
    GRAAL_PROLOGUE + ", 11",
    GRAAL_PROLOGUE + ", 12"
  })
  void behindThePrologueTheFrameIsComplete(String hex, int pc) {
    byte[] code = Unsigned5Test.bytes(hex);
    assertNull(PATTERNS.inPrologue(code, 0, pc, code.length));
  }

  @ParameterizedTest(name = "{0} at {1}")
  @CsvSource({
    // add rsp, 32; pop rbp; cmp rsp, [r15 + 0x388]; ja slow; ret
    "90904883c4205d493ba7880300000f8711223344c3, 6, 8, 0",
    "90904883c4205d493ba7880300000f8711223344c3, 7, 0, -1",
    "90904883c4205d493ba7880300000f8711223344c3, 14, 0, -1",
    "90904883c4205d493ba7880300000f8711223344c3, 20, 0, -1",
    // the slow path: lea r10, [rip + x]; mov [r15 + 0x338], r10; jmp
    "4c8d15112233444d899738030000e911223344, 0, 0, -1",
    "4c8d15112233444d899738030000e911223344, 7, 0, -1",
    "4c8d15112233444d899738030000e911223344, 14, 0, -1",
    // the same with mov r10, imm64
    "49ba11223344556677884d899738030000e911223344, 10, 0, -1",
    // add rsp, 24; mov rcx, [r15 + 0x348]; test [rcx], eax; ret
    GRAAL_EPILOGUE + ", 4, 0, -1",
    GRAAL_EPILOGUE + ", 11, 0, -1",
    GRAAL_EPILOGUE + ", 13, 0, -1",
    // add rsp, 24; cmp rsp, [r15 + 0x450]; ja slow; vzeroupper; ret, of Graal 23.1 on JDK 21
    "4883c418493ba7500400000f875f000000c5f877c3, 4, 0, -1",
    "4883c418493ba7500400000f875f000000c5f877c3, 11, 0, -1",
    "4883c418493ba7500400000f875f000000c5f877c3, 17, 0, -1",
    "4883c418493ba7500400000f875f000000c5f877c3, 20, 0, -1",
    // the same with r10
    "4883c418" + "4d8b9748030000" + "418502" + "c3, 4, 0, -1",
    "4883c418" + "4d8b9748030000" + "418502" + "c3, 11, 0, -1",
  })
  void epilogues(String hex, int pc, int returnAddress, int savedFp) {
    assertEquals(
        new PartialFrame(returnAddress + Cpu.WORD, returnAddress, savedFp),
        PATTERNS.inEpilogue(Unsigned5Test.bytes(hex), pc));
  }

  @ParameterizedTest
  @CsvSource({
    "9090904883c4205dc3, 3",
    "5d909090, 0",
    "488b442408909090, 0",
    // no return behind the poll, another register, the frame still there
    "c5f87790, 0",
    "498b8f48030000850190, 0",
    "498b8f480300008500c3, 0",
    GRAAL_EPILOGUE + ", 0"
  })
  void elsewhereThereIsNoEpilogue(String hex, int pc) {
    assertNull(PATTERNS.inEpilogue(Unsigned5Test.bytes(hex), pc));
  }

  @ParameterizedTest
  @CsvSource({"5e5a85d2, 2", "415a5b90, 2", "905b, 0", "'', 0"})
  void popsBehindACall(String hex, int count) {
    assertEquals(count, PATTERNS.popsAt(Unsigned5Test.bytes(hex)));
  }

  @ParameterizedTest
  @CsvSource({"ffe1, 2", "ffe0, 0", "41ffe0, 8", "ffd1, -1", "e900000000, -1"})
  void jumpsThroughARegister(String hex, int register) {
    assertEquals(register, PATTERNS.jumpRegister(Unsigned5Test.bytes(hex), 0));
  }
}
