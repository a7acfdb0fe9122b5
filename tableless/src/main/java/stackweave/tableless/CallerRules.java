package stackweave.tableless;

import java.util.Arrays;
import stackweave.tableless.code.CallerRule;
import stackweave.tableless.code.CodePaths;
import stackweave.unwind.HeapShare;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;
import stackweave.unwind.walk.CodeModule;
import stackweave.unwind.walk.Found;
import stackweave.unwind.walk.NativeFrame;

/**
 * The rules that {@link CodePaths} has found, by pc: an analysis takes microseconds. What was found
 * in a module counts until the modules change; in memory of no file, where code is replaced all the
 * time, until the code around the pc is another. Bounded; not thread-safe.
 */
final class CallerRules {
  /** A rule takes half a kilobyte. */
  private static final int MAX_RULES = HeapShare.of(6 << 10);

  private static final int FIRST_RULES = 1 << 8;

  /** What is compared of code in memory of no file: what the analysis reads begins there. */
  private static final int CODE_BYTES = 128;

  /** Slots for what goes before tables; direct-mapped. */
  private static final int FIRST = Math.max(512, HeapShare.of(1 << 13));

  /** What leaves the upper bits of a product that number a place. */
  private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(FIRST);

  /** What is known of a pc; {@code rule} null: nothing leads to a caller. */
  private record Known(CallerRule rule, byte[] code) {}

  private final CodePaths analysis;
  private final WrongTables wrongTables;
  private final LongTable<Known> known = new LongTable<>(FIRST_RULES, MAX_RULES);

  /** Of code that stays: stubs of some hundred instructions. */
  private final LongTable<Known> lasting = new LongTable<>(FIRST_RULES, FIRST_RULES);

  private final byte[] code = new byte[CODE_BYTES];
  private final long[] firstKeys = new long[FIRST];
  private final int[] firstGenerations = new int[FIRST];
  private final CallerRule[] first = new CallerRule[FIRST];
  private int generation;

  CallerRules(CodePaths analysis, WrongTables wrongTables) {
    this.analysis = analysis;
    this.wrongTables = wrongTables;
  }

  /**
   * The rule that goes before tables: of the straight way, for an interrupted frame of a module
   * whose tables are right at calls only, or of a large function, if they are wrong at that way's
   * end; of all ways, where a function's tables contradict its code, in such a module not over
   * calls; else null.
   */
  CallerRule beforeTablesAt(NativeFrame frame) {
    long key = key(frame);
    int now = frame.modules().generation();
    int slot = (int) (key * 0x9E3779B97F4A7C15L >>> SHIFT);
    if (firstKeys[slot] != key || firstGenerations[slot] != now) {
      long pc = frame.pc();
      boolean interrupted = frame.interrupted();
      CodeModule module = frame.modules().find(interrupted ? pc : pc - 1);
      MemoryReader memory = frame.stack().code();
      first[slot] = module == null ? null : beforeTables(module, pc, interrupted, memory);
      firstKeys[slot] = key;
      firstGenerations[slot] = now;
    }
    return first[slot];
  }

  private static long key(NativeFrame frame) {
    return frame.interrupted() ? frame.pc() : ~frame.pc();
  }

  private CallerRule beforeTables(
      CodeModule module, long pc, boolean interrupted, MemoryReader memory) {
    boolean synchronous = wrongTables.areSynchronous(module, memory);
    boolean large = wrongTables.isLargeFunction(module, pc);
    if (interrupted && (synchronous || large)) {
      CallerRule rule = straight(module, pc, synchronous, memory);
      if (rule != null) {
        return rule;
      }
    }
    if (large || !wrongTables.isFunctionWrong(module, interrupted ? pc : pc - 1, memory)) {
      return null;
    }
    CallerRule rule = analysis.forward(pc, interrupted, memory);
    boolean certain = rule != null && rule.found() == Found.FORWARD;
    // Over calls, a way is a little less certain than tables that are right at calls.
    boolean enough = certain || rule != null && !synchronous && !rule.found().isGuess();
    return enough ? rule : null;
  }

  private CallerRule straight(
      CodeModule module, long pc, boolean synchronous, MemoryReader memory) {
    CallerRule rule =
        analysis.straight(pc, memory, target -> wrongTables.isFunction(module, target, pc, memory));
    boolean right =
        rule != null && !synchronous && wrongTables.isFrameGone(module, analysis.straightEnd());
    return right ? null : rule;
  }

  /** The rule of the straight way alone, in code that stays as it is. */
  CallerRule straightAt(long pc, MemoryReader memory) {
    Known before = lasting.get(pc);
    if (before == null) {
      before = new Known(analysis.straight(pc, memory, target -> false), null);
      lasting.put(pc, before);
    }
    return before.rule;
  }

  /** The rule of the frame at hand; null if its code doesn't lead to a caller. */
  CallerRule forwardAt(NativeFrame frame) {
    if (generation != frame.modules().generation()) {
      generation = frame.modules().generation();
      known.clear();
    }
    long pc = frame.pc();
    long key = key(frame);
    boolean changing = frame.modules().find(pc) == null;
    if (changing && !read(frame, pc)) {
      return null;
    }
    Known before = known.get(key);
    if (before == null || changing && !Arrays.equals(code, before.code)) {
      CallerRule rule = analysis.forward(pc, frame.interrupted(), frame.stack().code());
      before = new Known(rule, changing ? code.clone() : null);
      known.put(key, before);
    }
    return before.rule;
  }

  /** The code from the pc on; at the end of what is mapped the last bytes that are. */
  private boolean read(NativeFrame frame, long pc) {
    return read(frame, pc, CODE_BYTES) || read(frame, pc & -CODE_BYTES, CODE_BYTES);
  }

  private boolean read(NativeFrame frame, long from, int bytes) {
    try {
      frame.stack().code().read(from, code, 0, bytes);
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
