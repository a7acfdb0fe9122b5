package stackweave.agent.jdk;

import java.lang.instrument.Instrumentation;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Opens packages of the JDK to this module, without the JVM's warnings. Stateless. */
public final class JavaBase {

  private JavaBase() {}

  /**
   * Opens packages of java.base to this module. Repeated calls have no effect.
   *
   * @throws RuntimeException if the JVM refuses
   */
  public static void open(Instrumentation instrumentation, String... packages) {
    redefine(instrumentation, Object.class, Map.of(), toUs(packages));
  }

  /**
   * Opens the package of a class of a named module. Repeated calls have no effect.
   *
   * @throws RuntimeException if the JVM refuses
   */
  public static void open(Instrumentation instrumentation, Class<?> type) {
    redefine(instrumentation, type, Map.of(), toUs(type.getPackageName()));
  }

  /**
   * Opens the packages that say which thread is which: what {@link OwnThreadFinder}, {@link
   * ThreadFacts}, {@link VmThreadAddress} and {@link MountedContinuations} need.
   *
   * @throws RuntimeException if the JVM doesn't
   */
  public static void openThreads(Instrumentation instrumentation) {
    open(instrumentation, "java.lang", "jdk.internal.vm");
  }

  /**
   * Exports packages of java.base to this module: their public classes. Repeated calls have no
   * effect.
   *
   * @throws RuntimeException if the JVM doesn't
   */
  static void export(Instrumentation instrumentation, String... packages) {
    redefine(instrumentation, Object.class, toUs(packages), Map.of());
  }

  private static void redefine(
      Instrumentation instrumentation,
      Class<?> type,
      Map<String, Set<Module>> exports,
      Map<String, Set<Module>> opens) {
    instrumentation.redefineModule(type.getModule(), Set.of(), exports, opens, Set.of(), Map.of());
  }

  /** Uses no stream, whose lambdas would be the first that a JVM with little room has to load. */
  private static Map<String, Set<Module>> toUs(String... packages) {
    Map<String, Set<Module>> all = new HashMap<>();
    for (String name : packages) {
      all.put(name, Set.of(JavaBase.class.getModule()));
    }
    return all;
  }
}
