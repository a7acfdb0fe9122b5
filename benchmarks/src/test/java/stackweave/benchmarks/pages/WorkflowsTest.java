package stackweave.benchmarks.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What workflows use of others is a commit, which nobody can replace as one can a tag. */
class WorkflowsTest {
  @Test
  void actionsArePinnedToCommits() throws IOException {
    List<String> used = new ArrayList<>();
    try (Stream<Path> files = Files.list(Page.ROOT.resolve(".github/workflows"))) {
      for (Path file : files.toList()) {
        Files.readAllLines(file).stream()
            .filter(line -> line.contains("uses:"))
            .forEach(line -> used.add(file.getFileName() + ":" + line));
      }
    }
    assertFalse(used.isEmpty());
    used.removeIf(line -> line.matches(".*uses: \\S+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+"));
    assertEquals(List.of(), used);
  }
}
