package stackweave.tableless;

import java.util.Map;
import java.util.WeakHashMap;
import stackweave.tableless.code.Processor;
import stackweave.unwind.HeapShare;
import stackweave.unwind.Location;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.walk.CodeModule;

/**
 * Finds unwind tables that contradict the code: of single functions, and of modules whose tables
 * are right at calls only (the opposite of GCC's {@code -fasynchronous-unwind-tables}), where rows
 * of epilogues are missing or wrong. A module is looked at once, at functions that end with a
 * return: there its table must say that the frame is gone. Not thread-safe.
 */
final class WrongTables {
  /** How many functions of a module are looked at. */
  private static final int FUNCTIONS = 48;

  private static final int FIRST_FUNCTIONS = 1 << 6;

  /** The most functions of a module that are kept. */
  private static final int MAX_FUNCTIONS = HeapShare.of(1 << 14);

  /** Fewer returns prove nothing. */
  private static final int MIN_RETURNS = 4;

  /** One wrong return may be that of an unusual function. */
  private static final int MIN_WRONG = 2;

  /** Asynchronous tables are wrong at less than one return in a hundred, others at most of them. */
  private static final int MIN_WRONG_OF_FOUR = 1;

  /** Functions of that size are interpreters in assembly, and some of compilers. */
  private static final long LARGE_BYTES = 16 << 10;

  private final RuleTable rules;
  private final Processor processor;
  private final byte[] last;
  private final byte[] stub;

  /** Whether tables are right at calls only. A module has its table as long as it is mapped. */
  private final Map<UnwindTable, Boolean> byTable = new WeakHashMap<>();

  /** Whether functions' rows are wrong, by the virtual addresses where they begin. */
  private final Map<UnwindTable, LongTable<Boolean>> functions = new WeakHashMap<>();

  /** The code of the function that is looked at. */
  private final byte[] function = new byte[(int) LARGE_BYTES];

  WrongTables(RuleTable rules, Processor processor) {
    this.rules = rules;
    this.processor = processor;
    this.last = new byte[processor.returnLength()];
    this.stub = new byte[Processor.STUB_BYTES];
  }

  boolean areSynchronous(CodeModule module, MemoryReader code) {
    UnwindTable table = module.unwindTable();
    Boolean known = byTable.get(table);
    if (known == null) {
      known = decide(table, module.bias(), code);
      byTable.put(table, known);
    }
    return known;
  }

  /**
   * Whether the function at a pc is so large that its tables are checked at each of its returns:
   * interpreters in assembly have one row for all of their code, and their ends are in its midst.
   */
  boolean isLargeFunction(CodeModule module, long pc) {
    UnwindTable table = module.unwindTable();
    long start = table.functionStart(pc - module.bias());
    long next = start == UnwindTable.NO_ADDRESS ? start : table.functionStartAbove(start);
    return next != UnwindTable.NO_ADDRESS && next - start >= LARGE_BYTES;
  }

  /**
   * Whether the rows of the function at an address contradict its code, as they do where a second
   * way out has the rows that the first one has left. Looks at each function once.
   */
  boolean isFunctionWrong(CodeModule module, long pc, MemoryReader code) {
    UnwindTable table = module.unwindTable();
    long start = table.functionStart(pc - module.bias());
    if (start <= 0) {
      return false;
    }
    LongTable<Boolean> known =
        functions.computeIfAbsent(table, t -> new LongTable<>(FIRST_FUNCTIONS, MAX_FUNCTIONS));
    Boolean wrong = known.get(start);
    if (wrong == null) {
      wrong = contradicts(table, start, start + module.bias(), code);
      known.put(start, wrong);
    }
    return wrong;
  }

  private boolean contradicts(UnwindTable table, long start, long pc, MemoryReader code) {
    long next = table.functionStartAbove(start);
    long end = next == UnwindTable.NO_ADDRESS ? table.functionEndBelow(Long.MAX_VALUE) : next;
    int length = (int) Math.max(0, Math.min(end - start, function.length));
    try {
      code.read(pc, function, 0, length);
    } catch (UnreadableMemoryException e) {
      return false;
    }
    return processor.contradicts(function, length, offset -> row(table, start + offset));
  }

  private int row(UnwindTable table, long address) {
    int rule = rules.resolve(table.find(address), address);
    if (rule < 0 || rules.kind(rule) != RuleTable.FRAME) {
      return Processor.NO_ROW;
    }
    long cfa = rules.cfa(rule);
    return Location.kind(cfa) == Location.REGISTER_PLUS
            && Location.register(cfa) == rules.architecture().sp()
        ? Location.offset(cfa)
        : Processor.NOT_BY_SP;
  }

  /** Whether a module's table says of a pc that only a return address is left on the stack. */
  boolean isFrameGone(CodeModule module, long pc) {
    UnwindTable table = module.unwindTable();
    long address = pc - module.bias();
    return isFrameGone(rules.resolve(table.find(address), address));
  }

  /**
   * Whether a jump from {@code pc} to {@code target} leaves the function for another one: by the
   * table it is another one, with nothing on the stack but what a call leaves there. A part of the
   * same function that lies elsewhere ({@code .cold}) has a frame. Stubs of linkage tables jump on
   * at once, and may be in no table.
   */
  boolean isFunction(CodeModule module, long target, long pc, MemoryReader code) {
    UnwindTable table = module.unwindTable();
    long address = target - module.bias();
    long start = table.functionStart(address);
    int rule = rules.resolve(table.find(address), address);
    return isStub(target, code)
        || start != UnwindTable.NO_ADDRESS
            && start != table.functionStart(pc - module.bias())
            && rule >= 0
            && rules.kind(rule) == RuleTable.FRAME
            && isFrameGone(rule);
  }

  private boolean isStub(long address, MemoryReader code) {
    try {
      code.read(address, stub, 0, stub.length);
      return processor.isLinkageStub(stub);
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  private boolean decide(UnwindTable table, long bias, MemoryReader code) {
    long first = table.functionStartAbove(0);
    long end = table.functionEndBelow(Long.MAX_VALUE);
    if (first == UnwindTable.NO_ADDRESS || end == UnwindTable.NO_ADDRESS || end <= first) {
      return false;
    }
    int returns = 0;
    int wrong = 0;
    long before = UnwindTable.NO_ADDRESS;
    for (int i = 0; i < FUNCTIONS; i++) {
      long start = table.functionStartAbove(first - 1 + (end - first) / FUNCTIONS * i);
      if (start != UnwindTable.NO_ADDRESS && start != before) {
        long at = table.functionEndBelow(start) - last.length;
        if (at > start && isReturn(at + bias, code)) {
          returns++;
          wrong += isFrameGone(table.find(at)) ? 0 : 1;
        }
      }
      before = start;
    }
    return returns >= MIN_RETURNS && wrong >= MIN_WRONG && 4 * wrong >= MIN_WRONG_OF_FOUR * returns;
  }

  private boolean isReturn(long address, MemoryReader code) {
    try {
      code.read(address, last, 0, last.length);
      return processor.isReturn(last, 0);
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }

  /** Whether a rule says that nothing is on the stack but what the call has put there. */
  private boolean isFrameGone(int rule) {
    if (rule < 0 || rules.kind(rule) != RuleTable.FRAME) {
      return true; // the table says nothing that could be wrong
    }
    long cfa = rules.cfa(rule);
    return Location.kind(cfa) == Location.REGISTER_PLUS
        && Location.register(cfa) == rules.architecture().sp()
        && Location.offset(cfa) == processor.callBytes();
  }
}
