package stackweave.agent.jdk.hook;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import stackweave.agent.jdk.JavaBase;

/**
 * The instrumentation of {@code open()} of the JDK's classes of loaded libraries, in which all ways
 * of loading one meet: of {@code NativeLibraries.NativeLibraryImpl} (JNI; JDK 17 to 27), and of
 * {@code RawNativeLibraries.RawNativeLibraryImpl} (java.lang.foreign; since JDK 18). The
 * transformer is registered only while these are transformed. The code stays when the hook is
 * closed, and reads one field then: to take it out would be one more pause.
 */
public final class LibraryLoadHook implements AutoCloseable {
  static final String COPY = "jdk.internal.loader.StackweaveLibraryLoads";
  private static final String PACKAGE = "jdk.internal.loader";
  private static final String JNI = PACKAGE + ".NativeLibraries$NativeLibraryImpl";
  private static final String FOREIGN = PACKAGE + ".RawNativeLibraries$RawNativeLibraryImpl";

  private final AtomicReference<BiFunction<String, Boolean, BiConsumer<Long, Throwable>>> listener;

  private LibraryLoadHook(
      AtomicReference<BiFunction<String, Boolean, BiConsumer<Long, Throwable>>> listener) {
    this.listener = listener;
  }

  /**
   * Instruments the classes, unless that was done before. Nobody is told before {@link #listen}.
   *
   * @throws HookException if that is not possible; nothing is told then
   */
  public static LibraryLoadHook install(Instrumentation instrumentation) throws HookException {
    try {
      JavaBase.open(instrumentation, PACKAGE);
      Class<?> jni = Class.forName(JNI, false, null);
      MethodHandles.Lookup copy = enter(jni);
      AtomicBoolean installed = (AtomicBoolean) constant(copy, "INSTALLED", AtomicBoolean.class);
      if (!installed.get()) {
        Map<Class<?>, Boolean> types = new LinkedHashMap<>();
        types.put(jni, false);
        Class<?> foreign = foreign();
        if (foreign != null) {
          types.put(foreign, true);
        }
        transform(types, instrumentation);
        installed.set(true);
      }
      return new LibraryLoadHook(reference(constant(copy, "LISTENER", AtomicReference.class)));
    } catch (ReflectiveOperationException
        | IOException
        | UnmodifiableClassException
        | RuntimeException
        | LinkageError e) {
      throw new HookException(e.toString(), e);
    }
  }

  /** Null on JDK 17, where java.lang.foreign is an incubator that loads as JNI does. */
  private static Class<?> foreign() {
    try {
      return Class.forName(FOREIGN, false, null);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  @SuppressWarnings("unchecked") // the copy's field has the type of LibraryLoads.LISTENER
  private static AtomicReference<BiFunction<String, Boolean, BiConsumer<Long, Throwable>>>
      reference(Object value) {
    return (AtomicReference<BiFunction<String, Boolean, BiConsumer<Long, Throwable>>>) value;
  }

  private static Object constant(MethodHandles.Lookup copy, String name, Class<?> type)
      throws ReflectiveOperationException {
    return copy.findStaticVarHandle(copy.lookupClass(), name, type).get();
  }

  /** A lookup with access to the copy, which is defined if it isn't there. */
  private static MethodHandles.Lookup enter(Class<?> neighbour)
      throws ReflectiveOperationException, IOException {
    Class<?> copy;
    try {
      copy = Class.forName(COPY, true, null);
    } catch (ClassNotFoundException e) {
      copy =
          MethodHandles.privateLookupIn(neighbour, MethodHandles.lookup())
              .defineClass(HookClass.renamed(LibraryLoads.class, COPY));
    }
    return MethodHandles.privateLookupIn(copy, MethodHandles.lookup());
  }

  private static void transform(Map<Class<?>, Boolean> types, Instrumentation instrumentation)
      throws UnmodifiableClassException, HookException {
    if (!instrumentation.isRetransformClassesSupported()) {
      throw new HookException("this JVM does not transform loaded classes", null);
    }
    OpenTransformer transformer = new OpenTransformer(types, COPY);
    instrumentation.addTransformer(transformer, true);
    try {
      instrumentation.retransformClasses(types.keySet().toArray(new Class<?>[0]));
    } finally {
      instrumentation.removeTransformer(transformer);
    }
    if (!transformer.isDone()) {
      throw new HookException(transformer.failure(), null);
    }
  }

  /**
   * Begins to tell of loads.
   *
   * @param listener gets what dlopen is called with, and whether java.lang.foreign loads, on the
   *     thread that loads; what it returns, if not null, gets the handle (0: failed) and what is
   *     thrown (or null)
   */
  public void listen(BiFunction<String, Boolean, BiConsumer<Long, Throwable>> listener) {
    this.listener.set(listener);
  }

  /** Nobody is told any more but the end of loads that have begun. */
  @Override
  public void close() {
    listener.set(null);
  }
}
