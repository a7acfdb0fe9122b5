package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.model.FrameKind;
import stackweave.unwind.StopReason;
import stackweave.unwind.walk.Found;

/** What docs/events.md and docs/unwinding.md say of codes is what the agent writes into legends. */
class CodesPageTest {
  private static final Path PAGE = Path.of("../docs/events.md");

  private static String paragraph(String begin) throws IOException {
    return Files.readAllLines(PAGE).stream()
        .filter(line -> line.startsWith(begin))
        .findFirst()
        .orElseThrow(() -> new AssertionError(PAGE + " has no line that begins with " + begin));
  }

  @Test
  void thePageNamesEveryKindOfFrame() throws IOException {
    String kinds = paragraph("Kinds today: ");
    for (FrameKind kind : FrameKind.values()) {
      boolean isNamed =
          Pattern.compile("(?<![\\w])" + Pattern.quote(kind.label()) + "(?![\\w])")
              .matcher(kinds)
              .find();
      assertTrue(isNamed, PAGE + " lacks the kind " + kind.label());
    }
  }

  @Test
  void thePageNamesEveryWayOfFindingFrames() throws IOException {
    String page = Files.readString(Path.of("../docs/unwinding.md"));
    for (Found way : Found.values()) {
      assertTrue(page.contains("| `" + way.label() + "`"), way.label());
    }
  }

  @Test
  void thePageNamesTheEndsThatAreComplete() throws IOException {
    String ends = paragraph("Of the ends, five mean that the stack reached");
    Set<String> named = new TreeSet<>();
    Pattern.compile("`([^`]+)`").matcher(ends).results().forEach(r -> named.add(r.group(1)));
    named.remove("Session.completeEnds");
    assertEquals(
        Arrays.stream(StopReason.values())
            .filter(StopReason::isComplete)
            .map(StopReason::label)
            .collect(Collectors.toCollection(TreeSet::new)),
        named);
  }
}
