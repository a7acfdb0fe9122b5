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
 * Keeps the rules that {@link CodePaths} finds, by pc, because an analysis takes microseconds. A
 * rule in a module is valid until the modules change; one in anonymous memory, where code is
 * replaced all the time, as long as the code around the pc is the same. Bounded; not thread-safe.
 */
final class CallerRules {
  /** A rule takes half a kilobyte. */
  private static final int MAX_RULES = HeapShare.of(6 << 10);

  private static final int FIRST_RULES = 1 << 8;

  /** Bytes from the pc on, where an analysis begins, that are compared in anonymous memory. */
  private static final int CODE_BYTES = 128;

  /** The most pcs of which it is known whether a rule goes before tables. */
  private static final int MAX_PCS = HeapShare.of(1 << 13);

  /** What is known of a pc; {@code rule} null: nothing leads to a caller. */
  private record Known(CallerRule rule, byte[] code) {}

  private static final Known NOTHING = new Known(null, null);

  private final CodePaths analysis;
  private final WrongTables wrongTables;
  private final LongTable<Known> known = new LongTable<>(FIRST_RULES, MAX_RULES);

  /** Rules in code that stays as it is: stubs of some hundred instructions. */
  private final LongTable<Known> lasting = new LongTable<>(FIRST_RULES, FIRST_RULES);

  private final byte[] code = new byte[CODE_BYTES];

  /** Rules that go before tables. */
  private final LongTable<Known> first = new LongTable<>(FIRST_RULES, MAX_PCS);

  private int generation;

  CallerRules(CodePaths analysis, WrongTables wrongTables) {
    this.analysis = analysis;
    this.wrongTables = wrongTables;
  }

  /**
   * The rule that goes before tables, or null. It is that of the straight way for an interrupted
   * frame whose module has tables that are right at calls only, or whose function is large and has
   * a wrong row at the end of that way; that of all ways if the rows of the function contradict its
   * code, but over calls only if the tables are not right at calls.
   */
  CallerRule beforeTablesAt(NativeFrame frame) {
    forgetOldModules(frame);
    long key = key(frame);
    Known before = first.get(key);
    if (before == null) {
      long pc = frame.pc();
      boolean interrupted = frame.interrupted();
      CodeModule module = frame.modules().find(interrupted ? pc : pc - 1);
      MemoryReader memory = frame.stack().code();
      CallerRule rule = module == null ? null : beforeTables(module, pc, interrupted, memory);
      before = rule == null ? NOTHING : new Known(rule, null);
      first.put(key, before);
    }
    return before.rule;
  }

  private void forgetOldModules(NativeFrame frame) {
    if (generation != frame.modules().generation()) {
      generation = frame.modules().generation();
      known.clear();
      first.clear();
    }
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
    CallerRule rule = analysis.forward(pc, interrupted, memory, module::isFunctionStart);
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
    forgetOldModules(frame);
    long pc = frame.pc();
    long key = key(frame);
    CodeModule module = frame.modules().find(pc);
    boolean changing = module == null;
    if (changing && !read(frame, pc)) {
      return null;
    }
    Known before = known.get(key);
    if (before == null || changing && !Arrays.equals(code, before.code)) {
      CallerRule rule =
          analysis.forward(
              pc,
              frame.interrupted(),
              frame.stack().code(),
              target -> module != null && module.isFunctionStart(target));
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
