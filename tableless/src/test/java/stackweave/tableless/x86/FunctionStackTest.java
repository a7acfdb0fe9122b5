package stackweave.tableless.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import stackweave.tableless.code.Processor;
import stackweave.tableless.code.StackDepth;
import stackweave.testing.Commands;
import stackweave.unwind.Architecture;
import stackweave.unwind.Elf;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.section.Section;
import stackweave.unwind.table.UnwindTables;

/** Depths of stacks computed from code, against what the C library's own unwind tables say. */
class FunctionStackTest {
  /** A rule with the CFA at rsp + n, as {@link RuleTable#describe} puts it. */
  private static final Pattern BY_RSP = Pattern.compile("cfa=r7\\+(\\d+) ra=c-8(.*)");

  private static final int RBX = 3;
  private static final int RBP = 6;
  private static final int R12 = 12;
  private static final int[] CALLEE_SAVED = {RBX, RBP, R12, 13, 14, 15};

  private final Elf libc = Elf.read(libcFile());
  private final Section text = libc.section(".text");
  private final byte[] code = bytes(text);

  FunctionStackTest() throws Exception {}

  static Path libcFile() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      if (line.endsWith("/libc.so.6")) {
        return Path.of(line.substring(line.indexOf('/')));
      }
    }
    throw new IllegalStateException("no C library");
  }

  private static byte[] bytes(Section text) {
    ByteBuffer all = text.bytes().duplicate().rewind();
    byte[] bytes = new byte[all.remaining()];
    all.get(bytes);
    return bytes;
  }

  /** Not data, and not the prefix 9B, which objdump takes for a part of the next instruction. */
  private static boolean isInstruction(String[] columns) {
    return !columns[2].contains("(bad)")
        && !columns[2].startsWith(".byte")
        && !columns[1].startsWith("9b ");
  }

  @Test
  void instructionsAreAsLongAsObjdumpSays() throws Exception {
    compareLengths(libcFile(), 50_000);
  }

  /** Of the first so many instructions. */
  static void compareLengths(Path library, int most) throws Exception {
    assumeTrue(Commands.exist("objdump"), "objdump is not installed");
    Section text = Elf.read(library).section(".text");
    byte[] code = bytes(text);
    Process objdump =
        new ProcessBuilder("objdump", "-d", "-w", "-j", ".text", library.toString()).start();
    Instruction instruction = new Instruction();
    int right = 0;
    int unknown = 0;
    List<String> others = new ArrayList<>();
    try (BufferedReader lines = objdump.inputReader()) {
      for (String line = lines.readLine(); line != null && right < most; line = lines.readLine()) {
        String[] columns = line.split("\t");
        if (columns.length == 3 && isInstruction(columns)) {
          long pc = Long.parseLong(columns[0].trim().replace(":", ""), 16);
          instruction.decode(code, (int) (pc - text.address()));
          if (instruction.length == 0) {
            unknown++;
          } else {
            boolean same = columns[1].trim().split(" ").length == instruction.length;
            if (!same) {
              others.add(line);
            }
            right++;
          }
        }
      }
    }
    objdump.destroy();
    // Cryptographic assembly has tables among its code, which objdump takes for instructions.
    int data = library.toString().contains("libcrypto") ? right / 1000 : 0;
    assertTrue(others.size() <= data, () -> String.join("\n", others));
    assertTrue(right > 5_000, right + " instructions");
    assertTrue(unknown < right / (data > 0 ? 50 : 500), unknown + " not understood, of " + right);
  }

  @Test
  void depthsAndSavedRegistersAreThoseOfTheUnwindTables() {
    RuleTable rules = new RuleTable(Architecture.X86_64);
    UnwindTable table = UnwindTables.open(libc.unwindSections(), rules);
    FunctionStack function = new FunctionStack();
    int checked = 0;
    for (long start : dynamicSymbols()) {
      int from = (int) (start - text.address());
      if (from >= 0 && from < code.length) {
        byte[] own = Arrays.copyOfRange(code, from, Math.min(code.length, from + 300));
        for (int pc = 0; pc < own.length; pc += 6) {
          StackDepth.State state = function.at(own, own.length, pc);
          int rule = state == null ? UnwindTable.NO_RULE : table.find(start + pc);
          checked += rule >= 0 ? check(rules.describe(rule), state, start + pc) : 0;
        }
      }
    }
    assertTrue(checked > 2_500, checked + " checked");
  }

  /** Where defined dynamic symbols are. */
  private TreeSet<Long> dynamicSymbols() {
    TreeSet<Long> addresses = new TreeSet<>();
    ByteBuffer entries = libc.section(".dynsym").bytes();
    for (int at = 0; at < entries.limit(); at += 24) {
      if (entries.getShort(at + 6) != 0) {
        addresses.add(entries.getLong(at + 8));
      }
    }
    return addresses;
  }

  private static byte[] hex(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private static int check(String rule, StackDepth.State state, long pc) {
    Matcher byRsp = BY_RSP.matcher(rule);
    if (!byRsp.matches()) {
      return 0;
    }
    String where = Long.toHexString(pc) + ": " + rule;
    assertEquals(Integer.parseInt(byRsp.group(1)) - Processor.WORD, state.depth(), where);
    for (int register : CALLEE_SAVED) {
      int slot = state.slots()[register];
      if (slot != StackDepth.UNKNOWN) {
        int kept = slot <= state.depth() ? slot : 0; // else popped again
        Matcher saved = Pattern.compile(" r" + register + "=c-(\\d+)").matcher(byRsp.group(2));
        int said = saved.find() ? Integer.parseInt(saved.group(1)) - Processor.WORD : 0;
        assertEquals(said <= state.depth() ? said : 0, kept, where + " register " + register);
      }
    }
    return 1;
  }

  /** push rax; push rbx; push rbp; sub rsp, 24; je 1f; push [rax + 8]; pop rcx; 1: vpxor; ret. */
  @Test
  void handWrittenCode() {
    byte[] asm =
        hex("50" + "53" + "55" + "4883ec18" + "7404" + "ff7008" + "59" + "c5f9efc0" + "c3");
    FunctionStack function = new FunctionStack();
    int[] pcs = {0, 1, 2, 3, 7, 9, 12, 13, 17};
    int[] depths = {0, 8, 16, 24, 48, 48, 56, 48, 48};
    for (int i = 0; i < pcs.length; i++) {
      StackDepth.State state = function.at(asm, asm.length, pcs[i]);
      assertNotNull(state, "at " + pcs[i]);
      assertEquals(depths[i], state.depth(), "at " + pcs[i]);
      assertEquals(16, state.slots()[RBX]);
      assertEquals(24, state.slots()[RBP]);
      assertEquals(0, state.slots()[R12]);
    }
    assertNull(function.at(asm, asm.length, 4), "within an instruction");
  }

  /** je 1f; push rax; 1: nop: the ways disagree. */
  @Test
  void waysThatDisagreeSayNothing() {
    byte[] asm = hex("7401" + "50" + "90" + "90");
    FunctionStack function = new FunctionStack();
    assertNotNull(function.at(asm, asm.length, 2));
    assertNull(function.at(asm, asm.length, 3));
    assertNull(function.at(asm, asm.length, 4));
  }

  /** and rsp, -32; nop; and call 0; nop: what is behind is not known. */
  @Test
  void notBehindWhatMovesTheStackPointerOtherwiseNorBehindCalls() {
    FunctionStack function = new FunctionStack();
    byte[] and = hex("4883e4e0" + "90");
    assertNotNull(function.at(and, and.length, 0));
    assertNull(function.at(and, and.length, 4));
    byte[] call = hex("e800000000" + "90");
    assertNull(function.at(call, call.length, 5));
  }

  /** push r12; ...; mov [rsp + 8], rbx: a register kept later is not taken for the caller's. */
  @Test
  void registersKeptElsewhereAreNotKnown() {
    byte[] asm = hex("4154" + "4883ec18" + "48895c2408" + "90");
    StackDepth.State state = new FunctionStack().at(asm, asm.length, 11);
    assertEquals(32, state.depth());
    assertEquals(8, state.slots()[R12]);
    assertEquals(StackDepth.UNKNOWN, state.slots()[RBX]);
    assertEquals(0, state.slots()[RBP]);
  }
}
