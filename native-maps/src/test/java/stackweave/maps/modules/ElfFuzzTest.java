package stackweave.maps.modules;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** ELF files that Jazzer once found worth keeping: none makes more than an ElfFormatException. */
class ElfFuzzTest {
  static final Path KEPT = Path.of("src/test/resources/fuzz/elf");

  @Test
  void keptFiles() throws Exception {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(KEPT)) {
      for (Path file : files) {
        ElfFuzz.fuzzerTestOneInput(Files.readAllBytes(file));
      }
    }
  }
}
