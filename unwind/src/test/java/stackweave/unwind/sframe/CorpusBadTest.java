package stackweave.unwind.sframe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;

/** Malformed sections: refused as a whole, or in one function, or taken, as the corpus expects. */
class CorpusBadTest {

  static Stream<String> cases() throws IOException {
    return Corpus.index(Corpus.directory().resolve("bad/INDEX.tsv")).stream();
  }

  @Test
  void everyFileIsListed() throws IOException {
    assertEquals(cases().count(), Corpus.list("bad", "*.sframe").size());
  }

  @ParameterizedTest(allowZeroInvocations = true)
  @MethodSource("cases")
  void isTakenAsExpected(String line) throws IOException {
    String[] columns = line.split("\\t");
    byte[] bytes = Files.readAllBytes(Corpus.directory().resolve("bad").resolve(columns[0]));
    Outcome outcome = read(new Section(ByteBuffer.wrap(bytes), 0));
    switch (columns[1]) {
      case "reject" -> assertTrue(outcome.refused != null, outcome.toString());
      case "function" ->
          assertTrue(
              outcome.refused != null || outcome.functionFaults.size() == 1, outcome.toString());
      case "tolerate" -> assertEquals(null, outcome.refused, columns[2]);
      default -> throw new IllegalArgumentException(columns[1]);
    }
  }

  private record Outcome(
      MalformedSectionException refused,
      List<MalformedSectionException> functionFaults,
      int functions) {}

  /** Reads all of a section, as lookups would. */
  private static Outcome read(Section section) {
    List<MalformedSectionException> faults = new ArrayList<>();
    try {
      SFrameSection sframe = SFrameSection.read(section);
      SFrameFunction function = new SFrameFunction();
      SFrameRow row = new SFrameRow();
      for (int i = 0; i < sframe.functionCount(); i++) {
        try {
          sframe.open(i, function);
          while (function.next(row)) {
            sframe.find(function.start() + row.start(), new SFrameFunction(), new SFrameRow());
          }
        } catch (MalformedSectionException e) {
          faults.add(e);
        }
      }
      return new Outcome(sframe.trailingFault(), faults, sframe.functionCount());
    } catch (MalformedSectionException e) {
      return new Outcome(e, faults, 0);
    }
  }

  @Test
  void allConcatenatedElementsAreRead() throws Exception {
    byte[] bytes = Files.readAllBytes(Corpus.builtIn().resolve("bad/45-concat.sframe"));
    SFrameSection section = SFrameSection.read(new Section(ByteBuffer.wrap(bytes), 0));
    assertEquals(2, section.elements().size());
  }
}
