package stackweave.agent.jdk.hook;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import stackweave.agent.jdk.JfrInternals;

/**
 * The instrumentation of {@code jdk.jfr.internal.RepositoryChunk.finish(Instant)} (JDK 17 to 27),
 * which JFR calls when the JVM has written a chunk to its end, and before it looks how long the
 * file is. The transformer is registered only while the class is transformed. The code stays when
 * the hook is closed, and reads one field then: to take it out would be one more pause.
 */
public final class FinishedChunkHook implements AutoCloseable {
  static final String COPY = "jdk.jfr.internal.StackweaveFinishedChunks";
  private static final String CHUNK = "jdk.jfr.internal.RepositoryChunk";

  private final AtomicReference<Consumer<String>> listener;

  private FinishedChunkHook(AtomicReference<Consumer<String>> listener) {
    this.listener = listener;
  }

  /**
   * Instruments the class, unless that was done before.
   *
   * @param listener is told the name of each finished chunk's file, on the thread that ends it,
   *     with JFR's lock
   * @throws HookException if that is not possible; nothing is instrumented then
   */
  public static FinishedChunkHook install(
      Instrumentation instrumentation, Consumer<String> listener) throws HookException {
    try {
      JfrInternals.open(instrumentation);
      Class<?> chunk = Class.forName(CHUNK, false, null);
      MethodHandles.Lookup copy = enter(chunk);
      AtomicBoolean installed = (AtomicBoolean) constant(copy, "INSTALLED", AtomicBoolean.class);
      if (!installed.get()) {
        transform(chunk, instrumentation);
        installed.set(true);
      }
      FinishedChunkHook hook =
          new FinishedChunkHook(reference(constant(copy, "LISTENER", AtomicReference.class)));
      hook.listener.set(listener);
      return hook;
    } catch (ReflectiveOperationException
        | IOException
        | UnmodifiableClassException
        | RuntimeException
        | LinkageError e) {
      throw new HookException(e.toString(), e);
    }
  }

  @SuppressWarnings("unchecked") // the copy's field has the type of FinishedChunks.LISTENER
  private static AtomicReference<Consumer<String>> reference(Object value) {
    return (AtomicReference<Consumer<String>>) value;
  }

  private static Object constant(MethodHandles.Lookup copy, String name, Class<?> type)
      throws ReflectiveOperationException {
    return copy.findStaticVarHandle(copy.lookupClass(), name, type).get();
  }

  /** A lookup with access to the copy, which is defined if it isn't there. */
  private static MethodHandles.Lookup enter(Class<?> chunk)
      throws ReflectiveOperationException, IOException {
    MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(chunk, MethodHandles.lookup());
    Class<?> copy;
    try {
      copy = Class.forName(COPY, true, null);
    } catch (ClassNotFoundException e) {
      copy = lookup.defineClass(HookClass.renamed(FinishedChunks.class, COPY));
    }
    return MethodHandles.privateLookupIn(copy, MethodHandles.lookup());
  }

  private static void transform(Class<?> chunk, Instrumentation instrumentation)
      throws UnmodifiableClassException, HookException {
    if (!instrumentation.isRetransformClassesSupported()) {
      throw new HookException("this JVM does not transform loaded classes", null);
    }
    FinishTransformer transformer = new FinishTransformer(chunk, COPY);
    instrumentation.addTransformer(transformer, true);
    try {
      instrumentation.retransformClasses(chunk);
    } finally {
      instrumentation.removeTransformer(transformer);
    }
    if (!transformer.failure().isEmpty()) {
      throw new HookException(transformer.failure(), null);
    }
  }

  /** Nobody is told any more. */
  @Override
  public void close() {
    listener.set(null);
  }
}
