package stackweave.hotspot.tableless;

import java.util.Arrays;
import stackweave.hotspot.cpu.CallerRule;
import stackweave.hotspot.cpu.ForwardAnalysis;
import stackweave.hotspot.frame.Walk;
import stackweave.unwind.HeapShare;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;
import stackweave.unwind.walk.CodeModule;

/**
 * The rules that {@link ForwardAnalysis} has found, by pc: an analysis takes microseconds. What was
 * found in a module counts until the modules change; in memory of no file, where code is replaced
 * all the time, until the code around the pc is another. Bounded; not thread-safe.
 */
final class CallerRules {
  /** A rule takes half a kilobyte. */
  private static final int MAX_RULES = HeapShare.of(6 << 10);

  private static final int FIRST_RULES = 1 << 8;

  /** What is compared of code in memory of no file: what the analysis reads begins there. */
  private static final int CODE_BYTES = 128;

  /** Slots for the straight way, the check before tables; direct-mapped. */
  private static final int STRAIGHT = Math.max(256, HeapShare.of(1 << 12));

  /** What leaves the upper bits of a product that number a place. */
  private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(STRAIGHT);

  /** What is known of a pc; {@code rule} null: nothing leads to a caller. */
  private record Known(CallerRule rule, byte[] code) {}

  private final ForwardAnalysis analysis;
  private final SynchronousTables synchronousTables;
  private final LongTable<Known> known = new LongTable<>(FIRST_RULES, MAX_RULES);
  private final byte[] code = new byte[CODE_BYTES];
  private final long[] straightPcs = new long[STRAIGHT];
  private final int[] straightGenerations = new int[STRAIGHT];
  private final CallerRule[] straight = new CallerRule[STRAIGHT];
  private int generation;

  CallerRules(ForwardAnalysis analysis, SynchronousTables synchronousTables) {
    this.analysis = analysis;
    this.synchronousTables = synchronousTables;
  }

  /**
   * The rule of the straight way, for an interrupted frame of a module whose tables are right at
   * calls only, or of a large function, if they are wrong at that way's end; else null.
   */
  CallerRule straightAt(Walk walk) {
    long pc = walk.pc();
    int now = walk.modules().generation();
    int slot = (int) (pc * 0x9E3779B97F4A7C15L >>> SHIFT);
    if (straightPcs[slot] != pc || straightGenerations[slot] != now) {
      CodeModule module = walk.modules().find(pc);
      straight[slot] = module == null ? null : straight(module, pc, walk.stack().code());
      straightPcs[slot] = pc;
      straightGenerations[slot] = now;
    }
    return straight[slot];
  }

  private CallerRule straight(CodeModule module, long pc, MemoryReader memory) {
    boolean synchronous = synchronousTables.has(module, memory);
    if (!synchronous && !synchronousTables.isLargeFunction(module, pc)) {
      return null;
    }
    CallerRule rule =
        analysis.straight(
            pc, memory, target -> synchronousTables.isFunction(module, target, pc, memory));
    boolean right =
        rule != null
            && !synchronous
            && synchronousTables.isFrameGone(module, analysis.straightEnd());
    return right ? null : rule;
  }

  /** The rule of the frame at hand; null if its code doesn't lead to a caller. */
  CallerRule forwardAt(Walk walk) {
    if (generation != walk.modules().generation()) {
      generation = walk.modules().generation();
      known.clear();
    }
    long pc = walk.pc();
    long key = walk.interrupted() ? pc : ~pc;
    boolean changing = walk.modules().find(pc) == null;
    if (changing && !read(walk, pc)) {
      return null;
    }
    Known before = known.get(key);
    if (before == null || changing && !Arrays.equals(code, before.code)) {
      CallerRule rule = analysis.forward(pc, walk.interrupted(), walk.stack().code());
      before = new Known(rule, changing ? code.clone() : null);
      known.put(key, before);
    }
    return before.rule;
  }

  /** The code from the pc on; at the end of what is mapped the last bytes that are. */
  private boolean read(Walk walk, long pc) {
    return read(walk, pc, CODE_BYTES) || read(walk, pc & -CODE_BYTES, CODE_BYTES);
  }

  private boolean read(Walk walk, long from, int bytes) {
    try {
      walk.stack().code().read(from, code, 0, bytes);
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
