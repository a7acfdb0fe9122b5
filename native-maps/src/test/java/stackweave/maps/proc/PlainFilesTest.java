package stackweave.maps.proc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Against java.nio. */
class PlainFilesTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 8191, 8192, 8193, 100_000})
  void givesAllBytes(int length) throws Exception {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    Path file = Files.write(directory.resolve("file"), bytes);
    assertArrayEquals(bytes, PlainFiles.bytes(file.toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a\n", "a\n\nb", "\n"})
  void givesLinesAsNioDoes(String text) throws Exception {
    Path file = Files.writeString(directory.resolve("file"), text);
    assertEquals(Files.readAllLines(file), PlainFiles.lines(file.toString()));
  }

  @Test
  void whatIsNotThereFails() {
    assertThrows(
        IOException.class, () -> PlainFiles.bytes(directory.resolve("nothing").toString()));
  }

  /** Lines across the ends of pieces, the last one without its newline. */
  @ParameterizedTest
  @ValueSource(ints = {1, 40, 41, 42, 43, 44, 300, 3_000})
  void mapsAreReadLineByLine(int lines) throws Exception {
    StringBuilder text = new StringBuilder();
    StringBuilder executable = new StringBuilder();
    for (int i = 0; i < lines; i++) {
      String line =
          String.format(
              "%08x-%08x r-%sp 00000000 08:01 %d %s/%s",
              (i + 1) * 4096,
              (i + 2) * 4096,
              i % 3 == 0 ? "x" : "-",
              i + 1,
              " ".repeat(20),
              "l".repeat(1 + i * 7 % 4_000));
      text.append(line).append('\n');
      if (i % 3 == 0) {
        executable.append(line).append('\n');
      }
    }
    Files.writeString(directory.resolve("maps"), text.substring(0, text.length() - 1));
    List<Mapping> expected = ProcMaps.parse(text.toString().lines().toList());
    assertEquals(expected, ProcMaps.read(directory));
    assertEquals(executable.toString().lines().toList(), ProcMaps.executable(directory));
  }

  @Test
  void aLineWithoutEndIsRefused() throws Exception {
    Files.writeString(directory.resolve("maps"), "x".repeat(100_000));
    assertThrows(IOException.class, () -> ProcMaps.read(directory));
  }
}
