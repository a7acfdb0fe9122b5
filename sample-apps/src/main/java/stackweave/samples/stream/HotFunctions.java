package stackweave.samples.stream;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.jfr.read.block.BlockPieces;
import stackweave.jfr.read.block.Definitions;

/**
 * Prints every few seconds in which native functions CPU time was spent. Takes the events of a
 * {@code RecordingStream} or {@code RemoteRecordingStream}, which must not be ordered: definitions
 * come before the samples that need them. What it keeps grows with the code that was met, not with
 * time. All on the stream's thread.
 */
public final class HotFunctions {
  private static final int ROWS = 10;

  /** A native function, or what stands for a frame that is none. */
  private record Function(String name, long libraryId) {}

  private final Duration every;
  private final PrintStream out;
  private BlockPieces blocks = new BlockPieces();
  private String session = "";
  private final Map<Long, Long> methodOfFrame = new HashMap<>();
  private final Map<Long, Function> functions = new HashMap<>();
  private final Map<Long, String> libraries = new HashMap<>();
  private final Map<String, Long> nanos = new HashMap<>();
  private long allNanos;
  private long lastPrint = System.nanoTime();

  private HotFunctions(Duration every, PrintStream out) {
    this.every = every;
    this.out = out;
  }

  /** Prints the functions of a stream's samples; start the stream after that. */
  public static void of(EventStream stream, Duration every, PrintStream out) {
    HotFunctions hot = new HotFunctions(every, out);
    stream.setOrdered(false);
    stream.onEvent("stackweave.Session", hot::session);
    stream.onEvent("stackweave.Definitions", hot::definitions);
    stream.onEvent("stackweave.StackSample", hot::sample);
    stream.onFlush(hot::flush);
    stream.onError(Throwable::printStackTrace);
  }

  /** Ids are those of one session. */
  private void session(RecordedEvent event) {
    String uuid = event.getString("uuid");
    if (!uuid.equals(session)) {
      session = uuid;
      blocks = new BlockPieces();
      methodOfFrame.clear();
      functions.clear();
      libraries.clear();
    }
  }

  private void definitions(RecordedEvent event) {
    try {
      blocks.add(event, new Taker());
    } catch (IOException e) {
      out.println("definitions that can't be read: " + e.getMessage());
    }
  }

  private void sample(RecordedEvent event) {
    long weight = event.getLong("weight");
    allNanos += weight;
    Function function = functions.get(methodOfFrame.get(event.getLong("stackId")));
    if (function != null && function.libraryId() != 0) {
      String library = libraries.getOrDefault(function.libraryId(), "?");
      nanos.merge(function.name() + " [" + library + "]", weight, Long::sum);
    }
  }

  /** Comes about once a second. */
  private void flush() {
    long now = System.nanoTime();
    if (now - lastPrint < every.toNanos()) {
      return;
    }
    lastPrint = now;
    out.printf(Locale.ROOT, "%.1f s of CPU time, of which in native functions:%n", allNanos / 1e9);
    List<Map.Entry<String, Long>> rows =
        nanos.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(ROWS)
            .toList();
    for (Map.Entry<String, Long> row : rows) {
      out.printf(Locale.ROOT, "%6.1f %%  %s%n", 100.0 * row.getValue() / allNanos, row.getKey());
    }
    nanos.clear();
    allNanos = 0;
  }

  /** Keeps of the definitions what is needed for innermost frames. */
  private final class Taker implements Definitions {
    @Override
    public void frame(long id, long parentId, long methodId, int kind, int line, long offset) {
      methodOfFrame.put(id, methodId);
    }

    @Override
    public void method(
        long id,
        long libraryId,
        String className,
        String name,
        String descriptor,
        int modifiers,
        String sourceFile,
        long start) {
      functions.put(id, new Function(name, libraryId));
    }

    @Override
    public void library(
        long id,
        String path,
        String buildId,
        long start,
        long end,
        String unwindSource,
        String unwindReason,
        long functions,
        String symbolsFrom) {
      libraries.put(id, path.substring(path.lastIndexOf('/') + 1));
    }

    @Override
    public void thread(
        long key, long osThreadId, String name, long javaId, boolean virtual, long carrierId) {
      // Not needed.
    }

    @Override
    public void attributes(long id, int state, int end, long contextId, long ageNanos) {
      // Not needed.
    }
  }
}
