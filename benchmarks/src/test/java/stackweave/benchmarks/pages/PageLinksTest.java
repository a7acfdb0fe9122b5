package stackweave.benchmarks.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Links of the pages lead somewhere, and so do mentions of pages in sources. */
class PageLinksTest {
  private static final Pattern MENTION = Pattern.compile("(?<![\\w/-])docs/[\\w/-]+\\.md");
  private static final Set<String> SOURCES = Set.of("java", "xml", "c", "S", "js", "html", "yml");

  @Test
  void everyLinkLeadsToAFileAndAHeading() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Page page : Page.all()) {
      for (String link : page.links()) {
        String problem = link.contains("://") ? "" : problem(page, link);
        if (!problem.isEmpty()) {
          broken.add(page.name() + ": " + link + " " + problem);
        }
      }
    }
    assertEquals(List.of(), broken);
  }

  private static String problem(Page page, String link) throws IOException {
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Path target = file.isEmpty() ? page.path() : page.path().resolveSibling(file).normalize();
    if (!Files.exists(target)) {
      return "is no file";
    }
    boolean isFound = hash < 0 || Page.of(target).anchors().contains(link.substring(hash + 1));
    return isFound ? "" : "is no heading";
  }

  @Test
  void everyPageThatASourceMentionsIsThere() throws IOException {
    List<String> missing = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Page.ROOT)) {
      for (Path module : modules.filter(PageLinksTest::hasSources).toList()) {
        try (Stream<Path> files = Files.walk(module)) {
          for (Path file : files.filter(PageLinksTest::isSource).toList()) {
            addMissing(file, missing);
          }
        }
      }
    }
    addMissing(Page.ROOT.resolve("pom.xml"), missing);
    assertEquals(List.of(), missing);
  }

  private static boolean hasSources(Path directory) {
    return Files.exists(directory.resolve("pom.xml"));
  }

  /** Sources, and scripts, which have no extension. */
  private static boolean isSource(Path file) {
    String name = file.getFileName().toString();
    String extension = name.substring(name.lastIndexOf('.') + 1);
    Path relative = Page.ROOT.relativize(file);
    boolean isMade = relative.toString().contains("/target/") || relative.startsWith("demo");
    return !isMade
        && Files.isRegularFile(file)
        && (SOURCES.contains(extension) || extension.equals(name) && Files.isExecutable(file));
  }

  private static void addMissing(Path file, List<String> missing) throws IOException {
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    MENTION
        .matcher(text)
        .results()
        .map(result -> result.group())
        .filter(page -> !Files.exists(Page.ROOT.resolve(page)))
        .forEach(page -> missing.add(Page.ROOT.relativize(file) + ": " + page));
  }
}
