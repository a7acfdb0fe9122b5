package stackweave.benchmarks;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * No package of any module is in an import circle, and none has more classes than a reader can take
 * in. It stands in the last module, whose class path has all others.
 */
@AnalyzeClasses(
    packages = "stackweave",
    importOptions = {DoNotIncludeTests.class, PackagesTest.WrittenByPeople.class})
class PackagesTest {
  private static final int MAX_CLASSES = 25;
  private static final int MAX_PARAMETERS = 6;
  private static final String TOOLS = "stackweave\\.(lab|samples|benchmarks|testing|live)\\b.*";
  private static final String PROCESSORS = ".*\\.(cpu|x86|x86_64|aarch64|s390x)\\b.*";

  @ArchTest
  static final ArchRule NO_CIRCLES =
      slices().assignedFrom(new ByPackage()).should().beFreeOfCycles();

  @ArchTest
  static void noPackageIsLarge(JavaClasses classes) {
    Map<String, Long> large =
        classes.stream()
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
    large.values().removeIf(count -> count <= MAX_CLASSES);
    assertEquals(Map.of(), large, "packages of more than " + MAX_CLASSES + " classes");
  }

  /** A class's name says which it is, but for classes that each processor has. */
  @ArchTest
  static void noNameIsTakenTwice(JavaClasses classes) {
    Map<String, List<String>> packages =
        classes.stream()
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .filter(type -> !type.getPackageName().matches(TOOLS + "|" + PROCESSORS))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getSimpleName,
                    TreeMap::new,
                    Collectors.mapping(JavaClass::getPackageName, Collectors.toList())));
    packages.values().removeIf(each -> each.size() == 1);
    assertEquals(Map.of(), packages);
  }

  /** What the agent is made of; records of what is read or written have more components. */
  @ArchTest
  static void noConstructorOfTheAgentIsLong(JavaClasses classes) {
    assertEquals(
        List.of(),
        classes.stream()
            .filter(type -> type.getPackageName().matches("stackweave\\.(agent|engine)\\b.*"))
            .filter(type -> !type.isEnum()) // a name and a number come before what is written
            .flatMap(type -> type.getConstructors().stream())
            .filter(each -> each.getRawParameterTypes().size() > MAX_PARAMETERS)
            .map(JavaConstructor::getFullName)
            .toList());
  }

  /** All but what JMH generates. */
  static final class WrittenByPeople implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("jmh_generated");
    }
  }

  private static final class ByPackage implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass type) {
      return SliceIdentifier.of(type.getPackageName());
    }

    @Override
    public String getDescription() {
      return "packages";
    }
  }
}
