package stackweave.unwind.sframe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.unwind.Elf;

/** Lookups around function boundaries find the rows that libsframe finds. */
class CorpusLookupsTest {

  static Stream<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(Corpus.directory())) {
      List<Path> found = all.filter(file -> file.toString().endsWith(".lookups")).sorted().toList();
      assertTrue(!found.isEmpty() || !Corpus.directory().equals(Corpus.builtIn()));
      return found.stream();
    }
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("files")
  void everyLineIsTheSame(Path file) throws Exception {
    Elf elf = Elf.read(Path.of(file.toString().replace(".lookups", ".elf")));
    SFrameSection section = SFrameSection.read(elf.sframe());
    SFrameFunction function = new SFrameFunction();
    SFrameRow row = new SFrameRow();
    List<String> differences = new ArrayList<>();
    int compared = 0;
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith("#")) {
        continue;
      }
      compared++;
      long pc = Long.parseUnsignedLong(line.substring(0, line.indexOf('\t')), 16);
      String found = Long.toHexString(pc) + "\tmiss\t-\t-\t-";
      if (section.find(pc, function, row)) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < row.wordCount(); i++) {
          words.append(i == 0 ? "" : " ").append(Long.toHexString(row.control(i)));
        }
        found = String.format("%x\thit\t%x\t%02x\t%s", pc, row.start(), row.info(), words);
      }
      if (!found.equals(line)) {
        differences.add(found + " instead of " + line);
      }
    }
    assertEquals(List.of(), differences.stream().limit(5).toList());
    assertTrue(compared > 0, "no lookups");
  }
}
