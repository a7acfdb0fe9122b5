package stackweave.sframe.elf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.maps.elf.ElfUnwindSections;
import stackweave.sframe.tools.SFrameText;
import stackweave.sframe.writer.SFrameMerge;
import stackweave.testing.Commands;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.table.UnwindSections;

/** Executables, libraries and relocatable objects of the SFrame corpus, read as ELF files. */
class ElfUnwindSectionsTest {
  private static final Path CORPUS = Path.of("../unwind/src/test/resources/sframe-corpus");

  @TempDir private Path directory;

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

  /** One found by type, one by name, at its own address; objcopy adds it, readelf counts both. */
  @Test
  void allSectionsOfAFileAreRead() throws Exception {
    Path source = CORPUS.resolve("x86_64-v3/exe-simple.elf");
    Section own = ElfUnwindSections.read(source).sections().sframe();
    SFrameMerge merge = new SFrameMerge();
    merge.add(SFrameSection.read(own));
    // As if loaded 16 MiB higher: with it, its functions are.
    Path moved = directory.resolve("moved.sframe");
    Files.write(moved, merge.write(own.address()));
    long address = own.address() + (1 << 24);
    Path file = directory.resolve("two.elf");
    Commands.output(
        "objcopy",
        "--add-section",
        ".sframe.more=" + moved,
        "--set-section-flags",
        ".sframe.more=alloc,readonly",
        "--change-section-address",
        ".sframe.more=" + address,
        source.toString(),
        file.toString());
    Commands.output("objcopy", "--rename-section", ".sframe.more=.sframe", file.toString());
    long counted =
        Commands.output("readelf", "-SW", file.toString())
            .lines()
            .filter(line -> line.contains(".sframe"))
            .count();
    assertEquals(2, counted);

    UnwindSections sections = ElfUnwindSections.read(file).sections();
    assertEquals(2, sections.allSFrame().size());
    assertEquals(address, sections.moreSFrame().get(0).address());
    SFrameSection both = SFrameSection.read(sections.allSFrame());
    assertEquals(2 * SFrameSection.read(own).functionCount(), both.functionCount());
    SFrameFunction function = new SFrameFunction();
    both.open(0, function);
    long start = function.start();
    assertTrue(both.findFunction(start + (1 << 24), function));
    assertEquals(start + (1 << 24), function.start());
  }
}
