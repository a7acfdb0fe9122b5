package stackweave.benchmarks.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/**
 * The picture of the modules in CONTRIBUTING.md is that of the poms. With {@code
 * -Dmodules.map=write} the test writes it.
 */
class ModuleMapTest {
  private static final Path PAGE = Page.ROOT.resolve("CONTRIBUTING.md");
  private static final Pattern PICTURE = Pattern.compile("(?s)```mermaid\n.*?```\n");
  private static final String GROUP = "io.github.stackweave";

  @Test
  void thePictureIsThatOfThePoms() throws Exception {
    Map<String, Set<String>> used = new LinkedHashMap<>();
    Map<String, String> modules = new HashMap<>();
    for (Element element : children(child(pom("."), "modules"))) {
      String module = element.getTextContent();
      modules.put(child(pom(module), "artifactId").getTextContent(), module);
      boolean isTests = !Files.exists(Page.ROOT.resolve(module).resolve("src/main"));
      Set<String> names = new TreeSet<>();
      dependencies(pom(module), isTests).forEach(artifact -> names.add(modules.get(artifact)));
      used.put(module, names);
    }
    String text = Files.readString(PAGE);
    String made = PICTURE.matcher(text).replaceFirst(Matcher.quoteReplacement(picture(used)));
    if ("write".equals(System.getProperty("modules.map"))) {
      Files.writeString(PAGE, made);
      return;
    }
    assertEquals(made, text, "-Dtest=ModuleMapTest -Dmodules.map=write makes the picture");
  }

  private static String picture(Map<String, Set<String>> used) {
    StringBuilder picture = new StringBuilder("```mermaid\ngraph LR\n");
    used.forEach(
        (module, dependencies) -> {
          List<String> arrows = new ArrayList<>(dependencies);
          arrows.removeIf(far -> dependencies.stream().anyMatch(near -> reaches(used, near, far)));
          picture.append("  ").append(module);
          if (!arrows.isEmpty()) {
            picture.append(" --> ").append(String.join(" & ", arrows));
          }
          picture.append('\n');
        });
    return picture.append("```\n").toString();
  }

  /** Whether a module uses another one by way of those that it uses. */
  private static boolean reaches(Map<String, Set<String>> used, String from, String to) {
    return used.getOrDefault(from, Set.of()).stream()
        .anyMatch(next -> next.equals(to) || reaches(used, next, to));
  }

  private static Element pom(String module) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(Page.ROOT.resolve(module).resolve("pom.xml").toFile())
        .getDocumentElement();
  }

  /** The artifacts that this module needs; those for tests only if it has nothing else. */
  private static Set<String> dependencies(Element pom, boolean isTests) {
    Set<String> names = new TreeSet<>();
    Element all = child(pom, "dependencies");
    for (Element dependency : all == null ? List.<Element>of() : children(all)) {
      Element scope = child(dependency, "scope");
      boolean isLeftOut = !isTests && scope != null && scope.getTextContent().equals("test");
      if (child(dependency, "groupId").getTextContent().equals(GROUP) && !isLeftOut) {
        names.add(child(dependency, "artifactId").getTextContent());
      }
    }
    return names;
  }

  private static Element child(Element parent, String name) {
    return children(parent).stream()
        .filter(element -> element.getTagName().equals(name))
        .findFirst()
        .orElse(null);
  }

  private static List<Element> children(Element parent) {
    List<Element> elements = new ArrayList<>();
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element) {
        elements.add(element);
      }
    }
    return elements;
  }
}
