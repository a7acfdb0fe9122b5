package stackweave.jfr.export;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import stackweave.jfr.export.thread.GroupName;
import stackweave.jfr.export.thread.ThreadGroups;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.StackEnd;

/**
 * Sums of a profile by function, library and thread. A function or library that is in a stack
 * several times counts once.
 */
final class ProfileSums {

  /** Samples and the ns that they stand for. */
  static final class Sum {
    private long samples;
    private long nanos;

    private void add(SampleSum sum) {
      samples += sum.count();
      nanos += sum.weightNanos();
    }

    /** Samples, or the ns that they stand for. */
    long value(boolean bySamples) {
      return bySamples ? samples : nanos;
    }
  }

  /**
   * The sums of one function, library or group of threads.
   *
   * @param self samples with its code innermost
   * @param total samples of all stacks that it is in
   */
  record Row(String name, Sum self, Sum total) {
    private Row(String name) {
      this(name, new Sum(), new Sum());
    }
  }

  private final Map<String, Row> functions = new HashMap<>();
  private final Map<String, Row> libraries = new HashMap<>();
  private final Map<GroupName, Sum> threads = new HashMap<>();

  /** Samples whose stack does not reach its thread's first frame. */
  final Sum cut = new Sum();

  private final FrameCache<String> texts = new FrameCache<>(SampledFrame::text);
  private final FrameCache<String> origins = new FrameCache<>(CodeOrigin::of);

  ProfileSums(Profile profile) {
    ThreadGroups groups = new ThreadGroups(profile);
    profile.forEachStackSum(
        (sum, series) -> {
          StackEnd end = sum.end();
          if (end.isRead() && !end.isComplete()) {
            cut.add(sum);
          }
          add(functions, texts, Names.marker(end, 0), sum);
          add(libraries, origins, CodeOrigin.UNKNOWN, sum);
          threads.computeIfAbsent(groups.add(sum), any -> new Sum()).add(sum);
        });
  }

  private static void add(
      Map<String, Row> rows, FrameCache<String> nameOf, String withoutFrames, SampleSum sum) {
    String innermost = withoutFrames;
    Set<String> names = new HashSet<>();
    for (SampledFrame frame : sum.frames()) {
      innermost = nameOf.get(frame);
      names.add(innermost);
    }
    names.add(innermost);
    names.forEach(name -> rows.computeIfAbsent(name, Row::new).total.add(sum));
    rows.get(innermost).self.add(sum);
  }

  List<Row> functions() {
    return List.copyOf(functions.values());
  }

  List<Row> libraries() {
    return List.copyOf(libraries.values());
  }

  /** Groups of threads, whose code is all their own. */
  List<Row> threads() {
    return threads.entrySet().stream()
        .map(each -> new Row(each.getKey().text(), each.getValue(), each.getValue()))
        .toList();
  }
}
