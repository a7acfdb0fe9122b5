package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.boot.Jvm.Result;

/** {@code java -jar stackweave-agent.jar sframe …}, as a user types it. */
class SFrameCommandIT {
  private static final Path CORPUS =
      Path.of("../unwind/src/test/resources/sframe-corpus").toAbsolutePath();

  @TempDir private Path directory;

  @BeforeEach
  void files() throws Exception {
    copy("aarch64-v3/exe-simple.elf", "simple.elf");
    copy("aarch64-v3/exe-simple.tsv", "simple.tsv");
    copy("bad/53-fretype15.sframe", "rows.sframe");
    copy("bad/09-version4.sframe", "version.sframe");
    Files.writeString(directory.resolve("text"), "no section\n");
    // A library of the JDK: it has .eh_frame, and System.load can say whether it still loads.
    Path library = Path.of(System.getProperty("java.home"), "lib", "libzip.so");
    Files.copy(library, directory.resolve("libzip.so"));
  }

  private void copy(String from, String to) throws Exception {
    Files.copy(CORPUS.resolve(from), directory.resolve(to), StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void dumpIsTheCorpusTsv() throws Exception {
    Result dump = sframe("dump", "simple.elf", "--format", "tsv");
    assertEquals("", dump.err());
    assertEquals(0, dump.exit());
    assertEquals(Files.readString(directory.resolve("simple.tsv")), dump.out());
    Result text = sframe("dump", "simple.elf");
    assertTrue(text.out().startsWith("SFrame V3 at offset 0x0, aarch64 little endian"), text.out());
  }

  @Test
  void lookupIsTheRowOfTheDump() throws Exception {
    String[] row = Files.readAllLines(directory.resolve("simple.tsv")).get(1).split("\t");
    Result lookup = sframe("lookup", "simple.elf", "0x" + row[3], "1");
    assertEquals(0, lookup.exit(), lookup.err());
    row[0] = row[3];
    assertEquals(
        List.of(
            "#pc\tstart\tsize\trowpc\tcfa\tfp\tra\tflags",
            String.join("\t", row),
            "1\tno function"),
        lookup.out().lines().toList());
  }

  @Test
  void verifySaysWhatIsWrong() throws Exception {
    Result sound = sframe("verify", "simple.elf");
    assertEquals(List.of("", "", 0), List.of(sound.out(), sound.err(), sound.exit()));
    Result rows = sframe("verify", "rows.sframe");
    assertEquals("offset 0x1c: function 0: unknown FDE or row type\n", rows.out());
    assertEquals(1, rows.exit());
    Result version = sframe("verify", "version.sframe");
    assertEquals("offset 0x2: unknown version\n", version.out());
    assertEquals(1, version.exit());
  }

  @Test
  void generatedSectionsAreReadBack() throws Exception {
    Result raw = sframe("generate", "libzip.so", "-o", "raw");
    assertEquals(0, raw.exit(), raw.err());
    Result added = sframe("generate", "libzip.so", "-o", "added.so", "--add");
    assertEquals(0, added.exit(), added.err());
    Result ofRaw = sframe("dump", "raw", "--format", "tsv");
    Result ofAdded = sframe("dump", "added.so", "--format", "tsv");
    assertTrue(ofRaw.out().lines().count() > 100);
    assertEquals(ofRaw.out(), ofAdded.out());
    assertEquals("", sframe("verify", "added.so").out());
    System.load(directory.resolve("added.so").toString());
    Result stat = sframe("stat", "added.so", "raw", "simple.elf");
    assertEquals(0, stat.exit(), stat.err());
    long sections = stat.out().lines().filter(l -> l.matches("  \\.sframe V3 .* bytes")).count();
    assertEquals(3, sections, stat.out());
    assertTrue(stat.out().contains("  .eh_frame + hdr"), stat.out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                         | no command given .*sframe --help.*",
        "dump                                     | .*'FILE'.*sframe dump --help.*",
        "dump missing                             | missing: no such file",
        "verify .                                 | \\.: is a directory",
        "verify /dev/null                         | /dev/null: is no regular file",
        "stat simple.elf missing                  | missing: no such file",
        "dump text                                | text: no ELF file and no SFrame section: .*",
        "dump libzip.so                           | libzip.so: no .sframe section; .*generate.*",
        "verify libzip.so                         | libzip.so: no .sframe section; .*generate.*",
        "dump simple.elf --address 10             | simple.elf: .*--address is for raw sections",
        "dump simple.elf --format html            | .*'html'.*",
        "lookup simple.elf                        | .*'PC'.*",
        "lookup simple.elf main                   | .*'main' is no hexadecimal address.*",
        "generate libzip.so                       | .*'--output=OUT'.*",
        "generate text -o out                     | text: not an ELF file.*",
        "generate libzip.so -o ./libzip.so        | ./libzip.so is the ELF file itself.*",
        "generate libzip.so --add -o /dev/full    | can't write /dev/full: .*",
        "generate libzip.so -o /no/out            | can't write /no/out: no such directory",
        "generate libzip.so -o o --section-version 1 | --section-version is 2 or 3.*",
        "generate simple.elf -o out --add         | simple.elf: has .sframe already.*",
      })
  void failsInOneLine(String arguments, String message) throws Exception {
    Result result = sframe(arguments == null ? new String[0] : arguments.split(" "));
    assertEquals("", result.out());
    assertEquals(1, result.err().lines().count(), result.err());
    assertTrue(result.err().matches("stackweave: (" + message + ")\n"), result.err());
    assertEquals(2, result.exit());
  }

  /** What can be read is shown; what can't is told, and the exit code says so. */
  @Test
  void dumpOfABadFunction() throws Exception {
    Result dump = sframe("dump", "rows.sframe", "--format", "tsv");
    assertTrue(dump.out().lines().count() > 1, dump.out());
    assertEquals(
        "stackweave: rows.sframe: dumped without what is malformed (1 function); offset 0x1c:"
            + " function 0: unknown FDE or row type\n",
        dump.err());
    assertEquals(2, dump.exit());
  }

  private Result sframe(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("-jar", Jars.AGENT.toString(), "sframe"));
    all.addAll(List.of(arguments));
    return Jvm.all().findFirst().orElseThrow().run(directory, all);
  }
}
