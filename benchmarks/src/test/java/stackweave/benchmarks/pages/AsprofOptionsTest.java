package stackweave.benchmarks.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The tables of docs/coming-from-async-profiler.md have each option and argument of async-profiler,
 * and none that it does not have.
 */
class AsprofOptionsTest {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** What stands for an argument's value is in capitals. */
  private static final Pattern NAME = Pattern.compile("(?<![\\w-])--?\\w[\\w-]*|[a-z][a-z-]+");

  @Test
  void thePageHasAllOptions() throws Exception {
    Set<String> expected = new TreeSet<>();
    try (InputStream in = AsprofOptionsTest.class.getResourceAsStream("/asprof-options.txt")) {
      new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .forEach(expected::add);
    }
    assertFalse(expected.isEmpty());
    assertEquals(String.join("\n", expected), String.join("\n", names()));
  }

  /** What the columns of asprof and of its agent name; only the last column is ours. */
  private static Set<String> names() throws Exception {
    List<String> lines = Page.of(Page.ROOT.resolve("docs/coming-from-async-profiler.md")).lines();
    Set<String> names = new TreeSet<>();
    for (String line : lines.subList(lines.indexOf("## Actions"), lines.size())) {
      int last = line.lastIndexOf(" | ");
      if (line.startsWith("|") && last > 0) {
        CODE.matcher(line.substring(0, last))
            .results()
            .flatMap(code -> NAME.matcher(code.group(1)).results())
            .forEach(name -> names.add(name.group()));
      }
    }
    return names;
  }
}
