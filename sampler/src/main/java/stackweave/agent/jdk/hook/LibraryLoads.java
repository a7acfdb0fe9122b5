package stackweave.agent.jdk.hook;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;

/**
 * Reports the libraries that Java code loads. It runs as a copy in jdk.internal.loader, {@link
 * LibraryLoadHook#COPY}, where the application can't see it; so it must use nothing outside of
 * java.base. Without a listener it reads one field. Nothing that the listener throws reaches the
 * thread that loads.
 */
final class LibraryLoads {
  /** Gets path and whether java.lang.foreign loads; its result gets the end. Null for none. */
  static final AtomicReference<BiFunction<String, Boolean, BiConsumer<Long, Throwable>>> LISTENER =
      new AtomicReference<>();

  /** Whether the JDK calls this; a class that is defined stays, also if it could not be called. */
  static final AtomicBoolean INSTALLED = new AtomicBoolean();

  private LibraryLoads() {}

  /**
   * Called first in {@code open} of a library, before dlopen, on the thread that loads it. The
   * thread may hold a lock of the JDK for which all other loads wait (JDK 17), or those of the same
   * file.
   *
   * @return what gets the end; null for nothing
   */
  static BiConsumer<Long, Throwable> begin(String path, boolean foreign) {
    BiFunction<String, Boolean, BiConsumer<Long, Throwable>> listener = LISTENER.get();
    if (listener == null) {
      return null;
    }
    try {
      return listener.apply(path, foreign);
    } catch (Throwable e) {
      return null; // the library is loaded as without the agent
    }
  }

  /**
   * Called when {@code open} returns or throws.
   *
   * @param load of {@link #begin}
   * @param handle what dlopen returned; 0 if it failed
   * @param failure what is thrown; null if nothing is
   */
  static void end(BiConsumer<Long, Throwable> load, long handle, Throwable failure) {
    if (load == null) {
      return;
    }
    try {
      load.accept(handle, failure);
    } catch (Throwable e) {
      return; // as above
    }
  }
}
