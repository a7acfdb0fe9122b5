package stackweave.hotspot.vmstructs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JdkVersionTest {
  private static final Path SOURCES = Path.of("src", "main", "java", "stackweave", "hotspot");

  /** What looks like a decision by a JDK's version. */
  private static final Pattern DECISION =
      Pattern.compile("\\.feature\\(\\)\\s*[<>=!]|[vV]ersion\\(?\\)?\\s*[<>]=?\\s*\\w|FIRST_WITH");

  @ParameterizedTest
  @CsvSource({
    "17, false, false, false, false, true",
    "19, false, false, false, false, true",
    "20, true, true, true, false, true",
    "21, true, true, true, true, true",
    "25, true, true, true, true, true",
    "26, true, true, true, true, false",
    "28, true, true, true, true, false",
  })
  void whatOnlyTheVersionTells(
      int feature,
      boolean excludesZero,
      boolean x19,
      boolean marksCode,
      boolean continuations,
      boolean ownHandler) {
    JdkVersion version = new JdkVersion(feature);
    assertEquals(excludesZero, version.unsigned5ExcludesZero());
    assertEquals(x19, version.keepsSenderSpInX19());
    assertEquals(marksCode, version.marksCodeThatRuns());
    assertEquals(continuations, version.hasContinuations());
    assertEquals(ownHandler, version.hasMethodHandleDeoptHandler());
  }

  @Test
  void noOtherClassDecidesByTheVersion() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      List<Path> deciding =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .filter(file -> DECISION.matcher(read(file)).find())
              .map(Path::getFileName)
              .toList();
      assertEquals(List.of(Path.of("JdkVersion.java")), deciding);
    }
    assertTrue(DECISION.matcher("layout.featureVersion < FIRST").find());
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
