package stackweave.lab.matrix;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import stackweave.lab.matrix.LinkCheck.JavaMethod;
import stackweave.lab.matrix.LinkCheck.Verdict;
import stackweave.lab.matrix.Recorded.Method;
import stackweave.lab.matrix.Recorded.Phase;
import stackweave.lab.matrix.Recorded.Sample;
import stackweave.lab.recording.PlainDefinitions.Frame;

/**
 * Counts and checks the stacks of a recording: {@code ReportWriter RECORDING REPORT}. Runs on the
 * JDK under test, whose class files it needs.
 */
public final class ReportWriter {
  /** Names of frames that stand for others. */
  private static final Set<String> MARKS = Set.of("[missing frame]", "[stale code]");

  private static final int OUTERMOST = 5;
  private static final int MAX_SHOWN = 60;

  private final Recorded recorded;
  private final LinkCheck links = new LinkCheck();

  /** By id of the inner frame of a pair. */
  private final Map<Long, Verdict> verdicts = new HashMap<>();

  private final Map<String, Long> badPairs = new TreeMap<>();
  private final Map<String, Long> incomplete = new TreeMap<>();
  private final Map<String, Long> ways = new TreeMap<>();

  /** The stacks with a bad pair, and those that end early. */
  private final List<String> oddStacks = new ArrayList<>();

  private ReportWriter(Recorded recorded) {
    this.recorded = recorded;
  }

  public static void main(String[] args) throws IOException {
    Recorded recorded = Recorded.read(Path.of(args[0]));
    ReportWriter writer = new ReportWriter(recorded);
    writer.report().write(Path.of(args[1]));
    writer.oddStacks.forEach(System.out::println);
  }

  private RunReport report() {
    List<Figures> phases = new ArrayList<>();
    for (Phase phase : recorded.phases) {
      phases.add(
          statusOf(status -> phase.contains(status.at()))
              .plus(stacksOf(sample -> phase.contains(sample.at())), phase.name()));
    }
    badPairs.clear();
    incomplete.clear();
    ways.clear();
    oddStacks.clear();
    Figures whole = statusOf(status -> true).plus(stacksOf(sample -> true), Figures.WHOLE);
    return new RunReport(
        recorded.plain.jvm(),
        recorded.plain.engine(),
        recorded.intervalNanos(),
        phases,
        whole,
        badPairs,
        incomplete,
        ways,
        recorded.plain.note());
  }

  private Figures statusOf(Predicate<Recorded.Status> wanted) {
    return recorded.statuses.stream()
        .filter(wanted)
        .map(Recorded.Status::figures)
        .reduce(Figures.NONE, (a, b) -> a.plus(b, ""));
  }

  private Figures stacksOf(Predicate<Sample> wanted) {
    Map<Long, Map<Integer, Long>> stacks = new HashMap<>();
    List<Sample> samples = recorded.samples.stream().filter(wanted).toList();
    samples.forEach(
        sample ->
            stacks
                .computeIfAbsent(sample.stackId(), id -> new HashMap<>())
                .merge(sample.end(), 1L, Long::sum));
    long complete = 0;
    long marked = 0;
    long[] pairs = new long[Verdict.values().length];
    Map<String, Long> early = new TreeMap<>();
    for (Map.Entry<Long, Map<Integer, Long>> stack : stacks.entrySet()) {
      List<Long> chain = chain(stack.getKey());
      for (Map.Entry<Integer, Long> tally : stack.getValue().entrySet()) {
        long count = tally.getValue();
        marked += isMarked(chain) ? count : 0;
        countWays(chain, count);
        boolean isComplete = recorded.plain.isComplete(tally.getKey()) && isKnown(chain);
        complete += isComplete ? count : 0;
        if (!isComplete) {
          early.merge(recorded.plain.end(tally.getKey()), count, Long::sum);
          incomplete.merge(describe(tally.getKey(), chain), count, Long::sum);
        }
        if (!checkPairs(chain, count, pairs) || !isComplete) {
          oddStacks.add(count + " x " + recorded.plain.end(tally.getKey()) + innermost(chain));
        }
      }
    }
    return Figures.ofStacks(
        samples.size(),
        complete,
        early,
        pairs[Verdict.GOOD.ordinal()] + pairs[Verdict.BAD.ordinal()],
        pairs[Verdict.BAD.ordinal()],
        pairs[Verdict.UNCHECKED.ordinal()],
        marked);
  }

  /** Ids of the frames, the innermost first; the last is 0 if a frame is not in the recording. */
  private List<Long> chain(long stackId) {
    List<Long> chain = new ArrayList<>();
    for (long id = stackId; id != 0; id = recorded.frame(id).parentId()) {
      if (recorded.frame(id) == null) {
        chain.add(0L);
        break;
      }
      chain.add(id);
    }
    return chain;
  }

  private void countWays(List<Long> chain, long count) {
    for (long id : chain) {
      int found = id == 0 ? 0 : recorded.frame(id).found();
      if (found != 0) {
        ways.merge(recorded.plain.found(found), count, Long::sum);
      }
    }
  }

  private boolean isKnown(List<Long> chain) {
    return !chain.isEmpty() && chain.stream().allMatch(id -> id != 0 && method(id) != null);
  }

  private boolean isMarked(List<Long> chain) {
    return chain.stream()
        .map(this::method)
        .anyMatch(method -> method != null && MARKS.contains(method.name()));
  }

  private Method method(long id) {
    return id == 0 ? null : recorded.methods.get(recorded.frame(id).methodId());
  }

  /** False if one of them is bad. */
  private boolean checkPairs(List<Long> chain, long count, long[] pairs) {
    boolean good = true;
    for (int i = 0; i + 1 < chain.size(); i++) {
      Method callee = method(chain.get(i));
      Method caller = method(chain.get(i + 1));
      if (callee == null || caller == null || callee.java() == null || caller.java() == null) {
        continue;
      }
      Frame frame = recorded.frame(chain.get(i + 1));
      Verdict verdict =
          verdicts.computeIfAbsent(
              chain.get(i), id -> links.check(caller.java(), (int) frame.offset(), callee.java()));
      if (verdict == Verdict.BAD || !caller.equals(callee)) {
        pairs[verdict.ordinal()] += count; // recursion would be most of all pairs, and says little
      }
      if (verdict == Verdict.BAD) {
        good = false;
        badPairs.merge(describe(caller.java(), frame, callee.java(), chain, i), count, Long::sum);
      }
    }
    return good;
  }

  private String describe(
      JavaMethod caller, Frame frame, JavaMethod callee, List<Long> chain, int inner) {
    return "%s at %d (%s) calls %s, not %s (%s%s)"
        .formatted(
            caller,
            frame.offset(),
            recorded.kind(frame),
            links.calledBy(caller, (int) frame.offset()),
            callee,
            recorded.kind(recorded.frame(chain.get(inner))),
            inner == 0 ? ", innermost" : "");
  }

  /** The frames with the thread's last ones first, a line each. */
  private String innermost(List<Long> chain) {
    StringBuilder text = new StringBuilder();
    for (long id : chain.subList(0, Math.min(MAX_SHOWN, chain.size()))) {
      Method method = method(id);
      text.append("\n    ").append(method == null ? "not recorded" : method.name());
      if (method != null) {
        Frame frame = recorded.frame(id);
        text.append(" at ").append(frame.offset()).append(' ').append(recorded.kind(frame));
      }
    }
    return text.toString();
  }

  /** The end and the frames next to it, the outermost first. */
  private String describe(int end, List<Long> chain) {
    List<Long> outermost =
        new ArrayList<>(chain.subList(Math.max(0, chain.size() - OUTERMOST), chain.size()));
    Collections.reverse(outermost);
    StringBuilder text = new StringBuilder(recorded.plain.end(end)).append(", ");
    text.append(chain.size() > 20 ? "more than 20" : chain.size()).append(" frames: ");
    for (int i = 0; i < outermost.size(); i++) {
      Method method = method(outermost.get(i));
      text.append(i == 0 ? "" : " > ").append(method == null ? "not recorded" : method.name());
      if (method != null) {
        text.append(' ').append(recorded.kind(recorded.frame(outermost.get(i))));
      }
    }
    return text.toString();
  }
}
