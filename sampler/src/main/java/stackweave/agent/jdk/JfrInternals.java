package stackweave.agent.jdk;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;

/**
 * What of JFR's own classes is used to weave samples, JDK 17 to 27: package jdk.jfr.internal is
 * opened to this module, and to no other. Stateless.
 */
public final class JfrInternals {
  private static final String MODULE = "jdk.jfr";
  private static final String PACKAGE = "jdk.jfr.internal";
  private static final String REPOSITORY = PACKAGE + ".MetadataRepository";

  private JfrInternals() {}

  /**
   * Opens the package. Repeated calls have no effect.
   *
   * @throws RuntimeException if the JVM refuses
   */
  public static void open(Instrumentation instrumentation) {
    instrumentation.redefineModule(
        ModuleLayer.boot().findModule(MODULE).orElseThrow(),
        Set.of(),
        Map.of(),
        Map.of(PACKAGE, Set.of(JfrInternals.class.getModule())),
        Set.of(),
        Map.of());
  }

  /**
   * The metadata of the JVM's types, as JFR writes them into each chunk. Takes a lock of JFR's and
   * some milliseconds: must not be called on an application's thread.
   *
   * @throws ReflectiveOperationException where the JDK has them elsewhere
   */
  public static byte[] metadata(Instrumentation instrumentation)
      throws ReflectiveOperationException {
    open(instrumentation);
    Class<?> type = Class.forName(REPOSITORY);
    Object repository = type.getMethod("getInstance").invoke(null);
    Method write = type.getDeclaredMethod("getBinaryRepresentation");
    write.setAccessible(true);
    try {
      // It is called with this lock.
      synchronized (repository) {
        return (byte[]) write.invoke(repository);
      }
    } catch (InvocationTargetException e) {
      throw new ReflectiveOperationException(e.getCause().toString(), e);
    }
  }
}
