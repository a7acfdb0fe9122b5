package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.testing.Ended;

/** More of {@code sframe}: several sections, bad ones, single rows. */
class SFrameCommandMoreIT extends SFrameCommands {
  @Test
  void lookupIsTheRowOfTheDump() throws Exception {
    String[] row = Files.readAllLines(directory.resolve("simple.tsv")).get(1).split("\t");
    Ended lookup = sframe("lookup", "simple.elf", "0x" + row[3], "1");
    assertEquals(0, lookup.exit(), lookup.err());
    row[0] = row[3];
    assertEquals(
        List.of(
            "#pc\tstart\tsize\trowpc\tcfa\tfp\tra\tflags",
            String.join("\t", row),
            "1\tno function"),
        lookup.out().lines().toList());
  }

  /**
   * As groups of functions leave them: one found by type, one by name, at addresses of their own.
   */
  @Test
  void allSectionsOfAFileAreTaken() throws Exception {
    copy("x86_64-v3/exe-simple.elf", "one.elf");
    String own = index("x86_64-v3", "exe-simple")[3];
    long address = Long.parseLong(own, 16) + (1 << 24);
    assertEquals(0, sframe("upgrade", "one.elf", "-o", "moved").exit());
    objcopy(
        "--add-section",
        ".sframe.more=moved",
        "--set-section-flags",
        ".sframe.more=alloc,readonly",
        "--change-section-address",
        ".sframe.more=" + address,
        "one.elf",
        "two.elf");
    objcopy("--rename-section", ".sframe.more=.sframe", "two.elf");
    List<String> once = rows(sframe("dump", "one.elf", "--format", "tsv"));
    List<String> expected = new ArrayList<>(once);
    String moved = "0x" + Long.toHexString(address);
    expected.addAll(rows(sframe("dump", "moved", "--address", moved, "--format", "tsv")));
    assertEquals(2 * once.size(), expected.size());

    assertEquals(expected, rows(sframe("dump", "two.elf", "--format", "tsv")));
    assertEquals("", sframe("verify", "two.elf").out());
    assertEquals(0, sframe("merge", "two.elf", "-o", "all").exit());
    assertEquals(expected, rows(sframe("dump", "all", "--format", "tsv")));
    String last = expected.get(expected.size() - 1).split("\t")[3];
    assertTrue(sframe("lookup", "two.elf", last).out().contains("\n" + last + "\t"));
  }

  /** What can be read is shown; what can't is told, and the exit code says so. */
  @Test
  void dumpOfABadFunction() throws Exception {
    Ended dump = sframe("dump", "rows.sframe", "--format", "tsv");
    assertTrue(dump.out().lines().count() > 1, dump.out());
    assertEquals(
        "stackweave: rows.sframe: dumped without what is malformed (1 function); offset 0x1c:"
            + " function 0: unknown FDE or row type\n",
        dump.err());
    assertEquals(2, dump.exit());
  }

  private void objcopy(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("objcopy"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).directory(directory.toFile()).inheritIO().start();
    assertEquals(0, process.waitFor());
  }
}
