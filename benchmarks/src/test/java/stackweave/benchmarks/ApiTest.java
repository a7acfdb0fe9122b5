package stackweave.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The packages that the pom calls API ({@code api.packages}) can be used with nothing else of this
 * project, are those that CHANGELOG.md promises, and are all that published Javadoc shows.
 */
@AnalyzeClasses(packages = "stackweave", importOptions = DoNotIncludeTests.class)
class ApiTest {
  private static final Path ROOT = Path.of("..");
  private static final Set<String> PACKAGES = list("pom.xml", "api.packages", ",");

  /** Types and methods of them that are not. */
  private static final Set<String> HIDDEN = all("pom.xml", "<exclude>(stackweave[^<]*)</exclude>");

  private static final List<String> MODULES =
      List.of("unwind", "jfr-events", "labels", "labels-opentelemetry");

  @ArchTest
  static void signaturesNameOnlyTypesOfTheApi(JavaClasses classes) {
    List<String> problems = new ArrayList<>();
    Set<String> found = new TreeSet<>();
    for (JavaClass type : classes) {
      if (isApi(type) && isSeen(type)) {
        found.add(type.getPackageName());
        check(type.getName(), type.getInterfaces().stream().map(JavaType.class::cast), problems);
        check(type.getName(), type.getSuperclass().stream().map(JavaType.class::cast), problems);
        type.getMembers().stream()
            .filter(ApiTest::isSeen)
            .forEach(member -> check(member.getFullName(), types(member), problems));
      }
    }
    assertEquals(List.of(), problems);
    assertEquals(PACKAGES, found);
  }

  /** What japicmp leaves out has the tag with which Javadoc does. */
  @ArchTest
  static void javadocHidesWhatIsNotCompared(JavaClasses classes) throws IOException {
    Set<String> hidden = new TreeSet<>();
    for (String module : MODULES) {
      for (Path file : sources(module)) {
        String text = Files.readString(file);
        Matcher tag = Pattern.compile("@hidden no part of the API\n *\\*/\n(.*)").matcher(text);
        while (tag.find()) {
          String type = packageOf(file) + "." + file.getFileName().toString().replace(".java", "");
          Matcher method = Pattern.compile(" (\\w+\\(\\)) \\{").matcher(tag.group(1));
          hidden.add(method.find() ? type + "#" + method.group(1) : type);
        }
      }
    }
    assertEquals(HIDDEN, hidden);
    HIDDEN.forEach(each -> assertTrue(classes.contain(each.replaceFirst("#.*", "")), each));
  }

  /** All but what overrides something has a comment; records name their components. */
  @ArchTest
  static void allOfItHasJavadoc(JavaClasses classes) throws IOException {
    List<String> problems = new ArrayList<>();
    for (String module : MODULES) {
      List<Path> files = new ArrayList<>(sources(module));
      files.removeIf(file -> !PACKAGES.contains(packageOf(file)));
      JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
      try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
        JavacTask task =
            (JavacTask)
                compiler.getTask(
                    null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
        DocTrees docs = DocTrees.instance(task);
        for (CompilationUnitTree unit : task.parse()) {
          new Comments(docs, problems).scan(unit, null);
        }
      }
    }
    assertEquals(List.of(), problems);
  }

  /** Finds what can be seen from outside and has no comment. */
  private static final class Comments extends TreePathScanner<Void, Void> {
    private static final Set<Modifier> OPEN = Set.of(Modifier.PUBLIC, Modifier.PROTECTED);

    private final DocTrees docs;
    private final List<String> problems;

    Comments(DocTrees docs, List<String> problems) {
      this.docs = docs;
      this.problems = problems;
    }

    @Override
    public Void visitClass(ClassTree type, Void none) {
      if (!isSeen(type.getModifiers(), getCurrentPath().getParentPath().getLeaf())) {
        return null;
      }
      check(type.getSimpleName().toString());
      boolean isRecord = type.getKind() == Tree.Kind.RECORD;
      String comment = String.valueOf(docs.getDocComment(getCurrentPath()));
      for (Tree member : type.getMembers()) {
        if (member instanceof ClassTree
            || member instanceof MethodTree method && isSeen(method.getModifiers(), type)
            || member instanceof VariableTree field && isSeen(field.getModifiers(), type)) {
          scan(member, null);
        } else if (isRecord
            && member instanceof VariableTree field
            && !field.getModifiers().getFlags().contains(Modifier.STATIC)
            && !comment.contains("@param " + field.getName() + " ")) {
          problems.add(where() + type.getSimpleName() + " says nothing of " + field.getName());
        }
      }
      return null;
    }

    @Override
    public Void visitMethod(MethodTree method, Void none) {
      boolean isOverride =
          method.getModifiers().getAnnotations().stream()
              .anyMatch(each -> each.getAnnotationType().toString().equals("Override"));
      if (!isOverride) {
        check(method.getName().toString());
      }
      return null;
    }

    @Override
    public Void visitVariable(VariableTree field, Void none) {
      check(field.getName().toString());
      return null;
    }

    private static boolean isSeen(ModifiersTree modifiers, Tree outer) {
      Set<Modifier> flags = modifiers.getFlags();
      return flags.stream().anyMatch(OPEN::contains)
          || outer.getKind() == Tree.Kind.INTERFACE && !flags.contains(Modifier.PRIVATE);
    }

    private void check(String name) {
      String comment = docs.getDocComment(getCurrentPath());
      if (comment == null || comment.isBlank() || comment.strip().startsWith("@")) {
        problems.add(where() + name + " has no comment");
      }
    }

    private String where() {
      CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
      String file = unit.getSourceFile().getName();
      return file.substring(file.lastIndexOf('/') + 1) + ": ";
    }
  }

  @ArchTest
  static void javadocShowsThePackages(JavaClasses classes) throws IOException {
    Set<String> shown = new TreeSet<>();
    for (String module : MODULES) {
      Set<String> excluded = list(module + "/pom.xml", "excludePackageNames", ":");
      for (Path file : sources(module)) {
        String name = packageOf(file);
        if (!excluded.contains(name) && !file.endsWith("package-info.java")) {
          shown.add(name);
        }
      }
    }
    assertEquals(PACKAGES, shown);
  }

  @ArchTest
  static void thePromiseNamesThePackages(JavaClasses classes) {
    String promise = read("CHANGELOG.md").replaceFirst("(?s).*?\n## What is promised\n", "");
    promise = promise.replaceFirst("(?s)\n## .*", "");
    Set<String> named = new TreeSet<>();
    Matcher code = Pattern.compile("`(stackweave\\.[a-z.]+)`").matcher(promise);
    while (code.find()) {
      named.add(code.group(1));
    }
    assertEquals(PACKAGES, named);
  }

  private static Stream<JavaType> types(JavaMember member) {
    if (member instanceof JavaField field) {
      return Stream.of(field.getType());
    }
    JavaCodeUnit code = (JavaCodeUnit) member;
    return Stream.concat(
        Stream.concat(Stream.of(code.getReturnType()), code.getParameterTypes().stream()),
        code.getThrowsClause().getTypes().stream());
  }

  private static void check(String where, Stream<JavaType> types, List<String> problems) {
    types
        .flatMap(type -> type.getAllInvolvedRawTypes().stream())
        .filter(raw -> raw.getPackageName().startsWith("stackweave.") && !isApi(raw))
        .forEach(raw -> problems.add(where + " names " + raw.getName()));
  }

  private static boolean isApi(JavaClass type) {
    return PACKAGES.contains(type.getPackageName())
        && !HIDDEN.contains(type.getName().replaceFirst("\\$.*", ""));
  }

  private static boolean isSeen(JavaClass type) {
    boolean isOpen =
        type.getModifiers().contains(JavaModifier.PUBLIC)
            || type.getModifiers().contains(JavaModifier.PROTECTED);
    return isOpen && type.getEnclosingClass().map(ApiTest::isSeen).orElse(true);
  }

  private static boolean isSeen(JavaMember member) {
    boolean isOpen =
        member.getModifiers().contains(JavaModifier.PUBLIC)
            || member.getModifiers().contains(JavaModifier.PROTECTED);
    String name = member.getOwner().getName() + "#" + member.getName() + "()";
    return isOpen && !HIDDEN.contains(name);
  }

  private static List<Path> sources(String module) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  private static String packageOf(Path file) {
    String path = file.getParent().toString();
    return path.substring(path.indexOf("src/main/java/") + 14).replace('/', '.');
  }

  /** The parts of an element's text. */
  private static Set<String> list(String file, String element, String between) {
    return all(file, "<" + element + ">([^<]*)</" + element + ">").stream()
        .flatMap(text -> Stream.of(text.split(between)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> all(String file, String pattern) {
    return Pattern.compile(pattern)
        .matcher(read(file))
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String read(String file) {
    try {
      return Files.readString(ROOT.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
