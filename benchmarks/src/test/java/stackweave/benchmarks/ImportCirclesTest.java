package stackweave.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No package's sources are in an import circle. {@link PackagesTest} reads class files, in which an
 * import that only Javadoc needs has left nothing.
 */
class ImportCirclesTest {
  private static final Pattern PACKAGE = Pattern.compile("package (stackweave[.\\w]*);");
  private static final Pattern IMPORT = Pattern.compile("import (static )?(stackweave[.\\w]*);");

  @Test
  void sourcesHaveNone() throws IOException {
    Map<String, List<String>> sources = sources(Path.of(".."));
    assertTrue(sources.size() > 50, "packages found: " + sources.keySet());
    assertEquals(List.of(), circle(sources));
  }

  @Test
  void aCircleIsFound() {
    Map<String, List<String>> sources = new TreeMap<>();
    sources.put("stackweave", List.of("import stackweave.a.One;"));
    sources.put(
        "stackweave.a", List.of("import stackweave.b.Two.Inner;", "import java.util.List;"));
    sources.put("stackweave.b", List.of("import static stackweave.b.c.Three.number;"));
    sources.put("stackweave.b.c", List.of());
    assertEquals(List.of(), circle(sources));
    sources.put(
        "stackweave.b.c", List.of("import stackweave.b.c.Own;", "import stackweave.a.One;"));
    assertEquals(
        List.of(
            "stackweave.a: import stackweave.b.Two.Inner;",
            "stackweave.b: import static stackweave.b.c.Three.number;",
            "stackweave.b.c: import stackweave.a.One;"),
        circle(sources));
  }

  /** The lines with imports of all modules, by package. */
  private static Map<String, List<String>> sources(Path project) throws IOException {
    Map<String, List<String>> all = new TreeMap<>();
    try (Stream<Path> modules = Files.list(project)) {
      for (Path module : modules.toList()) {
        Path sources = module.resolve("src/main/java");
        if (Files.isDirectory(sources)) {
          addSources(sources, all);
        }
      }
    }
    return all;
  }

  private static void addSources(Path root, Map<String, List<String>> all) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        List<String> imports = null;
        for (String line : Files.readAllLines(file)) {
          Matcher name = PACKAGE.matcher(line);
          if (imports == null && name.matches()) {
            imports = all.computeIfAbsent(name.group(1), key -> new ArrayList<>());
          } else if (imports != null && line.startsWith("import ")) {
            imports.add(line);
          }
        }
      }
    }
  }

  /** The imports of one circle, each after its package; none where there is no circle. */
  private static List<String> circle(Map<String, List<String>> sources) {
    Map<String, Map<String, String>> uses = new TreeMap<>();
    sources.forEach((from, lines) -> uses.put(from, uses(from, lines, sources)));
    // What uses nothing that is left is in no circle.
    while (uses.values().removeIf(used -> used.keySet().stream().noneMatch(uses::containsKey))) {}
    if (uses.isEmpty()) {
      return List.of();
    }
    List<String> way = new ArrayList<>();
    String at = uses.keySet().iterator().next();
    while (!way.contains(at)) {
      way.add(at);
      at = uses.get(at).keySet().stream().filter(uses::containsKey).findFirst().orElseThrow();
    }
    List<String> round = way.subList(way.indexOf(at), way.size());
    List<String> found = new ArrayList<>();
    for (int i = 0; i < round.size(); i++) {
      String next = round.get((i + 1) % round.size());
      found.add(round.get(i) + ": " + uses.get(round.get(i)).get(next));
    }
    return found;
  }

  /** The other packages that lines import from, each with such a line. */
  private static Map<String, String> uses(
      String from, List<String> lines, Map<String, List<String>> sources) {
    Map<String, String> used = new TreeMap<>();
    for (String line : lines) {
      Matcher name = IMPORT.matcher(line);
      if (name.matches()) {
        String of = name.group(2);
        while (!of.isEmpty() && !sources.containsKey(of)) {
          of = of.substring(0, Math.max(0, of.lastIndexOf('.')));
        }
        if (!of.isEmpty() && !of.equals(from)) {
          used.putIfAbsent(of, line);
        }
      }
    }
    return used;
  }
}
