package stackweave.agent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** A sample goes one way through the modules, and no module looks back. */
@AnalyzeClasses(packages = "stackweave", importOptions = DoNotIncludeTests.class)
class ModuleDirectionsIT {

  private static final String[] JDK = {"java..", "javax..", "jdk.jfr.."};

  @ArchTest static final ArchRule UNWIND = uses("stackweave.unwind..");

  @ArchTest static final ArchRule TABLELESS = uses("stackweave.tableless..", "stackweave.unwind..");

  @ArchTest
  static final ArchRule HOTSPOT =
      uses("stackweave.hotspot..", "stackweave.tableless..", "stackweave.unwind..");

  /** Its other classes are known to it alone. */
  @ArchTest
  static final ArchRule TABLELESS_IS_BEHIND_ONE_CLASS =
      noClasses()
          .that()
          .resideOutsideOfPackage("stackweave.tableless..")
          .should()
          .dependOnClassesThat(
              JavaClass.Predicates.resideInAPackage("stackweave.tableless..")
                  .and(
                      DescribedPredicate.not(
                          HasName.Predicates.nameMatching(
                              "stackweave\\.tableless\\.(CodeUnwinder|x86\\.FunctionExits.*)"))));

  @ArchTest
  static final ArchRule NATIVE_MAPS =
      uses("stackweave.maps..", "stackweave.unwind..", "org.tukaani.xz..");

  @ArchTest
  static final ArchRule SFRAME_TOOLS =
      uses("stackweave.sframe..", "stackweave.maps..", "stackweave.unwind..");

  /** Exports add names from files. */
  @ArchTest
  static final ArchRule JFR = uses("stackweave.jfr..", "stackweave.maps..", "stackweave.unwind..");

  @ArchTest
  static final ArchRule RECORDINGS_NEED_NEITHER_EXPORTS_NOR_FILES =
      noClasses()
          .that()
          .resideInAPackage("stackweave.jfr..")
          .and()
          .resideOutsideOfPackage("stackweave.jfr.export..")
          .should()
          .dependOnClassesThat(
              JavaClass.Predicates.resideInAPackage("stackweave.jfr.export..")
                  .or(JavaClass.Predicates.resideInAPackage("stackweave.maps.."))
                  .or(
                      JavaClass.Predicates.resideInAPackage("stackweave.unwind..")
                          .and(
                              JavaClass.Predicates.resideOutsideOfPackages(
                                  "stackweave.unwind.hash..", "stackweave.unwind.text.."))));

  /** Commands work on another JVM, or on files: nothing that samples is in them. */
  @ArchTest
  static final ArchRule THE_COMMAND_LINE_KNOWS_WHAT_BOTH_SIDES_KNOW =
      noClasses()
          .that()
          .resideInAPackage("stackweave.agent.cli..")
          .should()
          .dependOnClassesThat(
              JavaClass.Predicates.resideInAPackage("stackweave.agent..")
                  .and(
                      JavaClass.Predicates.resideOutsideOfPackages(
                          "stackweave.agent.cli..",
                          "stackweave.agent.attach..",
                          "stackweave.agent.option..")));

  /** The agent lists the features; what samples knows their interface. */
  @ArchTest
  static final ArchRule THE_SAMPLER_KNOWS_NO_FEATURE_BY_NAME =
      noClasses()
          .that()
          .resideInAnyPackage("stackweave.agent.drain..", "stackweave.agent.decode..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("stackweave.agent.feature.*..");

  @ArchTest
  static final ArchRule ENGINE =
      uses(
          "stackweave.engine..",
          "stackweave.linux..",
          "stackweave.cpu..",
          "stackweave.tableless..",
          "stackweave.hotspot..",
          "stackweave.maps..",
          "stackweave.jfr..",
          "stackweave.unwind..",
          "com.sun.jna..");

  /** The classes in the application's sight load nothing that isn't, but by their class loader. */
  @ArchTest static final ArchRule BOOT = uses("stackweave.agent.boot..");

  /** In JNA's module, which reads nothing of ours. */
  @ArchTest static final ArchRule JNA_REPLACEMENTS = uses("stackweave.jna..");

  @ArchTest
  static final ArchRule JNA_REPLACEMENTS_ARE_FOR_JNA =
      noClasses()
          .that()
          .resideOutsideOfPackage("stackweave.jna..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("stackweave.jna..");

  @ArchTest
  static final ArchRule JNA_BELONGS_TO_SYSTEM_CALLS =
      noClasses()
          .that()
          .resideOutsideOfPackages("stackweave.linux..", "stackweave.engine..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.sun.jna..");

  @ArchTest
  static final ArchRule PICOCLI_BELONGS_TO_THE_COMMAND_LINE =
      noClasses()
          .that()
          .resideOutsideOfPackage("stackweave.agent.cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("picocli..");

  /** All else of Byte Buddy would cost each start of a JVM some 0.3 s of CPU time. */
  @ArchTest
  static final ArchRule OF_BYTE_BUDDY_ONLY_ASM =
      noClasses()
          .should()
          .dependOnClassesThat()
          .haveNameMatching("net\\.bytebuddy\\.(?!jar\\.asm\\.).*");

  @ArchTest
  static final ArchRule BYTE_BUDDY_BELONGS_TO_THE_HOOKS =
      noClasses()
          .that()
          .resideOutsideOfPackages("stackweave.agent.jdk.hook..", "stackweave.agent.feature.call..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("net.bytebuddy..");

  /** Works as a copy in java.lang. */
  @ArchTest
  static final ArchRule THE_HOOK_USES_JAVA_BASE_ONLY =
      classes()
          .that()
          .haveNameMatching("stackweave\\.agent\\.jdk\\.hook\\.StartedThreads")
          .should()
          .onlyDependOnClassesThat()
          .haveNameMatching(
              "java\\.(lang|util)\\..*|stackweave\\.agent\\.jdk\\.hook\\.StartedThreads");

  /** Prints a warning on 24 and later. */
  @ArchTest
  static final ArchRule NO_UNSAFE =
      noClasses().should().dependOnClassesThat().resideInAPackage("sun.misc..");

  /** Its first use would decide the application's LogManager. */
  @ArchTest
  static final ArchRule NO_LOGGING =
      noClasses().should().dependOnClassesThat().resideInAPackage("java.util.logging..");

  private static ArchRule uses(String packages, String... others) {
    String[] allowed = new String[JDK.length + 1 + others.length];
    System.arraycopy(JDK, 0, allowed, 0, JDK.length);
    allowed[JDK.length] = packages;
    System.arraycopy(others, 0, allowed, JDK.length + 1, others.length);
    return classes()
        .that()
        .resideInAPackage(packages)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(allowed);
  }
}
