package stackweave.agent.jdk.hook;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/**
 * The instrumentation of {@code open()} in the JDK's classes of loaded libraries, which every load
 * calls: {@code NativeLibraries.NativeLibraryImpl} (JNI; JDK 17 to 27) and {@code
 * RawNativeLibraries.RawNativeLibraryImpl} (java.lang.foreign since JDK 18; on 17 it loads as JNI
 * does). The code stays when the hook is closed, and then reads one field: to remove it would take
 * another pause of all threads.
 */
public final class LibraryLoadHook implements AutoCloseable {
  static final String COPY = "jdk.internal.loader.StackweaveLibraryLoads";
  static final String JNI = "jdk.internal.loader.NativeLibraries$NativeLibraryImpl";
  static final String FOREIGN = "jdk.internal.loader.RawNativeLibraries$RawNativeLibraryImpl";

  private final AtomicReference<BiFunction<String, Boolean, BiConsumer<Long, Throwable>>> listener;

  private LibraryLoadHook(MethodHandles.Lookup copy) throws ReflectiveOperationException {
    listener = JdkHook.constant(copy, "LISTENER", AtomicReference.class);
  }

  /**
   * Instruments the classes, unless that was done before. Nobody is told before {@link #listen}.
   *
   * @throws HookException if that is not possible; nothing is told then
   */
  public static LibraryLoadHook install(Instrumentation instrumentation) throws HookException {
    Map<String, MethodChange> changes = new LinkedHashMap<>();
    changes.put(JNI, new LibraryOpenChange(COPY, false));
    changes.put(FOREIGN, new LibraryOpenChange(COPY, true));
    try {
      return new LibraryLoadHook(
          JdkHook.install(instrumentation, LibraryLoads.class, COPY, changes));
    } catch (ReflectiveOperationException e) {
      throw new HookException(e.toString(), e);
    }
  }

  /**
   * Begins to report loads.
   *
   * @param listener gets what dlopen is called with, and whether java.lang.foreign loads, on the
   *     thread that loads; what it returns, if not null, gets the handle (0: failed) and what is
   *     thrown (or null)
   */
  public void listen(BiFunction<String, Boolean, BiConsumer<Long, Throwable>> listener) {
    this.listener.set(listener);
  }

  /** Reports only the ends of loads that have begun. */
  @Override
  public void close() {
    listener.set(null);
  }
}
