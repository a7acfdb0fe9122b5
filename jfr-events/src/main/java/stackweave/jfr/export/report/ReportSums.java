package stackweave.jfr.export.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.export.FrameCategory;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.thread.CommonName;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.StackThread;

/** The sums of a recording that a report names, made in one pass over its distinct stacks. */
final class ReportSums {
  /** Samples and the CPU time that they stand for. */
  static final class Sum {
    /** Of a thread it is known when all sums are made. */
    String name;

    private long samples;
    private long nanos;
    private double squares;

    private Sum(String name) {
      this.name = name;
    }

    private void add(SampleSum sum) {
      samples += sum.count();
      nanos += sum.weightNanos();
      squares += sum.squares();
    }

    long samples() {
      return samples;
    }

    /** CPU time in ns. */
    long nanos() {
      return nanos;
    }
  }

  /** Sums by name. */
  static final class Sums {
    private final Map<String, Sum> byName = new HashMap<>();

    private void add(String name, SampleSum sum) {
      add(name, name, sum);
    }

    /**
     * Adds to the sum of a key.
     *
     * @param name what it is called; several may have one name
     */
    private Sum add(String key, String name, SampleSum sum) {
      Sum known = byName.computeIfAbsent(key, any -> new Sum(name));
      known.add(sum);
      return known;
    }

    Sum get(String name) {
      return byName.getOrDefault(name, new Sum(name));
    }

    /** Those of the most CPU time first. */
    List<Sum> sorted() {
      List<Sum> sorted = new ArrayList<>(byName.values());
      sorted.sort(
          Comparator.comparingLong((Sum sum) -> -sum.nanos)
              .thenComparingLong(sum -> -sum.samples)
              .thenComparing(sum -> sum.name));
      return sorted;
    }
  }

  private static final Pattern TRANSITION =
      Pattern.compile(
          "^(ThreadStateTransition|JNIHandles|SafepointMechanism|SafepointSynchronize::block)"
              + "|check_special_condition_for_native_trans");

  /** Groups of places. */
  final Sums groups = new Sums();

  /** Places by group. */
  final Map<String, Sums> places = new HashMap<>();

  /** Java callers by library: the innermost Java frame that is no native method. */
  final Map<String, Sums> callers = new HashMap<>();

  /** Samples of native methods: in the transition to native code, and in what they call. */
  final Sums transitions = new Sums();

  final Sums work = new Sums();

  /** Those on CPU by process and thread; without virtual threads that have no name. */
  final Sums threads = new Sums();

  private final Map<String, CommonName> threadNames = new HashMap<>();

  /** By end and library of the outermost frame. */
  final Sums incomplete = new Sums();

  /** Innermost in a function without symbol, by library. */
  final Sums nameless = new Sums();

  /** Stacks with a guessed frame, by the library that it called: the one without tables. */
  final Sums guessed = new Sums();

  /** Totals by function and by library, for comparisons. */
  final Sums functions = new Sums();

  final Sums libraries = new Sums();

  /** Without any frame. */
  final Sum frameless = new Sum("");

  final Map<String, SampledModule> modules = new HashMap<>();
  private final Sum all = new Sum("");

  private final boolean isCompared;

  /**
   * @param isCompared whether names are those of all runs
   */
  ReportSums(SampledRecording recording, boolean isCompared) {
    this.isCompared = isCompared;
    recording.forEachStackSum((sum, series) -> add(sum));
  }

  long samples() {
    return all.samples;
  }

  long nanos() {
    return all.nanos;
  }

  /** The share of a sum: of the samples, or of the time. */
  double share(Sum sum, boolean bySamples) {
    return bySamples ? (double) sum.samples / all.samples : (double) sum.nanos / all.nanos;
  }

  /** The number of samples that a share's interval follows from. */
  double effective(Sum sum, boolean bySamples) {
    return bySamples
        ? all.samples
        : Shares.effective(sum.nanos, sum.squares, all.nanos, all.squares);
  }

  /** The same of nothing in particular. */
  double effective(boolean bySamples) {
    return effective(new Sum(""), bySamples);
  }

  private void add(SampleSum sum) {
    all.add(sum);
    Place place = Place.of(sum);
    groups.add(place.group(), sum);
    places.computeIfAbsent(place.group(), key -> new Sums()).add(place.detail(), sum);
    List<SampledFrame> frames = sum.frames();
    if (place.group().equals(Place.LIBRARY) && place.javaAt() >= 0) {
      addCaller(place, sum);
    }
    addTransition(place, sum);
    addThread(place, sum);
    if (frames.isEmpty()) {
      frameless.add(sum);
    }
    if (!sum.end().isComplete()) {
      String at = frames.isEmpty() ? "no frame" : CodeOrigin.of(frames.get(0));
      incomplete.add(sum.end().label() + ", in " + at, sum);
    }
    if (!frames.isEmpty()) {
      SampledFrame innermost = frames.get(frames.size() - 1);
      if (Place.isLibrary(innermost) && FrameText.of(innermost).symbol().isEmpty()) {
        nameless.add(CodeOrigin.of(innermost), sum);
      }
    }
    addTotals(sum);
  }

  private void addThread(Place place, SampleSum sum) {
    StackThread thread = sum.thread();
    if (place.group().equals(Place.IDLE) || thread.isVirtual() && thread.name().isEmpty()) {
      return;
    }
    String key = sum.session().uuid() + " " + thread.identity();
    CommonName name = threadNames.computeIfAbsent(key, any -> new CommonName(thread.text()));
    name.add(thread.text());
    String id = thread.isVirtual() ? "" : " " + thread.osThreadId();
    threads.add(key, thread.text(), sum).name = name.text() + id;
  }

  private void addCaller(Place place, SampleSum sum) {
    int at = place.javaAt();
    Predicate<SampledFrame> isNative =
        frame -> FrameCategory.of(frame) == FrameCategory.NATIVE_METHOD;
    while (at > 0
        && isNative.test(sum.frames().get(at))
        && Place.isJava(sum.frames().get(at - 1))) {
      at--;
    }
    callers
        .computeIfAbsent(place.detail(), key -> new Sums())
        .add(sum.frames().get(at).text(), sum);
  }

  /**
   * The transition is the native method's own code with stubs, and what libjvm does to change the
   * thread's state or to keep handles. What else libjvm does for a native method is its work.
   */
  private void addTransition(Place place, SampleSum sum) {
    int at = place.javaAt();
    if (at < 0 || FrameCategory.of(sum.frames().get(at)) != FrameCategory.NATIVE_METHOD) {
      return;
    }
    boolean works = false;
    for (SampledFrame frame : sum.frames().subList(at + 1, sum.frames().size())) {
      boolean isJvm = FrameCategory.of(frame) == FrameCategory.JVM;
      if (isJvm && TRANSITION.matcher(FrameText.of(frame).symbol()).find()) {
        break;
      }
      works |= isJvm || Place.isLibrary(frame) || FrameCategory.of(frame) == FrameCategory.KERNEL;
    }
    (works ? work : transitions).add(sum.frames().get(at).text(), sum);
  }

  private void addTotals(SampleSum sum) {
    Set<String> seen = new HashSet<>();
    for (SampledFrame frame : sum.frames()) {
      String text = isCompared ? Names.ofAllRuns(frame.text()) : frame.text();
      String origin = CodeOrigin.of(frame);
      if (seen.add("f" + text)) {
        functions.add(text, sum);
      }
      if (seen.add("l" + origin)) {
        libraries.add(origin, sum);
      }
      if (frame.method().module() != null) {
        modules.putIfAbsent(origin, frame.method().module());
      }
    }
    Set<String> withGuess = new HashSet<>();
    for (int i = 1; i < sum.frames().size(); i++) {
      SampledFrame frame = sum.frames().get(i);
      if (sum.frames().get(i - 1).found().isGuess()
          && Place.isLibrary(frame)
          && withGuess.add(CodeOrigin.of(frame))) {
        guessed.add(CodeOrigin.of(frame), sum);
      }
    }
  }
}
