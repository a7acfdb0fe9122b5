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
 * would show each line as a function of its own. In memory are the samples ({@link TimedSamples}).
 */
public final class SpeedscopeExport extends TextExport {
  private static final String SCHEMA = "https://www.speedscope.app/file-format-schema.json";

  /** Frames of all stacks together: a file of 150 to 200 MB, which browsers still open. */
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
   * @param maxFrames that are not too many, for tests
   */
  SpeedscopeExport(String title, Selection selection, long maxFrames) {
    this.title = title;
    this.selection = selection;
    this.maxFrames = maxFrames;
  }

  @Override
  void writeText(SampledRecording recording, Appendable out)
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
    int[] depths = new int[samples.nodes()];
    for (int node = 0; node < depths.length; node++) {
      depths[node] = 1 + (samples.parent(node) < 0 ? 0 : depths[samples.parent(node)]);
    }
    long frames = 0;
    for (ThreadSamples thread : samples.threads()) {
      for (int i = 0; i < thread.samples.size(); i++) {
        frames += isLastOfEqual(thread, i) ? depths[thread.samples.get(i).stack()] : 0;
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

  /** As the format has it: it knows times and bytes, and everything else has no unit. */
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
    for (int i = 0; i < thread.samples.size(); i++) {
      if (isLastOfEqual(thread, i)) {
        stack(json, samples, thread.samples.get(i).stack());
      }
    }
    json.endArray();
    json.name("weights").beginArray();
    long weight = 0;
    for (int i = 0; i < thread.samples.size(); i++) {
      weight += thread.samples.get(i).weight();
      if (isLastOfEqual(thread, i)) {
        json.value(weight);
        weight = 0;
      }
    }
    json.endArray().endObject();
  }

  private static boolean isLastOfEqual(ThreadSamples thread, int i) {
    return i + 1 == thread.samples.size()
        || thread.samples.get(i + 1).stack() != thread.samples.get(i).stack();
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

  private static void stack(Json json, TimedSamples samples, int node) throws IOException {
    Deque<Integer> frames = new ArrayDeque<>();
    for (int at = node; at >= 0; at = samples.parent(at)) {
      frames.push(samples.place(at));
    }
    json.beginArray();
    for (int frame : frames) {
      json.value(frame);
    }
    json.endArray();
  }
}
