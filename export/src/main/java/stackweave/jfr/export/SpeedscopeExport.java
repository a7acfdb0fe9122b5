package stackweave.jfr.export;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import stackweave.jfr.export.TimedSamples.ThreadSamples;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.StackThread;

/**
 * A file for speedscope: {@code https://www.speedscope.app/file-format-schema.json}. Each thread is
 * a sampled profile, weighted by the CPU time, or the wall-clock time, in nanoseconds, in the order
 * of time; neighbours with equal stacks are one. Frames are functions, without lines: speedscope
 * would show each line as a function of its own. Holds the samples in memory ({@link
 * TimedSamples}).
 */
public final class SpeedscopeExport extends TextExport<SampledRecording> {
  private static final String SCHEMA = "https://www.speedscope.app/file-format-schema.json";

  /** Most frames of all stacks together: a file of 150 to 200 MB, which browsers still open. */
  static final long MAX_FRAMES = 30_000_000;

  private final String title;
  private final Selection selection;
  private final long maxFrames;

  /**
   * @param title the name of the file, such as the recording's
   * @param selection which samples are in it
   */
  public SpeedscopeExport(String title, Selection selection) {
    this(title, selection, MAX_FRAMES);
  }

  /**
   * @param maxFrames the limit, for tests
   */
  SpeedscopeExport(String title, Selection selection, long maxFrames) {
    this.title = title;
    this.selection = selection;
    this.maxFrames = maxFrames;
  }

  @Override
  public void writeText(SampledRecording recording, Appendable out)
      throws IOException, RecordingException {
    TimedSamples samples = new TimedSamples(recording, selection, false);
    mustNotBeTooLarge(samples);
    boolean severalProcesses = recording.sessions().size() > 1;
    Json json = new Json(out);
    json.beginObject();
    json.field("$schema", SCHEMA);
    json.field("exporter", "stackweave");
    json.field("name", Names.printable(title));
    json.field("activeProfileIndex", busiest(samples));
    json.name("shared").beginObject().name("frames").beginArray();
    for (TimedSamples.Place place : samples.places()) {
      json.beginObject().field("name", place.text());
      if (place.frame() != null && !place.frame().method().sourceFile().isEmpty()) {
        json.field("file", Names.printable(place.frame().method().sourceFile()));
      }
      json.endObject();
    }
    json.endArray().endObject();
    json.name("profiles").beginArray();
    for (ThreadSamples thread : samples.threads()) {
      profile(json, samples, thread, unit(recording), severalProcesses);
    }
    json.endArray().endObject();
  }

  private void mustNotBeTooLarge(TimedSamples samples) throws RecordingException {
    long frames = 0;
    for (ThreadSamples thread : samples.threads()) {
      for (Run run : runs(thread)) {
        frames += stack(samples, run.stack).size();
      }
    }
    if (frames > maxFrames) {
      throw new RecordingException(
          Texts.of(
              "its stacks have %,d frames, and the file would have each: more than %,d are too many"
                  + " for a browser; choose a part with --from and --to, or another format",
              frames, maxFrames));
    }
  }

  /** The index of the thread with the most time, which is shown first. */
  private static int busiest(TimedSamples samples) {
    List<Long> nanos = new ArrayList<>();
    samples.threads().forEach(thread -> nanos.add(nanos(thread)));
    return nanos.indexOf(Collections.max(nanos));
  }

  private static long nanos(ThreadSamples thread) {
    return thread.samples.stream().mapToLong(TimedSamples.Taken::weight).sum();
  }

  /** The unit as the format knows it: it has units of time and bytes only. */
  private static String unit(SampledRecording recording) {
    return switch (recording.choice().unit()) {
      case NANOSECONDS -> "nanoseconds";
      case EVENTS -> "none";
      case BYTES -> "bytes";
    };
  }

  private static void profile(
      Json json, TimedSamples samples, ThreadSamples thread, String unit, boolean severalProcesses)
      throws IOException {
    json.beginObject();
    json.field("type", "sampled");
    String process = severalProcesses ? thread.session.pid() + " " : "";
    json.field("name", process + name(thread));
    json.field("unit", unit);
    json.field("startValue", 0);
    json.field("endValue", nanos(thread));
    json.name("samples").beginArray();
    List<Run> runs = runs(thread);
    for (Run run : runs) {
      json.value(stack(samples, run.stack));
    }
    json.endArray();
    json.array("weights", runs.size(), i -> runs.get(i).weight);
    json.endObject();
  }

  /** Consecutive samples of a thread with the same stack. */
  private static final class Run {
    private final int stack;
    private long weight;

    Run(int stack) {
      this.stack = stack;
    }
  }

  private static List<Run> runs(ThreadSamples thread) {
    List<Run> runs = new ArrayList<>();
    for (TimedSamples.Taken taken : thread.samples) {
      if (runs.isEmpty() || runs.get(runs.size() - 1).stack != taken.stack()) {
        runs.add(new Run(taken.stack()));
      }
      runs.get(runs.size() - 1).weight += taken.weight();
    }
    return runs;
  }

  /** Two threads may have one name. */
  private static String name(ThreadSamples samples) {
    StackThread thread = samples.thread;
    if (thread.name().isEmpty()) {
      return samples.name();
    }
    long id = thread.isVirtual() ? thread.javaId() : thread.osThreadId();
    String kind = thread.isVirtual() ? " (virtual " : " (tid ";
    return id == 0 ? samples.name() : samples.name() + kind + id + ")";
  }

  /** Places from the thread's first frame on. */
  private static Deque<Integer> stack(TimedSamples samples, int node) {
    Deque<Integer> places = new ArrayDeque<>();
    for (int at = node; at >= 0; at = samples.parent(at)) {
      places.push(samples.place(at));
    }
    return places;
  }
}
