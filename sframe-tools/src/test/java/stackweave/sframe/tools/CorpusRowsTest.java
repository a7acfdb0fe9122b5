package stackweave.sframe.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.unwind.Elf;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.Corpus;
import stackweave.unwind.sframe.SFrameRelocations;
import stackweave.unwind.sframe.SFrameSection;

/** Every row of the corpus, as objdump and an independent decoder wrote it down. */
class CorpusRowsTest {

  /** The lines of INDEX.tsv as columns: set, name, type, address, bytes, functions, rows, notes. */
  private static List<String[]> index(Path corpus) throws IOException {
    return Corpus.index(corpus.resolve("INDEX.tsv")).stream()
        .map(line -> line.split("\t", -1))
        .toList();
  }

  static Stream<String> sets() throws IOException {
    return index(Corpus.directory()).stream().map(columns -> columns[0]).distinct();
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("sets")
  void everyRowOfASetIsTheSame(String set) throws Exception {
    compareSet(Corpus.directory(), set);
  }

  private static void compareSet(Path corpus, String set) throws Exception {
    List<String[]> entries = index(corpus).stream().filter(line -> line[0].equals(set)).toList();
    long rows = 0;
    long listings = 0;
    for (String[] entry : entries) {
      Path file = corpus.resolve(set).resolve(entry[1] + ".elf");
      Path expected = file.resolveSibling(entry[1] + ".tsv");
      listings += Files.exists(expected) ? 1 : 0;
      Elf elf = Elf.read(file);
      Section section = elf.sframe();
      if (section == null) {
        assertEquals(0, number(entry[4]), file + " has no .sframe");
        assertEquals(0, number(entry[5]), file + " has no .sframe");
        section = new Section(ByteBuffer.allocate(0), 0);
      } else {
        assertEquals(Long.parseUnsignedLong(entry[3], 16), section.address(), file.toString());
      }
      assertEquals(number(entry[4]), section.bytes().limit(), file.toString());
      SFrameSection sframe = SFrameSection.read(section);
      assertEquals(
          section.bytes().limit() == 0 ? null : elf.architecture,
          sframe.architecture(),
          file.toString());
      assertEquals(number(entry[5]), sframe.functionCount(), file.toString());
      boolean relocatable = entry[2].equals("REL");
      if (relocatable && sframe.functionCount() > 0 && !set.matches(".*-v[12]")) {
        sframe = SFrameSection.read(relocated(elf, section));
      }
      if (Files.exists(expected) || sframe.functionCount() > 0) {
        rows += compare(sframe, expected);
      }
    }
    long there =
        Corpus.list(corpus.resolve(set), "*.tsv").stream()
            .filter(file -> !file.getFileName().toString().equals("INDEX.tsv"))
            .count();
    assertEquals(listings, there, "files of the index");
    assertEquals(entries.stream().mapToLong(entry -> number(entry[6])).sum(), rows);
  }

  /** Files without a section have nothing to count. */
  private static long number(String column) {
    return column.equals("-") ? 0 : Long.parseLong(column);
  }

  /** A set with a file that has no .sframe, one that has an empty one, and an index of its own. */
  @Test
  void anyCorpusOfTheFormIsRead(@TempDir Path corpus) throws Exception {
    Path set = Files.createDirectory(corpus.resolve("x86_64-v3"));
    Path source = Corpus.builtIn().resolve("x86_64-v3");
    Files.copy(source.resolve("exe-simple.elf"), set.resolve("exe-simple.elf"));
    Files.copy(source.resolve("exe-simple.tsv"), set.resolve("exe-simple.tsv"));
    byte[] bytes = Files.readAllBytes(source.resolve("exe-simple.elf"));
    Elf elf = Elf.read(source.resolve("exe-simple.elf"));
    int table = (int) elf.bytes.getLong(40);
    int header = table + 64 * elf.sections.indexOf(elf.header(".sframe"));
    ByteBuffer file = ByteBuffer.wrap(bytes).order(elf.bytes.order());
    file.putLong(header + 32, 0);
    Files.write(set.resolve("exe-empty.elf"), bytes);
    Files.writeString(set.resolve("exe-empty.tsv"), SFrameText.HEADER + "\n");
    file.putInt(header + 4, 1).putInt(header, 0); // another type and name
    Files.write(set.resolve("exe-none.elf"), bytes);
    List<String> own =
        Corpus.index(Corpus.builtIn().resolve("INDEX.tsv")).stream()
            .filter(line -> line.startsWith("x86_64-v3\texe-simple\t"))
            .toList();
    String address = own.get(0).split("\t")[3];
    List<String> index =
        List.of(
            "#set\tname\ttype\tsframe_vma\tsection_bytes\tfdes\tfres\tnotes",
            own.get(0),
            "x86_64-v3\texe-empty\tEXEC\t" + address + "\t0\t0\t0\tempty",
            "x86_64-v3\texe-none\tEXEC\t-\t-\t-\t-\tno .sframe");
    Files.write(corpus.resolve("INDEX.tsv"), index);
    Files.write(set.resolve("INDEX.tsv"), index);

    compareSet(corpus, "x86_64-v3");

    Files.delete(set.resolve("exe-empty.tsv")); // as good as one without rows
    compareSet(corpus, "x86_64-v3");
    Files.writeString(set.resolve("exe-none.tsv"), SFrameText.HEADER + "\n0\t1\t1\t1\n");
    assertThrows(AssertionError.class, () -> compareSet(corpus, "x86_64-v3"));
  }

  @Test
  void synthesizedSectionsAreTheSame() throws Exception {
    List<Path> files = Corpus.list("synth", "*.sframe");
    for (Path file : files) {
      Section section = new Section(ByteBuffer.wrap(Files.readAllBytes(file)), 0);
      String name = file.getFileName().toString().replace(".sframe", ".tsv");
      compare(SFrameSection.read(section), file.resolveSibling(name));
    }
    Path index = Corpus.directory().resolve("synth/INDEX.tsv");
    assertEquals(Corpus.index(index).size(), files.size());
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
