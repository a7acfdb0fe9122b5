package stackweave.agent.drain;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;

/**
 * Tells wrong names from right ones by the names alone: who may call whom in {@link ChurnGGGGGG},
 * and which generation ran at the time. Knows nothing of how frames are decoded.
 */
final class ChurnCheck {
  private static final Pattern GENERATION =
      Pattern.compile(
          Pattern.quote(ChurnGGGGGG.class.getName()).replace(ChurnLoader.PATTERN, "\\E(\\d+)\\Q"));
  private static final int LAST = 5;
  private static final int MAX_KEPT = 20;

  private final HotSpotMethods methods;
  final List<String> wrong = new ArrayList<>();
  long wrongCount;
  private volatile long pairs;
  long unknown;
  long frames;

  ChurnCheck(HotSpotMethods methods) {
    this.methods = methods;
  }

  /** Pairs of frames of which at least one says who the other must be; any thread. */
  long pairs() {
    return pairs;
  }

  void check(FrameBuffer stack, ChurnWorker worker, long timeNanos) {
    for (int i = 0; i < stack.count(); i++) {
      HotSpotMethod method = method(stack, i);
      if (method == null) {
        unknown += stack.kind(i) == FrameKind.UNKNOWN ? 1 : 0;
        continue;
      }
      unknown += method.name().startsWith("[") ? 1 : 0;
      frames++;
      checkTime(stack, i, worker, timeNanos);
      HotSpotMethod caller = i + 1 < stack.count() ? method(stack, i + 1) : null;
      if (caller != null && !method.isStub() && !caller.isStub()) {
        checkPair(stack, i, method, caller);
      }
    }
  }

  private HotSpotMethod method(FrameBuffer stack, int i) {
    return stack.method(i) == FrameBuffer.NO_METHOD ? null : methods.get(stack.method(i));
  }

  private void checkTime(FrameBuffer stack, int i, ChurnWorker worker, long timeNanos) {
    HotSpotMethod method = method(stack, i);
    int generation = generation(method);
    if (isCertain(stack, i) && generation > 0 && !worker.ran(generation, timeNanos)) {
      wrong(describe(stack, i) + " did not run then: " + worker.around(generation, timeNanos));
    }
  }

  /**
   * Whether the frame's own generation must be the one that runs. Not so where code is interrupted
   * between two inlined methods: HotSpot's debug information knows only the next one, which may be
   * on the branch that is not taken. Nor at a method's entry, before its first bytecode: a call
   * that remembers the last receiver's class comes to that class's code first, which sends it on.
   */
  private static boolean isCertain(FrameBuffer stack, int i) {
    return !stack.isInterrupted(i)
        || stack.kind(i) != FrameKind.INLINED && stack.bci(i) != FrameBuffer.UNKNOWN;
  }

  private String describe(FrameBuffer stack, int i) {
    StringBuilder text = new StringBuilder();
    for (int k = Math.max(0, i - 1); k < Math.min(stack.count(), i + 3); k++) {
      HotSpotMethod method = method(stack, k);
      text.append(k == i ? " > " : " ")
          .append(stack.kind(k))
          .append(stack.isInterrupted(k) ? "! " : " ")
          .append(method == null ? "native" : signature(method))
          .append('@')
          .append(stack.bci(k));
    }
    return text.toString();
  }

  private void checkPair(FrameBuffer stack, int i, HotSpotMethod callee, HotSpotMethod caller) {
    String called = called(caller);
    String calling = calling(callee);
    if (called != null || calling != null) {
      pairs = pairs + 1;
      boolean fits =
          (called == null || called.equals(signature(callee)))
              && (calling == null || calling.equals(signature(caller)));
      if (!fits) {
        wrong(describe(stack, i) + " do not call each other");
      }
    }
  }

  private static String signature(HotSpotMethod method) {
    return method.className() + "." + method.name();
  }

  /** The one method that a method calls; null if it may be any. */
  private static String called(HotSpotMethod caller) {
    int generation = generation(caller);
    if (generation == 0) {
      return null;
    }
    String number = ChurnLoader.number(generation);
    if (caller.name().equals("applyAsInt")) {
      return caller.className() + ".m" + number + 0;
    }
    if (!caller.name().startsWith("m" + number)) {
      return null;
    }
    int place = caller.name().charAt(caller.name().length() - 1) - '0';
    return place == LAST
        ? ChurnBase.class.getName() + ".step"
        : caller.className() + ".m" + number + (place + 1);
  }

  /** The one method that calls a method; null if it may be any. */
  private static String calling(HotSpotMethod callee) {
    int generation = generation(callee);
    if (generation == 0 || callee.name().equals("<init>")) {
      return null;
    }
    if (callee.name().equals("leaf")) {
      return ChurnBase.class.getName() + ".step";
    }
    if (callee.name().equals("applyAsInt")) {
      return ChurnWorker.class.getName() + ".run";
    }
    int place = callee.name().charAt(callee.name().length() - 1) - '0';
    return place == 0
        ? callee.className() + ".applyAsInt"
        : callee.className() + ".m" + ChurnLoader.number(generation) + (place - 1);
  }

  /** The generation that a method is of; 0 for all others. */
  private static int generation(HotSpotMethod method) {
    Matcher matcher = GENERATION.matcher(method.className());
    return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
  }

  private void wrong(String what) {
    wrongCount++;
    if (wrong.size() < MAX_KEPT) {
      wrong.add(what);
    }
  }
}
