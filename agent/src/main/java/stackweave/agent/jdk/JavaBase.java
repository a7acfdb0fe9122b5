package stackweave.agent.jdk;

import java.lang.instrument.Instrumentation;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The way into packages of java.base: only our own module is let in, without a warning. */
public final class JavaBase {

  private JavaBase() {}

  /**
   * Opens packages of java.base to this module. Again has no effect.
   *
   * @throws RuntimeException if the JVM doesn't
   */
  public static void open(Instrumentation instrumentation, String... packages) {
    Set<Module> self = Set.of(JavaBase.class.getModule());
    instrumentation.redefineModule(
        Object.class.getModule(),
        Set.of(),
        Map.of(),
        Arrays.stream(packages).collect(Collectors.toMap(Function.identity(), name -> self)),
        Set.of(),
        Map.of());
  }
}
