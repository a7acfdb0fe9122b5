package stackweave.jfr.export;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;

/**
 * Collapsed stacks, the format of stackcollapse scripts and flamegraph.pl of
 * github.com/brendangregg/FlameGraph, one line each, sorted: the thread's first frame first, {@code
 * ;} between frames, a space, the number of samples, or, if the agent skipped samples to save CPU
 * time, the number that the others stand for. For wall-clock time it is the nanoseconds, since
 * samples of waiting threads stand for times of any length; for events and memory it is their
 * number. A stack that does not reach the thread's first frame begins with {@code [truncated]} or
 * {@code [stopped: reason]}; with threads, {@code [thread name]} precedes it, with the name at that
 * time. In names {@code ;} is replaced by {@code ,} and control characters by a space.
 */
public final class CollapsedExport extends TextExport<SampledRecording> {

  /**
   * The options of the lines.
   *
   * @param threads whether each stack begins with its thread
   * @param total whether the number is nanoseconds instead of samples, as it always is for
   *     wall-clock time
   * @param names the form of frames' names
   */
  public record Options(boolean threads, boolean total, FrameNames names) {}

  private final Options options;
  private final Selection selection;

  /**
   * @param selection which samples are counted
   */
  public CollapsedExport(Options options, Selection selection) {
    this.options = options;
    this.selection = selection;
  }

  @Override
  public void writeText(SampledRecording recording, Appendable out)
      throws IOException, RecordingException {
    if (selection.equals(Selection.ALL)) {
      writeAll(recording, out); // without reading again
      return;
    }
    Lines lines = new Lines(recording);
    selection.forEachSum(recording, lines::add);
    lines.write(out);
  }

  /** Writes all samples of a profile, whatever the selection. */
  public void writeAll(Profile profile, Appendable out) throws IOException {
    Lines lines = new Lines(profile);
    profile.forEachStackSum((sum, series) -> lines.add(sum));
    lines.write(out);
  }

  static String clean(String name) {
    return Names.printable(name).replace(';', ',');
  }

  /** The lines of one profile. */
  private final class Lines {
    private final Map<String, Total> totals = new TreeMap<>();
    private final FrameCache<String> names = new FrameCache<>(frame -> clean(frame.text()));
    private final StringBuilder line = new StringBuilder();
    private final boolean thinned;
    private final long interval;
    private final boolean total;

    Lines(Profile profile) {
      total = options.total() || profile.choice().isByWeight();
      thinned = profile.figures().get(Counter.THINNED) > 0;
      interval = Math.max(1, profile.figures().get(Counter.INTERVAL));
    }

    void add(SampleSum sum) {
      List<SampledFrame> frames = sum.frames();
      line.setLength(0);
      if (options.threads()) {
        line.append('[').append(clean(sum.thread().text())).append("];");
      }
      String marker = Names.marker(sum.end(), frames.size());
      line.append(clean(marker)).append(marker.isEmpty() ? "" : ";");
      for (SampledFrame frame : frames) {
        String plain = names.get(frame);
        line.append(
                options.names().equals(FrameNames.PLAIN)
                    ? plain
                    : clean(options.names().of(frame, plain)))
            .append(';');
      }
      line.setLength(line.length() - 1);
      Total own = totals.computeIfAbsent(line.toString(), any -> new Total());
      own.count += sum.count();
      own.weightNanos += sum.weightNanos();
    }

    private long number(Total line) {
      if (total) {
        return line.weightNanos;
      }
      long standsFor = (line.weightNanos + interval / 2) / interval;
      return thinned ? Math.max(1, standsFor) : line.count;
    }

    void write(Appendable out) throws IOException {
      for (Map.Entry<String, Total> entry : totals.entrySet()) {
        out.append(entry.getKey()).append(' ');
        out.append(Long.toString(number(entry.getValue()))).append('\n');
      }
    }
  }

  /** The sum of a line. */
  private static final class Total {
    private long count;
    private long weightNanos;
  }
}
