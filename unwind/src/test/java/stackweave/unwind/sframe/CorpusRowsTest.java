package stackweave.unwind.sframe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.unwind.Elf;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.tools.SFrameText;

/** Every row of the corpus, as objdump and an independent decoder wrote it down. */
class CorpusRowsTest {

  /** The lines of INDEX.tsv as columns: set, name, type, address, bytes, functions, rows, notes. */
  private static List<String[]> index() throws IOException {
    return Files.readAllLines(Corpus.directory().resolve("INDEX.tsv")).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split("\t", -1))
        .toList();
  }

  static Stream<String> sets() throws IOException {
    return index().stream().map(columns -> columns[0]).distinct();
  }

  @ParameterizedTest
  @MethodSource("sets")
  void everyRowOfASetIsTheSame(String set) throws Exception {
    List<String[]> entries = index().stream().filter(columns -> columns[0].equals(set)).toList();
    long rows = 0;
    for (String[] entry : entries) {
      Path file = Corpus.directory().resolve(set).resolve(entry[1] + ".elf");
      Elf elf = Elf.read(file);
      Section section = elf.sframe();
      assertNotNull(section, file.toString());
      assertEquals(Long.parseUnsignedLong(entry[3], 16), section.address(), file.toString());
      assertEquals(Integer.parseInt(entry[4]), section.bytes().limit(), file.toString());
      SFrameSection sframe = SFrameSection.read(section);
      assertEquals(elf.architecture, sframe.architecture(), file.toString());
      assertEquals(Integer.parseInt(entry[5]), sframe.functionCount(), file.toString());
      boolean relocatable = entry[2].equals("REL");
      if (relocatable && !set.endsWith("-v1") && !set.endsWith("-v2")) {
        sframe = SFrameSection.read(relocated(elf, section));
      }
      rows += compare(sframe, file.resolveSibling(entry[1] + ".tsv"));
    }
    assertEquals(entries.size(), Corpus.list(set, "*.tsv").size(), "files of the index");
    assertEquals(entries.stream().mapToLong(entry -> Long.parseLong(entry[6])).sum(), rows);
  }

  @Test
  void synthesizedSectionsAreTheSame() throws Exception {
    List<Path> files = Corpus.list("synth", "*.sframe");
    for (Path file : files) {
      Section section = new Section(ByteBuffer.wrap(Files.readAllBytes(file)), 0);
      String name = file.getFileName().toString().replace(".sframe", ".tsv");
      compare(SFrameSection.read(section), file.resolveSibling(name));
    }
    List<String> listed =
        Files.readAllLines(Corpus.directory().resolve("synth/INDEX.tsv")).stream()
            .filter(line -> !line.startsWith("#"))
            .toList();
    assertEquals(listed.size(), files.size());
  }

  /** Lines that are rows; a function without rows has a line that is none. */
  private static long compare(SFrameSection section, Path expected) throws Exception {
    StringBuilder text = new StringBuilder();
    assertEquals(List.of(), SFrameText.write(section, text));
    List<String> lines = text.toString().lines().toList();
    List<String> wanted = Files.readAllLines(expected);
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < Math.max(lines.size(), wanted.size()); i++) {
      String line = i < lines.size() ? lines.get(i) : "nothing";
      String want = i < wanted.size() ? wanted.get(i) : "nothing";
      if (!line.equals(want)) {
        differences.add(line + " instead of " + want);
      }
    }
    assertEquals(List.of(), differences.stream().limit(5).toList(), expected.toString());
    assertTrue(lines.size() > 0);
    return lines.stream().filter(line -> !line.contains("norows") && !line.startsWith("#")).count();
  }

  /** The section with the relocations of the object file for it. */
  static Section relocated(Elf elf, Section section) throws MalformedSectionException {
    int number = elf.sections.indexOf(elf.header(".sframe"));
    List<Long> offsets = new ArrayList<>();
    List<Long> targets = new ArrayList<>();
    for (Elf.Header header : elf.sections) {
      if (header.type() == 4 && header.info() == number) { // SHT_RELA
        Elf.Header symbols = elf.sections.get(header.link());
        for (int at = (int) header.offset(); at < header.offset() + header.size(); at += 24) {
          int symbol = (int) (elf.bytes.getLong(at + 8) >>> 32);
          long value = elf.bytes.getLong((int) symbols.offset() + symbol * 24 + 8);
          offsets.add(elf.bytes.getLong(at));
          targets.add(value + elf.bytes.getLong(at + 16));
        }
      }
    }
    return SFrameRelocations.apply(
        section,
        offsets.stream().mapToLong(Long::longValue).toArray(),
        targets.stream().mapToLong(Long::longValue).toArray());
  }
}
