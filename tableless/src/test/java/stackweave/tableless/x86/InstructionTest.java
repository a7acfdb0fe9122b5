package stackweave.tableless.x86;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.testing.Commands;
import stackweave.unwind.Elf;
import stackweave.unwind.section.Section;

/** Lengths of instructions, against what objdump says of the C library. */
class InstructionTest {
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
}
