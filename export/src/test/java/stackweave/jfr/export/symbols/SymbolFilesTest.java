package stackweave.jfr.export.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.maps.elf.FileElfImage;
import stackweave.testing.Gcc;

/** Directories and tools that are not as they should be. */
class SymbolFilesTest {
  @TempDir private Path directory;

  @Test
  void linksThatLeadBackHideNothing() throws Exception {
    Path library = Gcc.library(directory, "symbols", "int wanted(int x) { return x + 1; }");
    String id = FileElfImage.open(library).buildId();
    assertNotNull(id, "this compiler gives no build ids");
    Path root = Files.createDirectory(directory.resolve("root"));
    for (int i = 0; i < 8; i++) {
      Path one = Files.createDirectory(root.resolve("d" + i));
      Files.createSymbolicLink(one.resolve("up"), Path.of(".."));
    }
    Files.createSymbolicLink(root.resolve("d3").resolve("nowhere"), Path.of("/nowhere"));
    Files.move(library, root.resolve("d4").resolve("it"));
    SymbolFiles files = new SymbolFiles(List.of(root));
    assertTrue(Files.isSameFile(root.resolve("d4/it"), files.find(id).path()));
    assertNull(files.find(id.replaceFirst(".$", id.endsWith("0") ? "1" : "0")));
    assertNull(files.find("../../" + id));
    assertEquals(List.of(), files.notes());
  }

  /** Each is a shell script in place of addr2line: what it does, and how that is called. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "exit 0                                      | it has ended",
        "cat > /dev/null                             | no answer within 1 s",
        "trap '' TERM; sleep 60                      | no answer within 1 s",
        "yes 0xzz                                    | it says too much",
        "while read a; do echo 0xfffffffffffffffe; echo; echo; done | it answers something else",
      })
  void aBrokenToolIsGivenUp(String script, String why) throws Exception {
    Path tool = Files.writeString(directory.resolve("tool"), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(tool, PosixFilePermissions.fromString("rwx------"));
    try (InlinedFunctions functions = InlinedFunctions.of(tool.toString(), directory, 1)) {
      for (int i = 0; i < 3 && functions.failure().isEmpty(); i++) {
        functions.at(0x1000 + i);
      }
      // A tool that ends may be gone before it is asked.
      assertTrue(
          List.of(why, "Broken pipe", "Stream closed").contains(functions.failure()),
          functions.failure());
      assertEquals(List.of(), functions.at(0x1000));
    }
  }
}
