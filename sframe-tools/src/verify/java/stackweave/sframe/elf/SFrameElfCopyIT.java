package stackweave.sframe.elf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.maps.RealLibraries;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.maps.elf.ElfUnwindSections;
import stackweave.maps.symbols.SymbolTable;
import stackweave.maps.symbols.SymbolTableTest;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.sframe.writer.SFrameConversion;
import stackweave.testing.Commands;
import stackweave.testing.Gcc;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindSource;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.sframe.SFrameSection;
import stackweave.unwind.table.UnwindTables;

/** Files with .sframe added: they load and run, readelf and our reader find the section. */
class SFrameElfCopyIT {
  /** Walks its own program headers, as unwinders do, and its zeroed data. */
  private static final String PROGRAM =
      """
      #define _GNU_SOURCE
      #include <elf.h>
      #include <link.h>
      #include <stdio.h>
      #include <stdlib.h>
      static char zeros[3000000];
      static __thread int own = 42;
      static int seen;
      static int each(struct dl_phdr_info *i, size_t size, void *data) {
        for (int k = 0; !seen && k < i->dlpi_phnum; k++) {
          if (i->dlpi_phdr[k].p_type == 0x6474e554) {
            unsigned char *s = (unsigned char *) i->dlpi_addr + i->dlpi_phdr[k].p_vaddr;
            printf("%02x%02x version %d\\n", s[1], s[0], s[2]);
            seen = 1;
          }
        }
        return 0;
      }
      int main(int argc, char **argv) {
        for (int i = 0; i < sizeof zeros; i++) if (zeros[i]) return 1;
        char *heap = malloc(1 << 16);
        heap[0] = 1;
        dl_iterate_phdr(each, 0);
        printf("%d %s\\n", own + heap[0], argv[1]);
        return 0;
      }
      """;

  private static final String LIBRARY =
      """
      static char zeros[70000];
      int shown(int x) { return x * 3 + zeros[x]; }
      """;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"-pie", "-no-pie", "-static", "-static-pie", "-Wl,-z,noseparate-code"})
  void programsRun(String kind) throws Exception {
    Path c = Files.writeString(directory.resolve("p.c"), PROGRAM);
    Path program = directory.resolve("p");
    Commands.output("gcc", "-O1", kind, "-o", "" + program, "" + c);
    assertEquals("43 x\n", Commands.output("" + program, "x"));
    Path copy = directory.resolve("copy");
    SFrameConversion made = SFrameElfCopy.write(program, 3, copy);
    assertEquals("dee2 version 3\n43 x\n", Commands.output("" + copy, "x"));
    assertReads(program, copy, made);
    Commands.output("strip", "" + program);
    SFrameElfCopy.write(program, 3, copy);
    assertEquals("dee2 version 3\n43 x\n", Commands.output("" + copy, "x"));
    assertReason(Reason.HAS_SFRAME, copy);
  }

  @Test
  void sharedLibrariesLoad() throws Exception {
    Path library = Gcc.library(directory, "shown", LIBRARY, "-Wl,-soname,libshown.so");
    Path copies = Files.createDirectory(directory.resolve("copies"));
    Path copy = copies.resolve("libshown.so");
    assertReads(library, copy, SFrameElfCopy.write(library, 3, copy));
    System.load(copy.toString());

    Path main =
        Files.writeString(
            directory.resolve("m.c"),
            "#include <stdio.h>\nint shown(int); int main() { printf(\"%d\\n\", shown(7)); }\n");
    Path program = directory.resolve("m");
    Commands.output("gcc", "-o", "" + program, "" + main, "" + library);
    Path libc = RealLibraries.mapped("libc.so.6");
    Path libcCopy = copies.resolve("libc.so.6");
    assertReads(libc, libcCopy, SFrameElfCopy.write(libc, 3, libcCopy));
    assertEquals("21\n", Commands.output("env", "LD_LIBRARY_PATH=" + copies, "" + program));
    String used = Commands.output("env", "LD_LIBRARY_PATH=" + copies, "ldd", "" + program);
    assertTrue(used.contains("" + copy) && used.contains("" + libcCopy), used);
  }

  @Test
  void versionTwo() throws Exception {
    Path library = Gcc.library(directory, "two", LIBRARY);
    Path copy = directory.resolve("copy.so");
    SFrameElfCopy.write(library, 2, copy);
    ElfUnwindSections elf = ElfUnwindSections.read(copy);
    assertEquals(2, SFrameSection.read(elf.sections().sframe()).version());
  }

  /** Without section headers the segment says where it is. */
  @Test
  void withoutSectionHeaders() throws Exception {
    Path library = Gcc.library(directory, "bare", LIBRARY);
    byte[] bytes = Files.readAllBytes(library);
    for (int at : new int[] {40, 41, 42, 43, 60, 61, 62, 63}) {
      bytes[at] = 0;
    }
    Files.write(library, bytes);
    Path copy = directory.resolve("copy.so");
    assertReads(library, copy, SFrameElfCopy.write(library, 3, copy));
    System.load(copy.toString());
  }

  @Test
  void refusals() throws Exception {
    Path c = Files.writeString(directory.resolve("o.c"), LIBRARY);
    Path object = directory.resolve("o.o");
    Commands.output("gcc", "-c", "-o", "" + object, "" + c);
    assertReason(Reason.RELOCATABLE, object);
    assertReason(Reason.NOT_ELF, c);
  }

  private void assertReason(Reason reason, Path file) {
    Path output = directory.resolve("never");
    ElfFormatException e =
        assertThrows(ElfFormatException.class, () -> SFrameElfCopy.write(file, 3, output));
    assertEquals(reason, e.reason());
    assertFalse(Files.exists(output));
  }

  private void assertReads(Path original, Path copy, SFrameConversion made) throws Exception {
    ElfUnwindSections elf = ElfUnwindSections.read(copy);
    assertEquals(List.of(), elf.problems());
    assertEquals(List.of(), SFrameVerifier.verify(elf.sections().sframe()));
    assertEquals(Files.getPosixFilePermissions(original), Files.getPosixFilePermissions(copy));

    String listing = Commands.output("readelf", "-lSW", "" + copy);
    String size = String.format("%06x", made.bytes().length);
    String address = Long.toHexString(elf.sections().sframe().address());
    Matcher segment =
        Pattern.compile("GNU_SFRAME +0x(\\w+) 0x0*" + address + " \\S+ 0x" + size + " ")
            .matcher(listing);
    assertTrue(segment.find(), listing);
    if (listing.contains("Section Headers")) {
      String offset = segment.group(1);
      String row = " \\.sframe +\\S+ +0*" + address + " " + offset + " " + size + " .*";
      assertTrue(Pattern.compile(row).matcher(listing).find(), listing);
    }
    // What was there before is still there: same sections, same places.
    List<String> missing = new ArrayList<>(sections(original));
    missing.removeAll(sections(copy));
    assertEquals(List.of(), missing);

    RuleTable rules = new RuleTable(Architecture.X86_64);
    UnwindTable table = UnwindTables.open(elf.sections(), rules);
    assertEquals(UnwindSource.SFRAME_V3, table.source(), table.why());
    SymbolTable symbols = SymbolTableTest.image(original, directory).symbols();
    UnwindTable before = UnwindTables.open(ElfUnwindSections.read(original).sections(), rules);
    int found = 0;
    for (int i = 0; i < symbols.size(); i++) {
      boolean known = before.find(symbols.start(i)) >= 0;
      assertEquals(known, table.find(symbols.start(i)) >= 0, symbols.rawName(i));
      found += known ? 1 : 0;
    }
    assertTrue(found > 0);
  }

  private static List<String> sections(Path file) throws Exception {
    return Commands.output("readelf", "-SW", "" + file)
        .lines()
        .filter(line -> line.matches(" +\\[ *\\d+\\] \\S.*") && !line.contains(".shstrtab"))
        .toList();
  }
}
