package stackweave.lab.zoo;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import stackweave.lab.zoo.Stack.Frame;
import stackweave.lab.zoo.Stack.Kind;
import stackweave.lab.zoo.Stack.Outcome;

/** Counts of one category's stacks, whoever sampled them. */
final class Tally {
  private static final int SHOWN = 4;

  /** Of one thread. */
  private static final class OfThread {
    long samples;
    long complete;
  }

  private final ChainJudge judge;
  private final Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
  private final Map<Outcome, Long> falseChains = new EnumMap<>(Outcome.class);
  private final Map<String, OfThread> threads = new TreeMap<>();
  private final Map<Stack, Optional<String>> judged = new IdentityHashMap<>();

  /** Stacks that end early, by end; what is false, with examples; both by how often. */
  final Map<String, Long> ends = new TreeMap<>();

  final Map<String, Long> early = new HashMap<>();
  final Map<String, Long> faults = new HashMap<>();

  /** Frames of native code, and their callers, by how they were found. */
  final Map<String, Long> found = new TreeMap<>();

  long samples;

  /** Stacks whose innermost Java frame is a native method of a library. */
  long inNativeMethods;

  /** Those that have the method's JNI function as well. */
  long withJniFunction;

  /** Those that may rightly lack it: by a tail call, or for its library registers functions. */
  long excused;

  Tally(Category category, Predicate<String> tailCalling) {
    this.judge = new ChainJudge(category, tailCalling);
  }

  void add(List<Stack> stacks) {
    stacks.forEach(this::add);
  }

  private void add(Stack stack) {
    samples++;
    outcomes.merge(stack.outcome(), 1L, Long::sum);
    OfThread thread = threads.computeIfAbsent(stack.thread(), name -> new OfThread());
    thread.samples++;
    if (stack.outcome() == Outcome.COMPLETE || stack.outcome() == Outcome.GUESSED) {
      thread.complete++;
      judged
          .computeIfAbsent(stack, judge::fault)
          .ifPresent(
              fault -> {
                falseChains.merge(stack.outcome(), 1L, Long::sum);
                faults.merge(fault + ", as in " + stack.innermost(SHOWN), 1L, Long::sum);
              });
    }
    if (stack.outcome() == Outcome.EARLY) {
      ends.merge(stack.end(), 1L, Long::sum);
      early.merge(stack.innermost(SHOWN), 1L, Long::sum);
    }
    countNativeCall(stack.frames());
    for (Frame frame : stack.frames()) {
      if (frame.kind() == Kind.NATIVE || frame.found() != Found.TABLES) {
        found.merge(frame.found().label(), 1L, Long::sum);
      }
    }
  }

  private void countNativeCall(List<Frame> frames) {
    for (int i = 0; i < frames.size(); i++) {
      Frame frame = frames.get(i);
      if (frame.kind() == Kind.JAVA) {
        if (frame.isNative() && !isOfJdk(frame)) {
          inNativeMethods++;
          if (ChainJudge.hasJniFunction(frames, i)) {
            withJniFunction++;
          } else if (judge.mayTailCall(frame)
              || i > 0 && ChainJudge.isRegistered(frames.get(i - 1))) {
            excused++;
          }
        }
        return;
      }
    }
  }

  /** Many of the JDK's own native methods are intrinsics, or functions of libjvm. */
  private static boolean isOfJdk(Frame method) {
    return method.className().matches("(java|jdk|sun)[.].*");
  }

  long of(Outcome outcome) {
    return outcomes.getOrDefault(outcome, 0L);
  }

  long falseOf(Outcome outcome) {
    return falseChains.getOrDefault(outcome, 0L);
  }

  /** The lowest share of stacks of a thread that are complete or complete with guesses. */
  String lowestThread() {
    return threads.entrySet().stream()
        .min((a, b) -> Double.compare(share(a.getValue()), share(b.getValue())))
        .map(thread -> "%s %.2f %%".formatted(thread.getKey(), 100 * share(thread.getValue())))
        .orElse("");
  }

  private static double share(OfThread thread) {
    return (double) thread.complete / thread.samples;
  }
}
