package stackweave.jfr.export;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import stackweave.jfr.export.thread.CommonName;
import stackweave.jfr.export.thread.ThreadKey;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.status.Counter;

/**
 * Collapsed stacks, the format of stackcollapse scripts and flamegraph.pl of
 * github.com/brendangregg/FlameGraph, one line each, sorted: the thread's first frame first, {@code
 * ;} between frames, a space, the number of samples, or, if the agent skipped samples to save CPU
 * time, the number that those taken stand for. Of wall-clock time it is the nanoseconds, of events
 * and memory their number: samples of waiting threads stand for times of any length. A stack that
 * does not reach the thread's first frame begins with {@code [truncated]} or {@code [stopped:
 * reason]}; with threads, {@code [thread name]} comes before, the name at that time, or of a thread
 * with more than eight names what they begin with. In names {@code ;} is replaced by {@code ,} and
 * control characters by a space.
 */
public final class CollapsedExport extends TextExport {

  /**
   * The options of the lines.
   *
   * @param threads whether each stack begins with its thread
   * @param total whether the number is that of the nanoseconds instead of the samples, as it always
   *     is of wall-clock time
   * @param names how frames are called
   */
  public record Options(boolean threads, boolean total, FrameNames names) {}

  /** A thread with more names has one row, under what they begin with. */
  private static final int FEW_NAMES = 8;

  private final Options options;
  private final Selection selection;

  /**
   * All samples, with plain names.
   *
   * @param threads whether each stack begins with its thread
   */
  public CollapsedExport(boolean threads) {
    this(new Options(threads, false, FrameNames.PLAIN), Selection.ALL);
  }

  /**
   * @param selection which samples are counted
   */
  public CollapsedExport(Options options, Selection selection) {
    this.options = options;
    this.selection = selection;
  }

  @Override
  void writeText(SampledRecording recording, Appendable out)
      throws IOException, RecordingException {
    Lines lines = new Lines(recording);
    if (selection.equals(Selection.ALL)) {
      recording.forEachStackSum((sum, series) -> lines.add(sum)); // without reading again
    } else {
      selection.forEachSum(recording, lines::add);
    }
    lines.write(out);
  }

  static String clean(String name) {
    return Names.printable(name).replace(';', ',');
  }

  /** The lines of one recording. */
  private final class Lines {
    private final Map<Stack, Total> totals = new HashMap<>();

    private final Map<ThreadKey, ThreadName> threads = new HashMap<>();

    private final FrameCache<String> names = new FrameCache<>(frame -> clean(frame.text()));
    private final StringBuilder line = new StringBuilder();
    private final boolean thinned;
    private final long interval;
    private final boolean total;

    Lines(SampledRecording recording) {
      total = options.total() || recording.choice().isByWeight();
      thinned = recording.figures().get(Counter.THINNED) > 0;
      interval = Math.max(1, recording.figures().get(Counter.INTERVAL));
    }

    void add(SampleSum sum) {
      StackThread thread = sum.thread();
      StackEnd end = sum.end();
      List<SampledFrame> frames = sum.frames();
      line.setLength(0);
      end.marker(frames.size()).ifPresent(marker -> line.append(clean(marker)).append(';'));
      for (SampledFrame frame : frames) {
        String plain = names.get(frame);
        line.append(
                options.names().equals(FrameNames.PLAIN)
                    ? plain
                    : clean(options.names().of(frame, plain)))
            .append(';');
      }
      if (frames.isEmpty() && end.isComplete()) {
        line.append(Names.NO_FRAMES).append(';');
      }
      line.setLength(line.length() - 1);
      String name = options.threads() ? thread.text() : "";
      ThreadName threadName = null;
      if (options.threads() && !thread.isVirtual()) {
        ThreadKey key = ThreadKey.of(sum.session(), thread);
        threadName = threads.computeIfAbsent(key, any -> new ThreadName(name));
        threadName.add(name);
      }
      Stack stack = new Stack(threadName, name, line.toString());
      totals.computeIfAbsent(stack, any -> new Total()).add(sum.count(), sum.weightNanos());
    }

    private long number(Total line) {
      if (total) {
        return line.weightNanos;
      }
      long standsFor = (line.weightNanos + interval / 2) / interval;
      return thinned ? Math.max(1, standsFor) : line.count;
    }

    void write(Appendable out) throws IOException {
      Map<String, Total> lines = new TreeMap<>();
      totals.forEach((stack, of) -> lines.computeIfAbsent(text(stack), any -> new Total()).add(of));
      for (Map.Entry<String, Total> entry : lines.entrySet()) {
        out.append(entry.getKey()).append(' ');
        out.append(Long.toString(number(entry.getValue()))).append('\n');
      }
    }

    private String text(Stack stack) {
      if (!options.threads()) {
        return stack.frames();
      }
      String name = stack.thread() == null ? stack.name() : stack.thread().text(stack.name());
      return "[" + clean(name) + "];" + stack.frames();
    }
  }

  /**
   * A line to be.
   *
   * @param thread null for a virtual thread, and without threads
   * @param name the thread's at that time
   */
  private record Stack(ThreadName thread, String name, String frames) {}

  /** What a line, or a part of it, stands for. */
  private static final class Total {
    private long count;
    private long weightNanos;

    void add(long more, long moreNanos) {
      count += more;
      weightNanos += moreNanos;
    }

    void add(Total other) {
      add(other.count, other.weightNanos);
    }
  }

  /** What a thread was called. */
  private static final class ThreadName {
    private final Set<String> names = new HashSet<>();
    private final CommonName common;

    ThreadName(String name) {
      common = new CommonName(name);
    }

    void add(String name) {
      common.add(name);
      if (names.size() <= FEW_NAMES) {
        names.add(name);
      }
    }

    /** The name, or what all begin with if there are many. */
    String text(String name) {
      return names.size() <= FEW_NAMES ? name : common.text();
    }
  }
}
