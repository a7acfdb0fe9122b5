package stackweave.agent.jdk.hook;

import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The instrumentation of {@code jdk.jfr.internal.RepositoryChunk.finish(Instant)} (JDK 17 to 27),
 * which JFR calls when the JVM has finished a chunk, and before it reads the file's length. The
 * code stays when the hook is closed, and then reads one field: to remove it would take another
 * pause of all threads.
 */
public final class FinishedChunkHook implements AutoCloseable {
  static final String COPY = "jdk.jfr.internal.StackweaveFinishedChunks";
  static final String CHUNK = "jdk.jfr.internal.RepositoryChunk";

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
      FinishedChunkHook hook =
          new FinishedChunkHook(
              JdkHook.constant(
                  JdkHook.install(
                      instrumentation, FinishedChunks.class, COPY, Map.of(CHUNK, change(COPY))),
                  "LISTENER",
                  AtomicReference.class));
      hook.listener.set(listener);
      return hook;
    } catch (ReflectiveOperationException e) {
      throw new HookException(e.toString(), e);
    }
  }

  /** A call of {@link FinishedChunks}, or of another class in its place. */
  static MethodChange change(String called) {
    return new CallAtBegin(
        "finish", "(Ljava/time/Instant;)Z", called, "finish", "(Ljava/lang/Object;)V", 0);
  }

  /** The listener is not called any more. */
  @Override
  public void close() {
    listener.set(null);
  }
}
