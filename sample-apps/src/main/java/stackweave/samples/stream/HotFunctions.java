package stackweave.samples.stream;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import stackweave.jfr.read.block.BlockPieces;
import stackweave.jfr.read.block.DefinitionReceiver;

/**
 * Prints every few seconds in which native functions CPU time was spent. Takes the events of a
 * {@code RecordingStream} or {@code RemoteRecordingStream}, which must not be ordered: by time, a
 * sample is older than the definitions it needs. JFR writes a thread's buffers in any order, so
 * samples wait for their definitions. What it keeps grows with the code that was met, not with
 * time. All on the stream's thread.
 */
public final class HotFunctions {
  private static final int ROWS = 10;

  /** A native function, or what stands for a frame that is none. */
  private record Function(String name, long libraryId) {}

  private record Sample(long weight, long stackId) {}

  private final Duration every;
  private final PrintStream out;
  private final BlockPieces blocks = new BlockPieces();
  private List<Sample> waiting = new ArrayList<>();
  private List<Sample> waitingSinceLastFlush = new ArrayList<>();
  private final Map<Long, Long> methodOfFrame = new HashMap<>();
  private final Map<Long, Function> functions = new HashMap<>();
  private final Map<Long, String> libraries = new HashMap<>();
  private final Map<Function, Long> nanos = new HashMap<>();
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
    stream.onEvent("stackweave.Definitions", hot::definitions);
    stream.onEvent("stackweave.StackSample", hot::sample);
    stream.onFlush(hot::flush);
    stream.onError(Throwable::printStackTrace);
  }

  private void definitions(RecordedEvent event) {
    try {
      blocks.add(event, new Taker());
    } catch (IOException e) {
      out.println("definitions that can't be read: " + e.getMessage());
    }
  }

  private void sample(RecordedEvent event) {
    waiting.add(new Sample(event.getLong("weight"), event.getLong("stackId")));
  }

  /** What a flush has not brought comes with the next one, if it comes at all. */
  private void count() {
    waitingSinceLastFlush.forEach(this::count);
    waitingSinceLastFlush = new ArrayList<>();
    for (Sample sample : waiting) {
      if (functions.containsKey(methodOfFrame.get(sample.stackId()))) {
        count(sample);
      } else {
        waitingSinceLastFlush.add(sample);
      }
    }
    waiting = new ArrayList<>();
  }

  private void count(Sample sample) {
    allNanos += sample.weight();
    Function function = functions.get(methodOfFrame.get(sample.stackId()));
    if (function != null && function.libraryId() != 0) {
      nanos.merge(function, sample.weight(), Long::sum);
    }
  }

  /** Comes about once a second. */
  private void flush() {
    count();
    long now = System.nanoTime();
    if (now - lastPrint < every.toNanos()) {
      return;
    }
    lastPrint = now;
    out.printf(Locale.ROOT, "%.1f s of CPU time, of which in native functions:%n", allNanos / 1e9);
    Map<String, Long> sums = new HashMap<>();
    nanos.forEach((function, sum) -> sums.merge(text(function), sum, Long::sum));
    List<Map.Entry<String, Long>> rows =
        sums.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(ROWS)
            .toList();
    for (Map.Entry<String, Long> row : rows) {
      out.printf(Locale.ROOT, "%6.1f %%  %s%n", 100.0 * row.getValue() / allNanos, row.getKey());
    }
    nanos.clear();
    allNanos = 0;
  }

  private String text(Function function) {
    return function.name() + " [" + libraries.getOrDefault(function.libraryId(), "?") + "]";
  }

  /** Keeps of the definitions what is needed for innermost frames. */
  private final class Taker implements DefinitionReceiver {
    @Override
    public void frame(
        long id, long parentId, long methodId, int kind, int line, long offset, int found) {
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
