package stackweave.hotspot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.replay.Replay;
import stackweave.hotspot.replay.ReplayFile;
import stackweave.hotspot.replay.ReplayReader;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Samples of named situations, recorded in JVMs of several JDKs and replayed without them; see
 * README.md beside them. Property {@code replay.write} makes the frames of today those expected:
 * look through what git says has changed.
 */
class ReplayTest {
  private static final Path CASES = Path.of("src/test/resources/replay");
  private static final Map<Path, ReplayFile> BASES = new HashMap<>();
  private static final int SHORTER_BYTES = 64;
  private static final boolean WRITE = Boolean.getBoolean("replay.write");

  static List<String> cases() throws IOException {
    try (Stream<Path> files = Files.walk(CASES)) {
      return files
          .map(file -> CASES.relativize(file).toString())
          .filter(name -> name.endsWith(".txt"))
          .map(name -> name.substring(0, name.length() - ".txt".length()))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void hasTheSameFramesAsThen(String name) throws Exception {
    String frames = new Replay(read(CASES.resolve(name + ".replay"))).text();
    Path expected = CASES.resolve(name + ".txt");
    if (WRITE) {
      Files.writeString(expected, frames);
    }
    assertEquals(Files.readString(expected), frames);
  }

  /**
   * Where all of HotSpot's frames wait for a call, and so are complete, those of a part of the
   * stack are the same: what was not copied is not searched for among leftovers of earlier calls.
   */
  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void aShorterCopyHasNoOtherFrames(String name) throws Exception {
    Replay replay = new Replay(read(CASES.resolve(name + ".replay")));
    List<Long> whole = pcs(replay.unwind());
    if (isInterruptedInHotSpot(replay.unwind())) {
      return;
    }
    StackSnapshot snapshot = replay.snapshot();
    for (int length = snapshot.stackLength(); length > 0; length -= SHORTER_BYTES) {
      snapshot.setStack(snapshot.stackAddress(), length);
      List<Long> part = pcs(replay.unwind());
      int count = Math.min(part.size(), whole.size());
      assertEquals(whole.subList(0, count), part, length + " bytes");
    }
  }

  private static List<Long> pcs(FrameBuffer frames) {
    return IntStream.range(0, frames.count()).mapToObj(frames::pc).toList();
  }

  private static boolean isInterruptedInHotSpot(FrameBuffer frames) {
    return IntStream.range(0, frames.count())
        .anyMatch(i -> frames.isInterrupted(i) && frames.method(i) != FrameBuffer.NO_METHOD);
  }

  /** As {@link ReplayReader#read(Path)}, with each base read once. */
  private static ReplayFile read(Path file) throws IOException {
    ReplayFile alone = ReplayReader.read(Files.readAllBytes(file));
    if (!alone.needsBase()) {
      return alone;
    }
    Path base = file.resolveSibling(alone.base() + ".replay");
    if (!BASES.containsKey(base)) {
      BASES.put(base, ReplayReader.read(Files.readAllBytes(base)));
    }
    return alone.on(BASES.get(base));
  }

  @Test
  void everyJdkHasItsCases() throws IOException {
    for (String jdk : List.of("jdk17", "jdk21", "jdk25", "jdk27")) {
      long count = cases().stream().filter(name -> name.startsWith(jdk + "/")).count();
      assertTrue(count >= 60, jdk + " has " + count + " cases");
    }
  }
}
