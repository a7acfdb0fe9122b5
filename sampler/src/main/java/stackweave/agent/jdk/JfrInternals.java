package stackweave.agent.jdk;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * The parts of JFR's own classes that weaving needs, JDK 17 to 27: package jdk.jfr.internal is
 * opened to this module only. Stateless.
 */
public final class JfrInternals {
  private static final String REPOSITORY = "jdk.jfr.internal.MetadataRepository";

  private JfrInternals() {}

  /**
   * The metadata of the JVM's types, as JFR writes them into each chunk. Takes a lock of JFR's and
   * some milliseconds: must not be called on an application's thread.
   *
   * @throws ReflectiveOperationException where the JDK has them elsewhere
   */
  public static byte[] metadata(Instrumentation instrumentation)
      throws ReflectiveOperationException {
    Class<?> type = Class.forName(REPOSITORY, true, null);
    JavaBase.open(instrumentation, type);
    Object repository = type.getMethod("getInstance").invoke(null);
    Method write = type.getDeclaredMethod("getBinaryRepresentation");
    write.setAccessible(true);
    try {
      // The JDK calls it while holding this lock.
      synchronized (repository) {
        return (byte[]) write.invoke(repository);
      }
    } catch (InvocationTargetException e) {
      throw new ReflectiveOperationException(e.getCause().toString(), e);
    }
  }
}
