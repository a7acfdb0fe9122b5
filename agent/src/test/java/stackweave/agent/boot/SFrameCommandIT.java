package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.testing.Ended;

/** {@code java -jar stackweave-agent.jar sframe …}, as a user types it. */
class SFrameCommandIT {
  private static final Path CORPUS =
      Path.of("../unwind/src/test/resources/sframe-corpus").toAbsolutePath();

  @TempDir private static Path directory;
  private static OneJvm warm;

  @BeforeAll
  static void files() throws Exception {
    copy("aarch64-v3/exe-simple.elf", "simple.elf");
    copy("aarch64-v3/exe-simple.tsv", "simple.tsv");
    copy("bad/53-fretype15.sframe", "rows.sframe");
    copy("bad/09-version4.sframe", "version.sframe");
    copy("bad/45-concat.sframe", "concat.sframe");
    copy("x86_64-v3/rel-stubs.elf", "object.elf");
    Files.writeString(directory.resolve("text"), "no section\n");
    // A library of the JDK: it has .eh_frame, and System.load can say whether it still loads.
    Path library = Path.of(System.getProperty("java.home"), "lib", "libzip.so");
    Files.copy(library, directory.resolve("libzip.so"));
    warm = OneJvm.start(Jvm.all().findFirst().orElseThrow(), directory);
  }

  @AfterAll
  static void end() throws Exception {
    warm.close();
  }

  private static void copy(String from, String to) throws Exception {
    Files.copy(CORPUS.resolve(from), directory.resolve(to), StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void dumpIsTheCorpusTsv() throws Exception {
    Ended dump = sframe("dump", "simple.elf", "--format", "tsv");
    assertEquals("", dump.err());
    assertEquals(0, dump.exit());
    assertEquals(Files.readString(directory.resolve("simple.tsv")), dump.out());
    Ended text = sframe("dump", "simple.elf");
    assertTrue(text.out().startsWith("SFrame V3 at offset 0x0, aarch64 little endian"), text.out());
  }

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

  @Test
  void verifySaysWhatIsWrong() throws Exception {
    Ended sound = sframe("verify", "simple.elf");
    assertEquals(List.of("", "", 0), List.of(sound.out(), sound.err(), sound.exit()));
    Ended rows = sframe("verify", "rows.sframe");
    assertEquals("offset 0x1c: function 0: unknown FDE or row type\n", rows.out());
    assertEquals(1, rows.exit());
    Ended version = sframe("verify", "version.sframe");
    assertEquals("offset 0x2: unknown version\n", version.out());
    assertEquals(1, version.exit());
  }

  @Test
  void generatedSectionsAreReadBack() throws Exception {
    Ended raw = sframe("generate", "libzip.so", "-o", "raw");
    assertEquals(0, raw.exit(), raw.err());
    Ended added = sframe("generate", "libzip.so", "-o", "added.so", "--add");
    assertEquals(0, added.exit(), added.err());
    Ended ofRaw = sframe("dump", "raw", "--format", "tsv");
    Ended ofAdded = sframe("dump", "added.so", "--format", "tsv");
    assertTrue(ofRaw.out().lines().count() > 100);
    assertEquals(ofRaw.out(), ofAdded.out());
    assertEquals("", sframe("verify", "added.so").out());
    System.load(directory.resolve("added.so").toString());
    Ended stat = sframe("stat", "added.so", "raw", "simple.elf");
    assertEquals(0, stat.exit(), stat.err());
    long sections = stat.out().lines().filter(l -> l.matches("  \\.sframe V3 .* bytes")).count();
    assertEquals(3, sections, stat.out());
    assertTrue(stat.out().contains("  .eh_frame + hdr"), stat.out());
  }

  /** Rows stay, but for the number of the function and functions that say nothing. */
  @Test
  void upgradedAndMergedSectionsSayTheSame() throws Exception {
    copy("x86_64-v1/exe-simple.elf", "v1.elf");
    copy("x86_64-v1/exe-simple.tsv", "v1.tsv");
    copy("bad/45-concat.sframe", "two.sframe");
    Ended upgrade = sframe("upgrade", "v1.elf", "-o", "v3");
    assertEquals(0, upgrade.exit(), upgrade.err());
    assertTrue(upgrade.out().startsWith("v3: SFrame V3, "), upgrade.out());
    String address = "0x" + index("x86_64-v1", "exe-simple")[3];
    Ended dump = sframe("dump", "v3", "--address", address, "--format", "tsv");
    assertEquals(Files.readString(directory.resolve("v1.tsv")), dump.out());

    Ended merge = sframe("merge", "two.sframe", "v3@" + address, "-o", "all");
    assertEquals(0, merge.exit(), merge.err());
    assertEquals("", sframe("verify", "all").out());
    List<String> expected = new ArrayList<>(rows(sframe("dump", "two.sframe", "--format", "tsv")));
    expected.addAll(rows(dump));
    Ended all = sframe("dump", "all", "--format", "tsv");
    assertEquals(expected.stream().sorted().toList(), rows(all).stream().sorted().toList());
    assertTrue(sframe("dump", "all").out().startsWith("SFrame V3 at offset 0x0, x86_64"));
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

  private void objcopy(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("objcopy"));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).directory(directory.toFile()).inheritIO().start();
    assertEquals(0, process.waitFor());
  }

  private static List<String> rows(Ended dump) {
    return dump.out().lines().map(line -> line.substring(line.indexOf('\t'))).skip(1).toList();
  }

  private static String[] index(String set, String name) throws Exception {
    return Files.readAllLines(CORPUS.resolve("INDEX.tsv")).stream()
        .map(line -> line.split("\t"))
        .filter(columns -> columns[0].equals(set) && columns[1].equals(name))
        .findFirst()
        .orElseThrow();
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
        "upgrade simple.elf                       | .*'--output=OUT'.*",
        "upgrade simple.elf -o simple.elf         | simple.elf is the file to read itself.*",
        "upgrade object.elf -o out                | object.elf: relocatable object: .*",
        "upgrade rows.sframe -o out               | rows.sframe: .sframe: unknown FDE or row type .*",
        "upgrade simple.elf -o /no/out            | can't write /no/out: no such directory",
        "merge -o out                             | .*'FILE\\[@HEX\\]'.*",
        "merge libzip.so -o out                   | libzip.so: no .sframe section; .*",
        "merge simple.elf concat.sframe -o out    | concat.sframe: .sframe: .*another architecture.*",
        "merge simple.elf simple.elf -o out       | the files are not of one image: .*",
        "merge rows.sframe@here -o out            | rows.sframe@here: 'here' is no hexadecimal.*",
        "merge missing@10 -o out                  | missing: no such file",
      })
  void failsInOneLine(String arguments, String message) throws Exception {
    Ended result = warm.run(("sframe " + (arguments == null ? "" : arguments)).strip().split(" "));
    assertEquals("", result.out());
    assertEquals(1, result.err().lines().count(), result.err());
    assertTrue(result.err().matches("stackweave: (" + message + ")\n"), result.err());
    assertEquals(2, result.exit());
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

  private Ended sframe(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("sframe"));
    all.addAll(List.of(arguments));
    return Jvm.all().findFirst().orElseThrow().commandLine(directory, all.toArray(String[]::new));
  }
}
