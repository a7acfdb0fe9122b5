package stackweave.jfr.export;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;

/**
 * Collapsed stacks, the format of flame graph tools, one line each, sorted: the thread's first
 * frame first, {@code ;} between frames, a space, the number of samples, or, if the agent skipped
 * samples to save CPU time, the number that those taken stand for. A stack that does not reach the
 * thread's first frame begins with {@code [truncated]} or {@code [stopped: reason]}; with threads,
 * {@code [thread name]} comes before. In names {@code ;} is replaced by {@code ,} and control
 * characters by a space.
 */
public final class CollapsedExport extends TextExport {
  private final boolean threads;

  /**
   * @param threads whether each stack begins with its thread
   */
  public CollapsedExport(boolean threads) {
    this.threads = threads;
  }

  @Override
  void writeText(SampledRecording recording, Appendable out) throws IOException {
    Map<String, Long> counts = new LinkedHashMap<>();
    FrameCache<String> names = new FrameCache<>(frame -> clean(frame.text()));
    StringBuilder line = new StringBuilder();
    boolean thinned = recording.figures().get(Counter.THINNED) > 0;
    long interval = Math.max(1, recording.figures().get(Counter.INTERVAL));
    recording.forEachStack(
        (thread, end, frames, count, weightNanos) -> {
          line.setLength(0);
          if (threads) {
            line.append('[').append(clean(thread.text())).append("];");
          }
          end.marker(frames.size()).ifPresent(marker -> line.append(clean(marker)).append(';'));
          for (SampledFrame frame : frames) {
            line.append(names.get(frame)).append(';');
          }
          if (line.length() == 0) {
            line.append("[no frames];");
          }
          line.setLength(line.length() - 1);
          long standsFor = (weightNanos + interval / 2) / interval;
          counts.merge(line.toString(), thinned ? Math.max(1, standsFor) : count, Long::sum);
        });
    List<String> lines = new ArrayList<>(counts.keySet());
    lines.sort(null);
    for (String stack : lines) {
      out.append(stack).append(' ').append(Long.toString(counts.get(stack))).append('\n');
    }
  }

  private static String clean(String name) {
    return Names.printable(name).replace(';', ',');
  }
}
