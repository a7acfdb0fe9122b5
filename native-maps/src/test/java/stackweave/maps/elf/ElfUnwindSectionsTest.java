package stackweave.maps.elf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.sframe.tools.SFrameText;

/** Executables, libraries and relocatable objects of the SFrame corpus, read as ELF files. */
class ElfUnwindSectionsTest {
  private static final Path CORPUS = Path.of("../unwind/src/test/resources/sframe-corpus");

  @Test
  void everyFileHasTheRowsOfTheCorpus() throws Exception {
    List<String> different = new ArrayList<>();
    int relocatable = 0;
    int files = 0;
    for (String entry : Files.readAllLines(CORPUS.resolve("INDEX.tsv"))) {
      if (entry.startsWith("#")) {
        continue;
      }
      String[] columns = entry.split("\t");
      Path file = CORPUS.resolve(columns[0]).resolve(columns[1] + ".elf");
      ElfUnwindSections elf = ElfUnwindSections.read(file);
      assertEquals(List.of(), elf.problems(), file.toString());
      assertEquals(columns[2].equals("REL"), elf.relocatable(), file.toString());
      StringBuilder text = new StringBuilder();
      SFrameText.write(SFrameSection.read(elf.sections().sframe()), text);
      if (!text.toString().equals(Files.readString(file.resolveSibling(columns[1] + ".tsv")))) {
        different.add(file.toString());
      }
      relocatable += elf.relocatable() ? 1 : 0;
      files++;
    }
    assertEquals(List.of(), different);
    assertTrue(relocatable > 0 && files > relocatable, relocatable + " of " + files);
  }
}
