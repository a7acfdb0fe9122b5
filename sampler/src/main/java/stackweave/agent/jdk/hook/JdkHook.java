package stackweave.agent.jdk.hook;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.security.ProtectionDomain;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import stackweave.agent.jdk.ClassFileRenamer;
import stackweave.agent.jdk.JavaBase;

/**
 * Makes classes of the JDK call a class of the agent. They can't see the agent's classes, so a copy
 * of it is defined in their package, with another name. A class can't be removed: the copy stays
 * when the agent is detached, and the next agent finds it. Stateless.
 */
public final class JdkHook {
  /** A constant of each copy that {@link #install} defines: whether the JDK calls it. */
  private static final String INSTALLED = "INSTALLED";

  private JdkHook() {}

  /**
   * Defines the copy and changes classes of the JDK, unless that was done before.
   *
   * @param name of the copy
   * @param changes by names of classes in one package; the first must be there
   * @return a lookup with access to the copy
   * @throws HookException if that is not possible; nothing calls the copy then
   */
  static MethodHandles.Lookup install(
      Instrumentation instrumentation,
      Class<?> copied,
      String name,
      Map<String, MethodChange> changes)
      throws HookException {
    try {
      Map<Class<?>, MethodChange> found = new LinkedHashMap<>();
      for (Map.Entry<String, MethodChange> each : changes.entrySet()) {
        try {
          found.put(Class.forName(each.getKey(), false, null), each.getValue());
        } catch (ClassNotFoundException e) {
          if (found.isEmpty()) {
            throw e;
          }
        }
      }
      MethodHandles.Lookup copy =
          copy(instrumentation, copied, name, found.keySet().iterator().next());
      AtomicBoolean installed = constant(copy, INSTALLED, AtomicBoolean.class);
      if (!installed.get()) {
        change(instrumentation, found);
        installed.set(true);
      }
      return copy;
    } catch (ReflectiveOperationException
        | IOException
        | UnmodifiableClassException
        | RuntimeException
        | LinkageError e) {
      throw new HookException(e.toString(), e);
    }
  }

  /**
   * A lookup with access to the copy of a class, which is defined if it isn't there.
   *
   * @param name of the copy
   * @param beside a class of the JDK in the same package
   */
  public static MethodHandles.Lookup copy(
      Instrumentation instrumentation, Class<?> copied, String name, Class<?> beside)
      throws ReflectiveOperationException, IOException {
    return copy(instrumentation, copied, copied.getName(), name, beside);
  }

  /**
   * The same, where several classes refer to each other.
   *
   * @param prefix what their names begin with, and {@code by} those of their copies
   */
  public static MethodHandles.Lookup copy(
      Instrumentation instrumentation, Class<?> copied, String prefix, String by, Class<?> beside)
      throws ReflectiveOperationException, IOException {
    JavaBase.open(instrumentation, beside);
    MethodHandles.Lookup own = MethodHandles.lookup();
    Class<?> copy;
    try {
      copy = Class.forName(copied.getName().replace(prefix, by), true, null);
    } catch (ClassNotFoundException e) {
      byte[] renamed =
          ClassFileRenamer.replace(
              classFile(copied), prefix.replace('.', '/'), by.replace('.', '/'));
      copy = MethodHandles.privateLookupIn(beside, own).defineClass(renamed);
    }
    return MethodHandles.privateLookupIn(copy, own);
  }

  private static byte[] classFile(Class<?> type) throws IOException {
    try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
      if (in == null) {
        throw new IOException("the agent jar lacks " + type.getName());
      }
      return in.readAllBytes();
    }
  }

  /** The value of a static constant of a copy, which has the type that its original declares. */
  @SuppressWarnings("unchecked")
  public static <T> T constant(MethodHandles.Lookup copy, String name, Class<? super T> type)
      throws ReflectiveOperationException {
    return (T) copy.findStaticVarHandle(copy.lookupClass(), name, type).get();
  }

  /** Registers the transformer only for the change: the JVM calls it for every class loaded. */
  private static void change(Instrumentation instrumentation, Map<Class<?>, MethodChange> changes)
      throws UnmodifiableClassException, HookException {
    if (!instrumentation.isRetransformClassesSupported()) {
      throw new HookException("this JVM does not transform loaded classes", null);
    }
    Changes transformer = new Changes(changes);
    instrumentation.addTransformer(transformer, true);
    try {
      instrumentation.retransformClasses(changes.keySet().toArray(new Class<?>[0]));
    } finally {
      instrumentation.removeTransformer(transformer);
    }
    if (transformer.done < changes.size()) {
      throw new HookException(transformer.failure, null);
    }
  }

  private static final class Changes implements ClassFileTransformer {
    private final Map<Class<?>, MethodChange> changes;
    private int done;
    private String failure = "the JVM has not asked for it";

    Changes(Map<Class<?>, MethodChange> changes) {
      this.changes = changes;
    }

    @Override
    public byte[] transform(
        ClassLoader loader,
        String className,
        Class<?> redefined,
        ProtectionDomain domain,
        byte[] classFile) {
      MethodChange change = redefined == null ? null : changes.get(redefined);
      if (change == null) {
        return null;
      }
      try {
        byte[] changed = change.of(classFile);
        done++;
        return changed;
      } catch (Throwable e) {
        // The JVM would ignore the exception silently.
        failure = e instanceof HookException ? e.getMessage() : e.toString();
        return null;
      }
    }
  }
}
