package stackweave.lab.zoo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import stackweave.lab.zoo.Stack.Frame;
import stackweave.lab.zoo.Stack.Kind;
import stackweave.lab.zoo.TrueCalls.Place;
import stackweave.lab.zoo.TrueCalls.Sample;

/**
 * Compares sampled stacks with the return addresses that the threads really returned to, frame by
 * frame from the innermost one to the first Java frame, or to the first difference.
 */
final class TruthJudge {
  /** Below it nothing is mapped that libraries generate code into. */
  private static final long MIN_ADDRESS = 1L << 32;

  private static final String LEAF = ", caller of the interrupted frame";

  /** Of one way of finding, for callers of the interrupted frame or for those further out. */
  static final class Count {
    long right;
    long wrong;
  }

  /**
   * A frame with where it is.
   *
   * @param offset of a native frame in its file, or its address if it is in none; −1 where that
   *     isn't known
   */
  record Located(Frame frame, long offset) {}

  /** The key is the way of finding, followed by {@link #LEAF} for callers of interrupted frames. */
  final Map<String, Count> ways = new TreeMap<>();

  final List<String> wrong = new ArrayList<>();
  long stacks;

  /** Stacks with a wrong frame, and among them those of which it is not marked as a guess. */
  long wrongStacks;

  long unmarked;

  /** Stacks that end, or have a gap, before their frames do. */
  long cut;

  /** Stacks of which all frames up to Java are right. */
  long whole;

  /**
   * Judges a stack.
   *
   * @param frames the innermost first
   */
  void add(Sample truth, List<Located> frames) {
    stacks++;
    for (int i = 0; i < truth.returns().size(); i++) {
      Place place = truth.returns().get(i);
      if (i + 1 == frames.size() || frames.get(i + 1).frame().kind() == Kind.OTHER) {
        cut++;
        return;
      }
      Located claimed = frames.get(i + 1);
      Count count =
          ways.computeIfAbsent(
              claimed.frame().found().label() + (i == 0 ? LEAF : ""), way -> new Count());
      if (!isSame(place, claimed)) {
        count.wrong++;
        wrongStacks++;
        if (claimed.frame().found().trust() == Found.Trust.SURE) {
          unmarked++;
        }
        wrong.add(describe(truth, frames, i));
        return;
      }
      count.right++;
      if (place.isJava()) {
        whole++;
      }
    }
  }

  /** All ways together, of callers of interrupted frames or of the others. */
  Count sum(boolean ofLeaves) {
    Count sum = new Count();
    ways.forEach(
        (way, count) -> {
          if (way.endsWith(LEAF) == ofLeaves) {
            sum.right += count.right;
            sum.wrong += count.wrong;
          }
        });
    return sum;
  }

  /** Return addresses, or the calls before them. */
  private static boolean isSame(Place place, Located claimed) {
    Frame frame = claimed.frame();
    if (place.isJava()) {
      return frame.kind() == Kind.JAVA || frame.kind() == Kind.STUB;
    }
    return frame.kind() == Kind.NATIVE
        && place.module().equals(frame.module())
        && (isAt(claimed, place)
            || isAt(claimed, new Place(place.module(), place.offset() - 1, false)));
  }

  /** Whether a native frame is at a place of its module, as far as it is known where it is. */
  static boolean isAt(Located located, Place place) {
    return located.offset() < 0
        || located.offset() == place.offset()
        // Code in no file, by an offset that is not its address.
        || place.module().isEmpty() && located.offset() < MIN_ADDRESS;
  }

  private static String describe(Sample truth, List<Located> frames, int at) {
    Located claimed = frames.get(at + 1);
    Located callee = frames.get(at);
    Place place = truth.returns().get(at);
    return "frame %d, %s: %s+0x%x is called from %s+0x%x, not %s+0x%x (%s)"
        .formatted(
            at + 1,
            claimed.frame().found().label(),
            callee.frame().module(),
            callee.offset(),
            place.isJava() ? "Java" : place.module(),
            place.offset(),
            claimed.frame().module(),
            claimed.offset(),
            claimed.frame());
  }
}
