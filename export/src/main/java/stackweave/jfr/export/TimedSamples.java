package stackweave.jfr.export;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.export.thread.CommonName;
import stackweave.jfr.export.thread.ThreadKey;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.unwind.hash.LongIndex;

/**
 * The selected samples of each thread in the order of time, for formats that have one entry for
 * each sample. Holds some 50 bytes for each, and the tree of their stacks; recordings of more than
 * {@link #MAX_SAMPLES} are refused. Not thread-safe.
 */
final class TimedSamples {
  /** As many as viewers in a browser can hold; they take up to 200 MB here. */
  static final int MAX_SAMPLES = 4_000_000;

  /**
   * A frame as it is shown.
   *
   * @param text the text in all exports
   * @param frame the first frame that is shown so; null for a marker
   */
  record Place(String text, SampledFrame frame) {}

  private record PlaceKey(String text, int line) {}

  /**
   * A sample.
   *
   * @param nanos when it was taken, in ns since 1970
   * @param stack a node of the tree
   * @param weight time in ns, or a number of events
   * @param isOfCpu whether the weight is CPU time
   */
  record Taken(long nanos, int stack, long weight, boolean isOfCpu) {}

  /** The samples of a thread. */
  static final class ThreadSamples {
    final SessionFacts session;
    final StackThread thread;

    /** In the order of time. */
    final List<Taken> samples = new ArrayList<>();

    private final CommonName name;

    private ThreadSamples(SessionFacts session, StackThread thread) {
      this.session = session;
      this.thread = thread;
      this.name = new CommonName(thread.text());
    }

    /** Its name, or the common beginning of all its names. */
    String name() {
      return Names.printable(name.text());
    }
  }

  /** A thread of a process, by its identity. */
  private final Map<ThreadKey, ThreadSamples> threads = new LinkedHashMap<>();

  private long samples;

  private final boolean hasLines;
  private final Index<PlaceKey> placeKeys = new Index<>(0);

  private final List<Place> places = new ArrayList<>();
  private final FrameCache<String> texts = new FrameCache<>(frame -> Names.printable(frame.text()));

  /** Nodes by parent + 1 and place, both int; a parent's number is lower than its children's. */
  private final LongIndex nodes = new LongIndex();

  /** Stacks by marker and innermost frame: a recording has one frame object per node. */
  private final Map<String, Map<SampledFrame, Integer>> known = new HashMap<>();

  /**
   * Reads the samples.
   *
   * @param hasLines whether frames that differ in their line are different places
   * @throws RecordingException if they are too many; one line for users
   */
  TimedSamples(SampledRecording recording, Selection selection, boolean hasLines)
      throws RecordingException {
    this(recording, selection, hasLines, MAX_SAMPLES);
  }

  /**
   * @param most the limit, for tests
   */
  TimedSamples(SampledRecording recording, Selection selection, boolean hasLines, int most)
      throws RecordingException {
    this.hasLines = hasLines;
    selection.forEachSample(
        recording,
        sample -> {
          if (++samples <= most) {
            add(sample);
          }
        });
    if (samples > most) {
      throw new RecordingException(
          Texts.of(
              "%,d samples are more than the %,d that this format is written with: choose a part"
                  + " with --from and --to, or another format",
              samples, most));
    }
    // They are nearly sorted, as the file is.
    Comparator<Taken> byTime = Comparator.comparingLong(Taken::nanos);
    threads.values().forEach(thread -> thread.samples.sort(byTime));
  }

  private void add(Sample sample) {
    StackThread thread = sample.thread();
    ThreadSamples samplesOf =
        threads.computeIfAbsent(
            ThreadKey.of(sample.session(), thread),
            key -> new ThreadSamples(sample.session(), thread));
    samplesOf.name.add(thread.text());
    samplesOf.samples.add(
        new Taken(
            Texts.nanos(sample.time()),
            stack(sample),
            sample.weightNanos(),
            sample.kind() == SampleKind.CPU));
  }

  private int stack(Sample sample) {
    List<SampledFrame> frames = sample.frames();
    String marker = Names.marker(sample.end(), frames.size());
    if (frames.isEmpty()) {
      return node(-1, place(Names.printable(marker), null));
    }
    SampledFrame innermost = frames.get(frames.size() - 1);
    // All lost frames are replaced by the same frame object.
    boolean isOwn = !innermost.kind().equals(SampledFrame.MARKER);
    Map<SampledFrame, Integer> stacks = known.computeIfAbsent(marker, m -> new IdentityHashMap<>());
    Integer stack = isOwn ? stacks.get(innermost) : null;
    if (stack == null) {
      int node = marker.isEmpty() ? -1 : node(-1, place(Names.printable(marker), null));
      for (SampledFrame frame : frames) {
        node = node(node, place(texts.get(frame), frame));
      }
      stack = node;
      if (isOwn) {
        stacks.put(innermost, stack);
      }
    }
    return stack;
  }

  private int place(String text, SampledFrame frame) {
    int place = placeKeys.of(new PlaceKey(text, frame != null && hasLines ? frame.line() : 0));
    if (place == places.size()) {
      places.add(new Place(text, frame));
    }
    return place;
  }

  private int node(int parent, int place) {
    return nodes.add((long) (parent + 1) << 32 | place);
  }

  /** The threads, in the order of their first sample in the file. */
  Iterable<ThreadSamples> threads() {
    return threads.values();
  }

  /** The places by the indices in nodes. */
  List<Place> places() {
    return places;
  }

  int nodes() {
    return nodes.count();
  }

  /** The caller's node, which has a lower number; -1 for the thread's first frame. */
  int parent(int node) {
    return (int) (nodes.key(node) >>> 32) - 1;
  }

  int place(int node) {
    return (int) nodes.key(node);
  }
}
