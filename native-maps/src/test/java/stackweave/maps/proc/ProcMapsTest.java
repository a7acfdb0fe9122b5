package stackweave.maps.proc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Commands;

class ProcMapsTest {

  @Test
  void fieldsOfALine() throws IOException {
    assertEquals(
        new Mapping(
            0x7f77a7cb9000L,
            0x7f77a7e0f000L,
            true,
            false,
            true,
            false,
            0x26000,
            0xfe,
            1,
            339380,
            "/usr/lib/libc.so.6",
            false),
        only("7f77a7cb9000-7f77a7e0f000 r-xp 00026000 fe:01 339380    /usr/lib/libc.so.6\n"));
  }

  @Test
  void paths() throws IOException {
    assertEquals("", path("00:00 0 "));
    assertEquals("", path("00:00 0"));
    assertEquals("[vdso]", path("00:00 0                          [vdso]"));
    assertEquals("[anon:my name]", path("00:00 0     [anon:my name]"));
    assertEquals("/a b/c  d.so", path("08:01 7   /a b/c  d.so"));
    assertEquals("/a\nb", path("08:01 7   /a\\012b"));
    assertEquals("/memfd:x", path("00:01 7   /memfd:x (deleted)"));
  }

  @Test
  void deletedIsAMarkAndNoPartOfThePath() throws IOException {
    Mapping m = only("1000-2000 r-xs 00000000 08:01 7   /tmp/a (deleted).so (deleted)");
    assertEquals("/tmp/a (deleted).so", m.path());
    assertTrue(m.deleted());
    assertTrue(m.shared());
  }

  @Test
  void addressesAreUnsigned() throws IOException {
    Mapping m = only("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]");
    assertEquals(0xffffffffff600000L, m.start());
    assertEquals(0xffffffffff601000L, m.end());
  }

  @Test
  void whatIsNoLineIsRefused() {
    for (String line :
        List.of(
            "x", "", "1000-2000", "1000-2000 r-xp", "1000-2000 r-xp 0 0:0 ", "-- r-xp 0 0:0 0")) {
      assertThrows(IOException.class, () -> ProcMaps.parse(List.of(line)), line);
    }
  }

  @Test
  void pathsThatFillTheHeapAreLeftOut(@TempDir Path process) throws IOException {
    String line = "1000-2000 r-xp 00000000 08:01 7   /" + "\\012".repeat(4000) + "\n";
    int lines = 1200;
    Files.writeString(process.resolve("maps"), line.repeat(lines));
    int read = ProcMaps.read(process).size();
    assertTrue(read > 1000 && read < lines, read + " of " + lines);
    assertEquals(read, ProcMaps.executable(process).size());
  }

  /** What was parsed, written in the kernel's format again, is what the kernel wrote. */
  @Test
  void mapsOfARealProcessComeOutAgain() throws Exception {
    String text = Commands.output("cat", "/proc/self/maps");
    StringBuilder again = new StringBuilder();
    for (Mapping m : ProcMaps.parse(text.lines().toList())) {
      String line =
          String.format(
              "%08x-%08x %s%s%s%s %08x %02x:%02x %d ",
              m.start(),
              m.end(),
              m.readable() ? "r" : "-",
              m.writable() ? "w" : "-",
              m.executable() ? "x" : "-",
              m.shared() ? "s" : "p",
              m.offset(),
              m.major(),
              m.minor(),
              m.inode());
      again.append(m.path().isEmpty() ? line : String.format("%-73s%s", line, m.path()));
      again.append('\n');
    }
    assertEquals(text, again.toString());
  }

  private static String path(String deviceInodePath) throws IOException {
    return only("1000-2000 rw-p 00000000 " + deviceInodePath).path();
  }

  private static Mapping only(String text) throws IOException {
    List<Mapping> mappings = ProcMaps.parse(text.lines().toList());
    assertEquals(1, mappings.size());
    return mappings.get(0);
  }
}
