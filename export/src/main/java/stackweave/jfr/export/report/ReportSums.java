package stackweave.jfr.export.report;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.export.FrameCategory;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.thread.CommonName;
import stackweave.jfr.export.thread.ThreadKey;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.StackThread;

/** The sums of a profile that a report names, made in one pass over its distinct stacks. */
final class ReportSums {
  private static final Pattern TRANSITION =
      Pattern.compile(
          "^(ThreadStateTransition|JNIHandles|SafepointMechanism|SafepointSynchronize::block)"
              + "|check_special_condition_for_native_trans");

  /** Sums by group of places. */
  final Sums<String> groups = new Sums<>();

  /** Sums by place within each group. */
  final Map<String, Sums<String>> places = new HashMap<>();

  /** Java callers by library: the innermost outside of the JDK that is no native method. */
  final Map<String, Sums<String>> callers = new HashMap<>();

  /** Samples of native methods: in the transition to native code, and in their callees. */
  final Sums<String> transitions = new Sums<>();

  final Sums<String> work = new Sums<>();

  /** Samples on a CPU by process and thread; without virtual threads that have no name. */
  final Sums<ThreadKey> threads = new Sums<>();

  private final Map<ThreadKey, CommonName> threadNames = new HashMap<>();

  /** By end and library of the outermost frame. */
  final Sums<String> incomplete = new Sums<>();

  /** Samples whose innermost function has no symbol, by library. */
  final Sums<String> nameless = new Sums<>();

  /** Stacks with a guessed frame, by the library that it called: the one without tables. */
  final Sums<String> guessed = new Sums<>();

  /** Totals by function and by library, for comparisons. */
  final Sums<String> functions = new Sums<>();

  final Sums<String> libraries = new Sums<>();

  /** Without any frame. */
  final Sums.Sum frameless = new Sums.Sum("");

  final Map<String, SampledModule> modules = new HashMap<>();
  final Sums.Sum all = new Sums.Sum("");

  private final boolean isCompared;

  /**
   * @param isCompared whether parts of names that differ from run to run are removed
   */
  ReportSums(Profile profile, boolean isCompared) {
    this.isCompared = isCompared;
    profile.forEachStackSum((sum, series) -> add(sum));
  }

  /** The places of a group; none if it was not met. */
  Sums<String> placesOf(String group) {
    return places.getOrDefault(group, new Sums<>());
  }

  /** A sum's share of the time. */
  double share(Sums.Sum sum) {
    return all.nanos <= 0 ? 0 : (double) sum.nanos / all.nanos;
  }

  /** The number of samples from which a share's interval follows. */
  double effective(Sums.Sum sum) {
    return Shares.effective(sum.nanos, sum.squares, all.nanos, all.squares);
  }

  private void add(SampleSum sum) {
    all.add(sum);
    Place place = Place.of(sum);
    groups.of(place.group()).add(sum);
    places.computeIfAbsent(place.group(), key -> new Sums<>()).of(place.detail()).add(sum);
    List<SampledFrame> frames = sum.frames();
    if (place.group().equals(Place.LIBRARY) && place.javaAt() >= 0) {
      addCaller(place, sum);
    }
    addTransition(place, sum);
    addThread(place, sum);
    if (!sum.end().isComplete()) {
      String at = frames.isEmpty() ? "no frame" : CodeOrigin.of(frames.get(0));
      incomplete.of(sum.end().label() + ", in " + at).add(sum);
    }
    if (frames.isEmpty()) {
      frameless.add(sum);
    } else {
      SampledFrame innermost = frames.get(frames.size() - 1);
      if (Place.isLibrary(innermost) && FrameText.of(innermost).symbol().isEmpty()) {
        nameless.of(CodeOrigin.of(innermost)).add(sum);
      }
    }
    addTotals(sum);
  }

  private void addThread(Place place, SampleSum sum) {
    StackThread thread = sum.thread();
    if (place.group().equals(Place.IDLE) || thread.isVirtual() && thread.name().isEmpty()) {
      return;
    }
    ThreadKey key = ThreadKey.of(sum.session(), thread);
    CommonName name = threadNames.computeIfAbsent(key, any -> new CommonName(thread.text()));
    name.add(thread.text());
    Sums.Sum own = threads.of(key);
    own.add(sum);
    own.name = name.text() + (thread.isVirtual() ? "" : " " + thread.osThreadId());
  }

  private void addCaller(Place place, SampleSum sum) {
    int at = place.javaAt();
    while (at > 0
        && FrameCategory.of(sum.frames().get(at)) == FrameCategory.NATIVE_METHOD
        && CodeOrigin.isJava(sum.frames().get(at - 1))) {
      at--;
    }
    String caller = CodeOrigin.callerOutsideOfJdk(sum.frames().subList(0, at + 1));
    callers.computeIfAbsent(place.detail(), key -> new Sums<>()).of(caller).add(sum);
  }

  /**
   * The transition is the native method's own code with stubs, and what libjvm does to change the
   * thread's state or to keep handles. All else that libjvm does for a native method is work.
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
    (works ? work : transitions).of(sum.frames().get(at).text()).add(sum);
  }

  private void addTotals(SampleSum sum) {
    Set<String> seen = new HashSet<>();
    for (SampledFrame frame : sum.frames()) {
      String text = isCompared ? Names.ofAllRuns(frame.text()) : frame.text();
      String origin = CodeOrigin.of(frame);
      if (seen.add("f" + text)) {
        functions.of(text).add(sum);
      }
      if (seen.add("l" + origin)) {
        libraries.of(origin).add(sum);
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
        guessed.of(CodeOrigin.of(frame)).add(sum);
      }
    }
  }
}
