package stackweave.agent.jdk.hook;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Reports the chunks that JFR has finished. It runs as a copy in jdk.jfr.internal, {@link
 * FinishedChunkHook#COPY}, where the application can't see it; so it must use nothing outside of
 * java.base. Without a listener it reads one field. Nothing that the listener throws reaches JFR.
 */
final class FinishedChunks {
  /** Gets the names of the chunks' files; null for no listener. */
  static final AtomicReference<Consumer<String>> LISTENER = new AtomicReference<>();

  /** Whether JFR calls this; a class that is defined stays, also if it could not be called. */
  static final AtomicBoolean INSTALLED = new AtomicBoolean();

  private FinishedChunks() {}

  /** Called first in {@code RepositoryChunk.finish}, on whatever thread ends a chunk. */
  static void finish(Object chunk) {
    Consumer<String> listener = LISTENER.get();
    if (listener == null) {
      return;
    }
    try {
      listener.accept(chunk.toString());
    } catch (Throwable e) {
      // JFR goes on as if this were not there; the chunk's file is as JFR left it.
      return;
    }
  }
}
