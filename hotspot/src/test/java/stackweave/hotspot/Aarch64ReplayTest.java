package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.hotspot.replay.Replay;
import stackweave.hotspot.replay.ReplayFile;
import stackweave.hotspot.replay.ReplayReader;
import stackweave.unwind.Architecture;

/**
 * Stacks of JDK 17 and 25 for AArch64, stopped at single instructions under qemu-user and recorded,
 * with the frames beside each file. Of those every caller's bytecode was seen to call its callee,
 * by the class files of that JDK. Those in {@code waiting} are of threads that waited, in a machine
 * of {@code lab/arm64}; gdb had the same frames of such threads there.
 */
class Aarch64ReplayTest {
  private static final String BASE = "base.replay";

  static Stream<Path> cases() throws Exception {
    Path root = Path.of(Aarch64ReplayTest.class.getResource("aarch64").toURI());
    return Files.walk(root)
        .filter(path -> path.toString().endsWith(".replay") && !path.endsWith(BASE))
        .sorted()
        .map(path -> root.getParent().relativize(path));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void framesAreThoseRecorded(Path name) throws Exception {
    Path file = Path.of(Aarch64ReplayTest.class.getResource(name.toString()).toURI());
    ReplayFile sample = ReplayReader.read(Files.readAllBytes(file));
    if (sample.needsBase()) {
      sample = sample.on(ReplayReader.read(Files.readAllBytes(file.resolveSibling(BASE))));
    }
    assertEquals(Architecture.AARCH64, sample.architecture());
    String expected = Files.readString(Path.of(file.toString().replace(".replay", ".txt")));
    assertTrue(expected.endsWith("end: complete\n"), expected);
    assertEquals(expected, new Replay(sample).text());
  }
}
