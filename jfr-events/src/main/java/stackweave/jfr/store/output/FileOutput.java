package stackweave.jfr.store.output;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import jdk.jfr.Event;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.StackEvent;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.weave.format.EventFile;

/**
 * Writes events into a file of their own, without a recording of this JVM: for another process that
 * is sampled. For the drain thread.
 */
public final class FileOutput implements EventOutput {
  /** As JFR's chunks, so that readers need no more memory for a long recording. */
  private static final long CHUNK_BYTES = 12 << 20;

  private EventFile file;
  private Path path;
  private final Set<SampleRecord.Kind> kinds;

  /** The file that {@link #goOn} takes; null for none. */
  private EventFile next;

  private Path nextPath;

  /** Why it can't be written; empty if it can. After that nothing more is written. */
  private volatile String problem = "";

  /**
   * Any thread.
   *
   * @param kinds the samples that are recorded
   * @throws IOException if the file can't be written
   */
  public FileOutput(Path path, Set<SampleRecord.Kind> kinds) throws IOException {
    this.file = EventFile.create(path, StoreEvents.written());
    this.path = path;
    this.kinds = kinds;
  }

  @Override
  public boolean isRecorded() {
    return true;
  }

  @Override
  public boolean isRecorded(SampleRecord.Kind kind) {
    return kinds.contains(kind);
  }

  @Override
  public boolean isStatusRecorded() {
    return true;
  }

  @Override
  public boolean knowsTime(long timeNanos) {
    return true;
  }

  @Override
  public long stamp(StackEvent event, SampleRecord sample) {
    event.timeNanos = sample.timeNanos;
    event.durationNanos = sample.kind.hasDuration() ? sample.weight : 0;
    return 0;
  }

  @Override
  public long ticks(StackSample event) {
    return 0; // woven when the file is complete
  }

  /** Throws an UncheckedIOException for the user if the file can't be written. */
  @Override
  public void commit(Event event) {
    if (!problem.isEmpty()) {
      return;
    }
    try {
      if (event instanceof StackEvent sample) {
        file.write(event, sample.timeNanos, sample.durationNanos);
      } else {
        file.write(event, System.nanoTime(), 0);
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private UncheckedIOException failed(IOException e) {
    problem =
        String.format(
            "the samples can't be written to %s (%s): make room there, or have them elsewhere by java"
                + " -Djava.io.tmpdir=DIRECTORY",
            directory(), e.getMessage());
    return new UncheckedIOException(problem, e);
  }

  /** Also of a file without a name, whose path is that of its descriptor in /proc. */
  private Path directory() {
    try {
      return Files.readSymbolicLink(path).getParent();
    } catch (IOException | RuntimeException noLink) {
      return path.toAbsolutePath().getParent();
    }
  }

  /** Why the file could not be written to the end, for the user; empty if it could. Any thread. */
  public String problem() {
    return problem;
  }

  /** Makes what was written readable, also if this JVM ends now. Throws as {@link #commit}. */
  public void flush() {
    if (!problem.isEmpty()) {
      return;
    }
    try {
      file.flush();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /**
   * Prepares another file, for {@link #goOn}. Any thread.
   *
   * @throws IOException if it can't be written
   */
  public synchronized void prepare(Path path) throws IOException {
    next = file.next(path);
    nextPath = path;
  }

  /** Whether the chunk is long enough to be followed by another one: by {@link #goOn}. */
  public boolean isLong() {
    return problem.isEmpty() && file.chunkBytes() > CHUNK_BYTES;
  }

  /**
   * Completes the file and goes on with the one that was prepared, or completes a long chunk and
   * goes on with another one. Throws as {@link #commit}.
   *
   * @return false if there is neither
   */
  public synchronized boolean goOn() {
    if (next != null) {
      close();
      file = next;
      path = nextPath;
      next = null;
      return true;
    }
    if (!isLong()) {
      return false;
    }
    try {
      file.nextChunk();
    } catch (IOException e) {
      throw failed(e);
    }
    return true;
  }

  /** Completes the file. If it can't be written, what was flushed last stands. */
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      failed(e);
    }
  }
}
