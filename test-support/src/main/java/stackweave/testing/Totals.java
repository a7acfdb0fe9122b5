package stackweave.testing;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * The last step of the build: adds up the reports of Surefire and Failsafe of all modules, lists
 * the tests that failed and then passed, those that the machine starved, and classes of tests that
 * nothing ran, by name, and fails if there are many, or any of the last. Runs within Maven, whose
 * CPU time and that of its children it prints. Not thread-safe.
 */
public final class Totals {
  /** A run with more tests that passed only when repeated is no green one. */
  static final int MAX_FLAKES = 2;

  /** A run with more tests that got too little CPU time says too little. */
  static final int MAX_STARVED = 3;

  private static final double TICKS = 100;
  private static final int UTIME = 11;
  private static final int CSTIME = 14;

  private final Instant begin;
  private final List<String> flakes = new ArrayList<>();
  private final List<String> starved = new ArrayList<>();
  private final Set<String> reported = new HashSet<>();
  private final List<String> notRun = new ArrayList<>();
  private final Map<String, Integer> skipped = new TreeMap<>();
  private int tests;

  /**
   * @param begin of the build: older reports are of another
   */
  Totals(Instant begin) {
    this.begin = begin;
  }

  /**
   * Adds up, prints and judges.
   *
   * @param arguments the project's directory, when the build began, as in {@link Instant#toString},
   *     and whether tests and live tests are skipped
   * @throws IllegalStateException if the run is no green one
   */
  public static void main(String[] arguments) throws Exception {
    Instant begin = Instant.parse(arguments[1]);
    Totals totals = new Totals(begin);
    Path project = Path.of(arguments[0]);
    totals.addAll(project);
    boolean skipsTests = Boolean.parseBoolean(arguments[2]);
    boolean skipsLive = Boolean.parseBoolean(arguments[3]);
    // Maven's -D are properties of its JVM. With these it runs the tests that they name.
    if (!skipsTests && System.getProperty("test", System.getProperty("it.test")) == null) {
      totals.addNotRun(project, skipsLive ? "Test" : "Test|IT");
    }
    System.out.print(totals.text());
    System.out.printf(
        Locale.ROOT,
        "This build took %.1f minutes and %.1f minutes of CPU time.%n",
        Duration.between(begin, Instant.now()).toMillis() / 60e3,
        cpuSeconds() / 60);
    String whyNot = totals.whyNot();
    if (!whyNot.isEmpty()) {
      throw new IllegalStateException(whyNot);
    }
  }

  /** Of this process and of its children that have ended, theirs included. */
  private static double cpuSeconds() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    long ticks = 0;
    for (int i = UTIME; i <= CSTIME; i++) {
      ticks += Long.parseLong(words[i]);
    }
    return ticks / TICKS;
  }

  /** Adds the reports of all modules of the project. */
  void addAll(Path project) throws IOException, SAXException, ParserConfigurationException {
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(project)) {
      for (Path module : modules) {
        for (String kind : List.of("surefire", "failsafe")) {
          Path reports = module.resolve("target/" + kind + "-reports");
          if (Files.isDirectory(reports)) {
            addReports(module.getFileName().toString(), reports);
          }
        }
      }
    }
  }

  /** Adds the compiled classes with such an end of their names that have no report. */
  void addNotRun(Path project, String ends) throws IOException {
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(project)) {
      for (Path module : modules) {
        Path classes = module.resolve("target/test-classes");
        if (Files.isDirectory(classes)) {
          try (Stream<Path> files = Files.walk(classes)) {
            files
                .map(file -> classes.relativize(file).toString().replace('/', '.'))
                .filter(name -> name.matches("[^$]*(" + ends + ")\\.class"))
                .map(name -> module.getFileName() + ": " + name.replaceFirst("\\.class$", ""))
                .filter(name -> !reported.contains(name))
                .forEach(notRun::add);
          }
        }
      }
    }
  }

  private void addReports(String module, Path directory)
      throws IOException, SAXException, ParserConfigurationException {
    try (DirectoryStream<Path> reports = Files.newDirectoryStream(directory, "TEST-*.xml")) {
      for (Path report : reports) {
        if (!Files.getLastModifiedTime(report).toInstant().isBefore(begin)) {
          String name = report.getFileName().toString();
          reported.add(module + ": " + name.replaceAll("^TEST-|(-chance)?\\.xml$", ""));
          add(module, report);
        }
      }
    }
  }

  private void add(String module, Path report)
      throws IOException, SAXException, ParserConfigurationException {
    NodeList cases =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(report.toFile())
            .getElementsByTagName("testcase");
    for (int i = 0; i < cases.getLength(); i++) {
      Element test = (Element) cases.item(i);
      tests++;
      String simple = test.getAttribute("classname").replaceAll(".*\\.", "");
      String name = module + ": " + simple + "." + test.getAttribute("name");
      addFlake(name, test, "flakyFailure");
      addFlake(name, test, "flakyError");
      NodeList skips = test.getElementsByTagName("skipped");
      if (skips.getLength() > 0) {
        addSkipped(name, said((Element) skips.item(0)));
      }
    }
  }

  private void addFlake(String name, Element test, String element) {
    NodeList found = test.getElementsByTagName(element);
    if (found.getLength() > 0) {
      flakes.add(name + ": " + said((Element) found.item(0)));
    }
  }

  /** The exception's message in one line: an attribute, or the first line of the stack trace. */
  private static String said(Element element) {
    String message = element.getAttribute("message");
    String text = message.isBlank() ? element.getTextContent() : message;
    return firstLine(text.strip()).replaceFirst("^org\\.opentest4j\\.\\w+: ", "");
  }

  private void addSkipped(String name, String message) {
    int at = message.indexOf(Starved.STARVED);
    if (at >= 0) {
      starved.add(name + ": " + message.substring(at + Starved.STARVED.length()));
    } else {
      skipped.merge(message.replace("Assumption failed: ", ""), 1, Integer::sum);
    }
  }

  /** What there was, a line each. */
  String text() {
    StringBuilder text = new StringBuilder();
    text.append(String.format(Locale.ROOT, "%,d tests%n", tests));
    skipped.forEach(
        (why, count) ->
            text.append("  skipped, ").append(count).append(": ").append(why).append('\n'));
    starved.stream().sorted().forEach(name -> text.append("  starved: ").append(name).append('\n'));
    flakes.stream()
        .sorted()
        .forEach(name -> text.append("  failed and then passed: ").append(name).append('\n'));
    notRun.stream().sorted().forEach(name -> text.append("  not run: ").append(name).append('\n'));
    return text.toString();
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  /** Why it is no green run; empty if it is one. */
  String whyNot() {
    if (!notRun.isEmpty()) {
      return notRun.size() + " classes of tests were not run: see above";
    }
    if (flakes.size() > MAX_FLAKES) {
      return flakes.size() + " tests failed and then passed; " + MAX_FLAKES + " may: see above";
    }
    return starved.size() > MAX_STARVED
        ? starved.size() + " tests got too little CPU time; " + MAX_STARVED + " may: see above"
        : "";
  }
}
