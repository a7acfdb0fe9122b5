package stackweave.benchmarks.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of the documents, as far as tests need it: its links, headings, commands and words of
 * code.
 *
 * @param lines of the file
 */
record Page(Path path, List<String> lines) {
  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final String FENCE = "```";
  private static final String INDENT = "    ";

  /** All pages that people read. */
  static List<Page> all() throws IOException {
    List<Path> paths = new ArrayList<>();
    for (String directory : List.of(".", ".github")) {
      try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
        files.filter(Page::isPage).forEach(paths::add);
      }
    }
    try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(Page::isPage).forEach(paths::add);
    }
    List<Page> pages = new ArrayList<>();
    for (Path path : paths) {
      pages.add(of(path.normalize()));
    }
    return pages;
  }

  static Page of(Path path) throws IOException {
    return new Page(path, Files.readAllLines(path));
  }

  private static boolean isPage(Path path) {
    return path.toString().endsWith(".md");
  }

  String name() {
    return ROOT.relativize(path).toString();
  }

  /** What links lead to, in text and tables. */
  List<String> links() {
    return proseMatches(LINK);
  }

  /** What stands between backquotes, in text and tables. */
  List<String> code() {
    return proseMatches(CODE);
  }

  private List<String> proseMatches(Pattern pattern) {
    List<String> found = new ArrayList<>();
    boolean fenced = false;
    for (String line : lines) {
      fenced ^= line.startsWith(FENCE);
      if (!fenced && !line.startsWith(INDENT)) {
        pattern.matcher(line).results().forEach(result -> found.add(result.group(1)));
      }
    }
    return found;
  }

  /** The lines of blocks, which may be commands; those that a backslash continues are one. */
  List<String> blockLines() {
    List<String> found = new ArrayList<>();
    boolean fenced = false;
    StringBuilder joined = new StringBuilder();
    for (String line : lines) {
      if (line.startsWith(FENCE)) {
        fenced = !fenced;
      } else if (fenced || line.startsWith(INDENT)) {
        joined.append(line.strip());
        if (line.endsWith("\\")) {
          joined.setLength(joined.length() - 1);
        } else {
          found.add(joined.toString());
          joined.setLength(0);
        }
      }
    }
    return found;
  }

  /** The names by which links lead to headings, made as GitHub does. */
  Set<String> anchors() {
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> counts = new HashMap<>();
    boolean fenced = false;
    for (String line : lines) {
      fenced ^= line.startsWith(FENCE);
      if (!fenced && line.matches("#{1,6} .*")) {
        String text = line.replaceFirst("#+ ", "").replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1");
        String anchor =
            text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_\\- ]", "").replace(' ', '-');
        int before = counts.merge(anchor, 1, Integer::sum) - 1;
        anchors.add(before == 0 ? anchor : anchor + "-" + before);
      }
    }
    return anchors;
  }
}
