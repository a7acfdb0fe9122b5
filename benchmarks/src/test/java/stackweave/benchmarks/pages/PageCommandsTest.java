package stackweave.benchmarks.pages;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import stackweave.agent.cli.Main;
import stackweave.agent.option.InvalidOptionException;
import stackweave.agent.option.Options;

/**
 * What the pages show can be typed: commands and options of the agent's jar, options of the agent,
 * scripts with their options, Maven's modules and profiles; and events and fields exist.
 */
class PageCommandsTest {
  private static final String JAR = "stackweave-agent.jar";
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern AGENT = Pattern.compile("-javaagent:\\S*" + JAR + "=(.*)");

  /** What ends a command in a shell's line. */
  private static final Pattern END = Pattern.compile("[|&;]+|[12]?>.*|#.*|…");

  private static final Pattern SCRIPT = Pattern.compile("(lab|sample-apps|benchmarks)/([\\w-]+)");
  private static final Pattern EVENT =
      Pattern.compile("(?<![\\w.:/])stackweave\\.([A-Z]\\w*)(?:#(\\w+))?");
  private static final Pattern FIELD = Pattern.compile("([A-Z]\\w+)\\.([a-z]\\w*)");
  private static final Pattern CODE_NAME =
      Pattern.compile("stackweave(\\.[a-z]\\w*)+(\\.[A-Z]\\w*)?");

  /** What begins a message that a page shows; it may be of something wrong. */
  private static final String MESSAGE = "    stackweave: ";

  private final List<String> problems = new ArrayList<>();
  private final CommandSpec commands = new CommandLine(new Main(null)).getCommandSpec();

  @Test
  void commandsOfBlocksAreUnderstood() throws IOException {
    forEach(Page::blockLines, this::checkLine);
  }

  @Test
  void commandsInTextHaveTheirOptions() throws IOException {
    forEach(
        Page::code,
        (page, code) -> {
          if (Stream.of(JAR, "lab/", "sample-apps/", "mvn ").anyMatch(code::contains)) {
            checkLine(page, code);
          } else {
            checkNames(page, code);
          }
        });
  }

  @Test
  void eventsAndFieldsExist() throws IOException {
    Map<String, EventType> events =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("stackweave.jfr")
                .stream()
                .filter(type -> type.isAssignableTo(Event.class))
                .map(JavaClass::reflect)
                .filter(type -> !Modifier.isAbstract(type.getModifiers()))
                .map(type -> EventType.getEventType(type.asSubclass(Event.class)))
                .collect(
                    Collectors.toMap(
                        type -> type.getName().replace("stackweave.", ""),
                        type -> type,
                        (one, other) -> one,
                        TreeMap::new));
    for (Page page : Page.all()) {
      String text =
          page.lines().stream()
              .filter(line -> !line.startsWith(MESSAGE))
              .collect(Collectors.joining("\n"));
      EVENT
          .matcher(text)
          .results()
          .forEach(found -> checkEvent(page, events, found.group(1), found.group(2)));
      for (String code : page.code()) {
        Matcher field = FIELD.matcher(code);
        if (field.matches() && events.containsKey(field.group(1))) {
          boolean isField = events.get(field.group(1)).getField(field.group(2)) != null;
          expect(isField, page, code + " is no field");
        }
        if (CODE_NAME.matcher(code).matches()) {
          expect(isCode(code), page, code + " is no package or class");
        }
      }
    }
    assertEquals(List.of(), problems);
  }

  /** The classes that CONTRIBUTING.md names to those who look for them. */
  @Test
  void classesOfTheTasksExist() throws IOException {
    Page page = Page.of(Page.ROOT.resolve("CONTRIBUTING.md"));
    Set<String> files;
    try (Stream<Path> all = Files.walk(Page.ROOT)) {
      files =
          all.map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".java"))
              .collect(Collectors.toSet());
    }
    for (String code : page.code()) {
      boolean isClass = code.matches("[A-Z][a-z]+[A-Z]?\\w*");
      expect(!isClass || files.contains(code + ".java"), page, code + " is no class");
    }
    assertEquals(List.of(), problems);
  }

  private void checkEvent(Page page, Map<String, EventType> events, String name, String setting) {
    EventType type = events.get(name);
    expect(type != null, page, "stackweave." + name + " is no event");
    boolean isSetting =
        setting == null
            || type == null
            || type.getSettingDescriptors().stream().anyMatch(s -> s.getName().equals(setting));
    expect(isSetting, page, "stackweave." + name + "#" + setting + " is no setting");
  }

  /** Whether a name is a package or a class, or is in none of our packages. */
  private static boolean isCode(String name) throws IOException {
    String path = name.replace('.', '/');
    String first = path.replaceFirst("(stackweave/[^/]*).*", "$1");
    boolean isOurs = false;
    try (Stream<Path> modules = Files.list(Page.ROOT)) {
      for (Path module : modules.toList()) {
        Path sources = module.resolve("src/main/java");
        isOurs |= Files.isDirectory(sources.resolve(first));
        if (Files.isDirectory(sources.resolve(path))
            || Files.exists(sources.resolve(path + ".java"))) {
          return true;
        }
      }
    }
    return !isOurs;
  }

  private void forEach(Function<Page, List<String>> texts, BiConsumer<Page, String> check)
      throws IOException {
    for (Page page : Page.all()) {
      texts.apply(page).forEach(text -> check.accept(page, text));
    }
    assertEquals(List.of(), problems);
  }

  private void expect(boolean holds, Page page, String problem) {
    if (!holds) {
      problems.add(page.name() + ": " + problem);
    }
  }

  // ---- a line

  private void checkLine(Page page, String line) {
    List<String> words = words(line);
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      Matcher agent = AGENT.matcher(word);
      if (agent.matches()) {
        checkAgentOptions(page, agent.group(1));
      }
      boolean isJar = i > 0 && words.get(i - 1).equals("-jar");
      if (isJar && word.endsWith(JAR)) {
        checkCommand(page, line, rest(words, i + 1));
      } else if (isJar && word.endsWith("benchmarks.jar") && i + 1 < words.size()) {
        checkBenchmark(page, words.get(i + 1));
      }
      Matcher script = SCRIPT.matcher(word);
      if (script.matches() && (i == 0 || words.get(i - 1).equals("sudo"))) {
        checkScript(page, script.group(1), script.group(2), rest(words, i + 1));
      }
    }
    if (!words.isEmpty() && words.get(0).equals("mvn")) {
      checkMaven(page, rest(words, 1));
    }
  }

  /** The words as a shell has them; a prompt before them is left out. */
  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(line.replaceFirst("^\\$ ", ""));
    while (matcher.find()) {
      String quoted = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
      words.add(quoted != null ? quoted : matcher.group());
    }
    return words;
  }

  private static List<String> rest(List<String> words, int from) {
    List<String> rest = new ArrayList<>();
    for (String word : words.subList(from, words.size())) {
      if (END.matcher(word).matches()) {
        break;
      }
      rest.add(word.matches("<?(pid|PID)>?") ? "4711" : word);
    }
    return rest;
  }

  private void checkAgentOptions(Page page, String text) {
    try {
      Options.parse(text);
    } catch (InvalidOptionException e) {
      expect(false, page, text + ": " + e.getMessage());
    }
  }

  private void checkCommand(Page page, String line, List<String> arguments) {
    if (arguments.isEmpty() || arguments.get(0).equals("COMMAND")) {
      return;
    }
    try {
      new CommandLine(new Main(null)).parseArgs(arguments.toArray(String[]::new));
    } catch (ParameterException e) {
      expect(false, page, line + ": " + e.getMessage());
    }
  }

  /** A command without the jar before it, perhaps with a part of its options only. */
  private void checkNames(Page page, String code) {
    List<String> words = words(code);
    CommandSpec spec = commands;
    int next = 0;
    while (next < words.size() && spec.subcommands().containsKey(words.get(next))) {
      spec = spec.subcommands().get(words.get(next++)).getCommandSpec();
    }
    if (next == 0) {
      return;
    }
    for (String word : rest(words, next)) {
      String option = word.replaceFirst("=.*", "");
      if (option.matches("--?[a-z].*")) {
        expect(spec.optionsMap().containsKey(option), page, code + ": no option " + option);
      }
    }
  }

  private void checkBenchmark(Page page, String name) {
    try (Stream<Path> files = Files.walk(Page.ROOT.resolve("benchmarks/src/main/java"))) {
      boolean isThere = files.anyMatch(file -> file.getFileName().toString().startsWith(name));
      expect(isThere, page, name + " is no benchmark");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void checkScript(Page page, String directory, String name, List<String> arguments) {
    Path script = Page.ROOT.resolve(directory).resolve(name);
    if (Files.isDirectory(script)) {
      return;
    }
    if (!Files.isExecutable(script)) {
      expect(false, page, directory + "/" + name + " is no script");
      return;
    }
    String text = textOfScript(script);
    for (String argument : arguments) {
      String option = argument.replaceFirst("=.*", "");
      if (option.startsWith("--") && !option.equals("--help")) {
        boolean isThere = text.contains(option);
        expect(isThere, page, directory + "/" + name + " has no option " + option);
      }
    }
  }

  /** A script with the sources of the program that it starts, and of what these have in common. */
  private static String textOfScript(Path script) {
    Path sources = Page.ROOT.resolve("lab/src/main/java/stackweave/lab");
    StringBuilder text = new StringBuilder();
    try {
      text.append(Files.readString(script));
      for (Path directory : List.of(sources, sources.resolve(script.getFileName()))) {
        if (Files.isDirectory(directory)) {
          try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
              text.append(Files.readString(file));
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private void checkMaven(Page page, List<String> arguments) {
    try {
      for (int i = 0; i < arguments.size(); i++) {
        String argument = arguments.get(i);
        if (argument.startsWith("-P")) {
          expect(isProfile(argument.substring(2)), page, argument + " is no profile");
        } else if (argument.equals("-pl")) {
          for (String module : new TreeSet<>(List.of(arguments.get(i + 1).split(",")))) {
            Path modulePom = Page.ROOT.resolve(module).resolve("pom.xml");
            expect(Files.exists(modulePom), page, module + " is no module");
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isProfile(String name) throws IOException {
    try (Stream<Path> modules = Files.list(Page.ROOT)) {
      List<Path> poms = new ArrayList<>(modules.map(module -> module.resolve("pom.xml")).toList());
      poms.add(Page.ROOT.resolve("pom.xml"));
      for (Path pom : poms) {
        if (Files.exists(pom) && Files.readString(pom).contains("<id>" + name + "</id>")) {
          return true;
        }
      }
      return false;
    }
  }
}
