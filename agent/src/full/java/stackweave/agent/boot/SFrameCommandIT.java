package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.testing.Ended;

/** {@code java -jar stackweave-agent.jar sframe …}, as a user types it. */
class SFrameCommandIT extends SFrameCommands {
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
    String functions =
        sframe("dump", "raw").out().replaceFirst("(?s).*?: (\\d+) functions.*", "$1");
    assertTrue(raw.out().replace(",", "").contains(" " + functions + " functions"), raw.out());
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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                         | Missing required subcommand .*sframe --help.*",
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
}
