package stackweave.unwind.rule;

import java.util.Arrays;
import java.util.Locale;
import stackweave.unwind.Architecture;
import stackweave.unwind.Location;
import stackweave.unwind.TableMemory;
import stackweave.unwind.expression.Expressions;
import stackweave.unwind.hash.HashIndex;
import stackweave.unwind.x86_64.SignalFrame;

/**
 * The distinct unwind rules of a process, interned: everywhere else a rule is an {@code int}. The
 * constants below are the kinds of rules, with what each says of the caller. Few rules exist: 49
 * describe libjvm of JDK 17. The table belongs to the thread that unwinds.
 */
public final class RuleTable {
  /**
   * A frame, by {@link #cfa}, {@link #ra} and {@link #register}, each a {@link Location}:
   *
   * <pre>
   * CFA = reg + x  |  *(reg + x) + y  |  expression
   * sp  = CFA                                                        (s390x: CFA - 160)
   * pc  = *(CFA + x)  |  reg + x  |  *(reg + x)  |  the link register
   * r   = r  |  *(CFA + x)  |  CFA + x  |  reg + x  |  *(reg + x)  |  expression  |  lost
   * </pre>
   *
   * where r is the frame pointer and each other callee-saved register, and all on the right are the
   * callee's. On x86-64 these are nearly all:
   *
   * <pre>
   * (sp, pc, fp) = (sp + x,  *(sp + x - 8), fp)            nothing saved, or all restored
   * (sp, pc, fp) = (sp + x,  *(sp + x - 8), *(sp + x - y))  saved below, no frame pointer
   * (sp, pc, fp) = (fp + 16, *(fp + 8),     *fp)           a frame pointer
   * </pre>
   */
  public static final int FRAME = 0;

  /** No caller, so no equation: the thread's first frame. */
  public static final int OUTERMOST = 1;

  /**
   * {@code (pc, r) = (*(sp + x), *(sp + y))} for all registers r, with the x and y of the kernel's
   * ucontext, which is at sp: the caller was interrupted by a signal.
   */
  public static final int SIGNAL_FRAME = 2;

  /**
   * One of two frame rules: {@link #ruleBelow} if {@code (address & mask) < threshold}, else {@link
   * #ruleFrom}. On x86-64, in a procedure linkage table: {@code (sp, pc) = (sp + 8, *sp)} before
   * the entry's push, {@code (sp + 16, *(sp + 8))} behind it.
   */
  public static final int BLOCK = 3;

  /** What no rule can express: the stack ends here, for the reason {@link #unsupported}. */
  public static final int UNSUPPORTED = 4;

  /** Flag of a frame rule: the caller was interrupted, its pc is exact. */
  public static final int FLAG_SIGNAL = 1;

  /** Flag of a frame rule: the return address carries authentication bits. */
  public static final int FLAG_MANGLED = 2;

  /** Id of the one {@link #OUTERMOST} rule. */
  public static final int OUTERMOST_RULE = 0;

  /** Id of the one {@link #SIGNAL_FRAME} rule. */
  public static final int SIGNAL_FRAME_RULE = 1;

  /** Id of the first {@link #UNSUPPORTED} rule; one for each reason follows. */
  private static final int FIRST_UNSUPPORTED_RULE = 2;

  /** Far more than real processes have; keeps malicious sections from filling the heap. */
  static final int MAX_RULES = 1 << 17;

  // A rule is `stride` words: header, CFA, RA, then each callee-saved register's location.
  // Header: kind 0-7, flags 8-15, mask of registers that are not SAME 16-31, cfaAdd 32-63.
  private static final int HEADER = 0;
  private static final int CFA = 1;
  private static final int RA = 2;
  private static final int FIRST_REGISTER = 3;

  private final TableMemory memory;
  private final Architecture architecture;
  private final int stride;
  private long[] words;
  private int size;
  private final HashIndex index = new HashIndex(64);
  private final long[] candidate;

  private final Expressions expressions;

  /** A table with the special rules only; large tables lie in the Java heap. */
  public RuleTable(Architecture architecture) {
    this(architecture, TableMemory.HEAP);
  }

  /**
   * A table with the special rules only.
   *
   * @param memory for the large tables that lead to these rules, not for the rules
   */
  public RuleTable(Architecture architecture, TableMemory memory) {
    this.memory = memory;
    this.architecture = architecture;
    this.stride = FIRST_REGISTER + architecture.calleeSaved().length;
    this.words = new long[stride * 64];
    this.candidate = new long[stride];
    this.expressions = new Expressions(architecture);
    internSpecial(OUTERMOST, 0);
    internSpecial(SIGNAL_FRAME, 0);
    for (Unsupported reason : Unsupported.values()) {
      internSpecial(UNSUPPORTED, reason.ordinal());
    }
  }

  /** The architecture whose rules these are. */
  public Architecture architecture() {
    return architecture;
  }

  /**
   * The expressions that rules of this table have.
   *
   * @hidden no part of the API
   */
  public Expressions expressions() {
    return expressions;
  }

  /** The memory for the large tables that lead to these rules. */
  public TableMemory memory() {
    return memory;
  }

  /** Number of distinct rules, the special ones included. */
  public int size() {
    return size;
  }

  /**
   * A readable text of a rule: {@code cfa=r7+16 ra=c-8 r6=c-16}; registers that stay the same are
   * left out.
   *
   * @param rule of this table; {@link UnwindTable#NO_RULE} is described as "no rule"
   */
  public String describe(int rule) {
    if (rule < 0) {
      return "no rule";
    }
    return switch (kind(rule)) {
      case OUTERMOST -> "outermost";
      case SIGNAL_FRAME -> "kernel signal frame";
      case BLOCK ->
          "block of "
              + (blockMask(rule) + 1)
              + ": "
              + describe(ruleBelow(rule))
              + "; from "
              + blockThreshold(rule)
              + ": "
              + describe(ruleFrom(rule));
      case UNSUPPORTED -> "unsupported: " + unsupported(rule).label();
      default -> describeFrame(rule);
    };
  }

  private String describeFrame(int rule) {
    StringBuilder text = new StringBuilder("cfa=").append(text(cfa(rule)));
    if (cfaAdd(rule) != 0) {
      text.append(String.format(Locale.ROOT, "%+d", cfaAdd(rule)));
    }
    text.append(" ra=").append(text(ra(rule)));
    int[] tracked = architecture.calleeSaved();
    for (int i = 0; i < tracked.length; i++) {
      if (register(rule, i) != 0) {
        text.append(" r").append(tracked[i]).append('=').append(text(register(rule, i)));
      }
    }
    if ((flags(rule) & FLAG_MANGLED) != 0) {
      text.append(" mangled");
    }
    if ((flags(rule) & FLAG_SIGNAL) != 0) {
      text.append(" signal");
    }
    return text.toString();
  }

  private String text(long location) {
    return switch (Location.kind(location)) {
      case Location.EXPRESSION -> "(" + expressions.text(Location.offset(location)) + ")";
      case Location.AT_EXPRESSION -> "*(" + expressions.text(Location.offset(location)) + ")";
      default -> Location.text(location);
    };
  }

  /**
   * A rule as words, to be recorded; {@link #intern(long[])} reads them. After the words of the
   * rule itself come, for each of its expressions, the count of its words and these.
   */
  public long[] words(int rule) {
    long[] own = Arrays.copyOfRange(words, rule * stride, (rule + 1) * stride);
    long[] all = own;
    for (int i = CFA; i < stride && kind(rule) == FRAME; i++) {
      if (isExpression(own[i])) {
        long[] expression = expressions.words(Location.offset(own[i]));
        int end = all.length;
        all = Arrays.copyOf(all, end + 1 + expression.length);
        all[end] = expression.length;
        System.arraycopy(expression, 0, all, end + 1, expression.length);
      }
    }
    return all;
  }

  private static boolean isExpression(long location) {
    int kind = Location.kind(location);
    return kind == Location.EXPRESSION || kind == Location.AT_EXPRESSION;
  }

  /**
   * The id of a recorded rule.
   *
   * @param recorded from {@link #words} of a table of the same architecture; checked, as it may
   *     come from anybody
   * @throws IllegalArgumentException if these are not the words of a rule, or those of a {@link
   *     #BLOCK} rule, which no table returns for an address
   */
  public int intern(long[] recorded) {
    long[] rule = Arrays.copyOf(recorded, stride);
    if (recorded.length < stride || !internExpressions(recorded, rule) || !isSound(rule)) {
      throw new IllegalArgumentException("no unwind rule of " + architecture);
    }
    System.arraycopy(rule, 0, candidate, 0, stride);
    return internCandidate();
  }

  /** Interns the expressions of a recorded rule; false if one is malformed. */
  private boolean internExpressions(long[] recorded, long[] rule) {
    int next = stride;
    boolean isFrame = ((int) rule[HEADER] & 0xff) == FRAME;
    for (int i = CFA; i < stride && isFrame; i++) {
      if (isExpression(rule[i])) {
        long length = next < recorded.length ? recorded[next] : -1;
        if (length < 0 || length >= recorded.length - next) {
          return false;
        }
        int end = next + 1 + (int) length;
        int number = expressions.intern(recorded, next + 1, end);
        if (number == Expressions.NONE) {
          return false;
        }
        rule[i] = Location.of(Location.kind(rule[i]), 0, number);
        next = end;
      }
    }
    return next == recorded.length;
  }

  private boolean isSound(long[] rule) {
    int kind = (int) rule[HEADER];
    if (kind == OUTERMOST || kind == SIGNAL_FRAME || kind == UNSUPPORTED) {
      long detail = rule[CFA];
      boolean known = kind == UNSUPPORTED ? Unsupported.values().length > detail : detail == 0;
      return rule[HEADER] == kind
          && detail >= 0
          && known
          && Arrays.stream(rule, RA, stride).allMatch(word -> word == 0);
    }
    int flags = (int) rule[HEADER] >>> 8 & 0xff;
    int changed = 0;
    for (int i = FIRST_REGISTER; i < stride; i++) {
      changed |= rule[i] != 0 ? 1 << i - FIRST_REGISTER : 0;
    }
    int cfa = Location.kind(rule[CFA]);
    return (kind & 0xff) == FRAME
        && (flags & ~(FLAG_SIGNAL | FLAG_MANGLED)) == 0
        && kind >>> 16 == changed
        && (cfa == Location.REGISTER_PLUS
            || cfa == Location.AT_REGISTER
            || cfa == Location.EXPRESSION)
        && Arrays.stream(rule, CFA, stride).allMatch(this::isLocation);
  }

  private boolean isLocation(long word) {
    int kind = Location.kind(word);
    if (isExpression(word)) {
      return word == Location.of(kind, 0, Location.offset(word))
          && Location.offset(word) >= 0
          && Location.offset(word) < expressions.size();
    }
    return kind <= Location.UNKNOWN
        ? word == Location.of(kind) && kind >= Location.SAME
        : kind <= Location.AT_REGISTER && word >>> 48 == 0 && isNumbered(word);
  }

  /** The reason of an {@link #UNSUPPORTED} rule, or null for any other rule. */
  public Unsupported unsupported(int rule) {
    return kind(rule) == UNSUPPORTED ? Unsupported.values()[rule - FIRST_UNSUPPORTED_RULE] : null;
  }

  /** The rule that ends a stack for the given reason. */
  public static int unsupportedRule(Unsupported reason) {
    return FIRST_UNSUPPORTED_RULE + reason.ordinal();
  }

  /** The kind of a rule: {@link #FRAME}, {@link #BLOCK} or a special one. */
  public int kind(int rule) {
    return (int) words[rule * stride] & 0xff;
  }

  /** {@link #FLAG_SIGNAL} and {@link #FLAG_MANGLED}, one or both, or 0. */
  public int flags(int rule) {
    return (int) words[rule * stride] >>> 8 & 0xff;
  }

  /** Bit i: the callee-saved register with index i is not the same as in the callee. */
  public int changedMask(int rule) {
    return (int) words[rule * stride] >>> 16;
  }

  /** What is added to the value at the CFA's location, in bytes. */
  public int cfaAdd(int rule) {
    return (int) (words[rule * stride] >> 32);
  }

  /** The {@link Location} of the CFA; of a {@link #BLOCK}, its mask and threshold. */
  public long cfa(int rule) {
    return words[rule * stride + CFA];
  }

  /** The {@link Location} of the return address; of a {@link #BLOCK}, its two rules. */
  public long ra(int rule) {
    return words[rule * stride + RA];
  }

  /** The location of the callee-saved register with this index; 0 is the frame pointer. */
  public long register(int rule, int index) {
    return words[rule * stride + FIRST_REGISTER + index];
  }

  /** The rule that holds at an address: the rule itself, or what a {@link #BLOCK} selects. */
  public int resolve(int rule, long address) {
    if (rule < 0 || kind(rule) != BLOCK) {
      return rule;
    }
    return (address & blockMask(rule)) < blockThreshold(rule) ? ruleBelow(rule) : ruleFrom(rule);
  }

  /** The bits of an address that are its offset in a block of a {@link #BLOCK}. */
  public int blockMask(int rule) {
    return (int) cfa(rule);
  }

  /** The offset in a block from which on {@link #ruleFrom} holds. */
  public int blockThreshold(int rule) {
    return (int) (cfa(rule) >>> 32);
  }

  /** The rule of offsets below {@link #blockThreshold}. */
  public int ruleBelow(int rule) {
    return (int) ra(rule);
  }

  /** The rule of offsets from {@link #blockThreshold} on. */
  public int ruleFrom(int rule) {
    return (int) (ra(rule) >>> 32);
  }

  /** The id of what the builder holds; allocates only for a rule that was not there. */
  public int intern(RuleBuilder rule) {
    if (Location.kind(rule.ra) == Location.UNDEFINED) {
      return OUTERMOST_RULE;
    }
    if (rule.signal && isKernelSignalFrame(rule)) {
      return SIGNAL_FRAME_RULE;
    }
    Unsupported problem = rule.unsupported();
    if (problem != null) {
      return unsupportedRule(problem);
    }
    if (rule.isStackElsewhere()) {
      return unsupportedRule(Unsupported.STACK_POINTER);
    }
    if (rule.ra == 0 && architecture == Architecture.X86_64) {
      return unsupportedRule(Unsupported.NO_RETURN_ADDRESS);
    }
    if (rule.cfa == 0) {
      return unsupportedRule(Unsupported.MALFORMED);
    }
    if (!isNumbered(rule.cfa) || !isNumbered(rule.ra)) {
      return unsupportedRule(Unsupported.REGISTER);
    }
    return rule.blockSize == 0 ? internFrame(rule, 0) : internBlock(rule);
  }

  /**
   * Whether a rule with the signal mark describes the kernel's signal frame, whose ucontext has all
   * registers and the rule only few: it reads the return address where the ucontext has the pc; or
   * from the frame record above sp, which lacks the link register of an interrupted leaf (vDSO of
   * AArch64, arch/arm64/kernel/vdso/sigreturn.S); or it says nothing else. Any other rule holds as
   * it is (SFrame specification section 2.3.3, signal_p).
   */
  private boolean isKernelSignalFrame(RuleBuilder rule) {
    int sp = architecture.sp();
    if (rule.cfa == 0) {
      return true;
    }
    return switch (architecture) {
      case X86_64 ->
          rule.cfa == Location.of(Location.AT_REGISTER, sp, SignalFrame.SP)
              && rule.cfaAdd == 0
              && rule.ra == Location.of(Location.AT_REGISTER, sp, SignalFrame.PC);
      case AARCH64 ->
          isReadAtSp(rule, stackweave.unwind.aarch64.SignalFrame.PC)
              || (rule.cfa == Location.of(Location.REGISTER_PLUS, architecture.fp(), 0)
                  && rule.ra == Location.atCfa(Long.BYTES));
      case S390X -> isReadAtSp(rule, stackweave.unwind.s390x.SignalFrame.PC);
    };
  }

  /** Whether the return address is read at {@code sp + offset}. */
  private boolean isReadAtSp(RuleBuilder rule, int offset) {
    boolean atCfa =
        Location.kind(rule.cfa) == Location.REGISTER_PLUS
            && Location.register(rule.cfa) == architecture.sp()
            && rule.ra == Location.atCfa(offset - Location.offset(rule.cfa));
    return atCfa || rule.ra == Location.of(Location.AT_REGISTER, architecture.sp(), offset);
  }

  /** Whether a location's register exists, so that no step needs to check it. */
  private boolean isNumbered(long location) {
    return Location.register(location) < architecture.registerCount();
  }

  private int internBlock(RuleBuilder rule) {
    int below = internFrame(rule, 0);
    int from = internFrame(rule, 8);
    Arrays.fill(candidate, 0);
    candidate[HEADER] = BLOCK;
    candidate[CFA] = (long) rule.blockThreshold << 32 | (rule.blockSize - 1);
    candidate[RA] = (long) from << 32 | below;
    return internCandidate();
  }

  private int internFrame(RuleBuilder rule, int moreCfa) {
    int flags = (rule.signal ? FLAG_SIGNAL : 0) | (isMangled(rule) ? FLAG_MANGLED : 0);
    int changed = 0;
    for (int i = 0; i < stride - FIRST_REGISTER; i++) {
      long location = rule.location(i);
      if (!isNumbered(location)) {
        location = Location.of(Location.UNKNOWN);
      }
      candidate[FIRST_REGISTER + i] = location;
      changed |= location != 0 ? 1 << i : 0;
    }
    candidate[HEADER] = (long) rule.cfaAdd << 32 | (long) changed << 16 | flags << 8 | FRAME;
    long cfa = rule.cfa;
    candidate[CFA] =
        Location.of(Location.kind(cfa), Location.register(cfa), Location.offset(cfa) + moreCfa);
    candidate[RA] = rule.ra;
    return internCandidate();
  }

  /** The mark means nothing where return addresses carry no authentication bits. */
  private boolean isMangled(RuleBuilder rule) {
    return rule.mangled && architecture.addressMask() != -1L;
  }

  private void internSpecial(int kind, int detail) {
    Arrays.fill(candidate, 0);
    candidate[HEADER] = kind;
    candidate[CFA] = detail;
    internCandidate();
  }

  private int internCandidate() {
    int hash = hash();
    for (int slot = index.first(hash); slot != HashIndex.NONE; slot = index.next(slot)) {
      if (isCandidate(index.at(slot))) {
        return index.at(slot);
      }
    }
    if (size == MAX_RULES) {
      return unsupportedRule(Unsupported.TABLE_FULL);
    }
    if ((size + 1) * stride > words.length) {
      words = Arrays.copyOf(words, words.length * 2);
    }
    System.arraycopy(candidate, 0, words, size * stride, stride);
    index.add(hash, size);
    return size++;
  }

  private int hash() {
    long hash = 0;
    for (long word : candidate) {
      hash = (hash ^ word) * 0x9e37_79b9_7f4a_7c15L;
      hash ^= hash >>> 29;
    }
    return (int) (hash >>> 32);
  }

  private boolean isCandidate(int rule) {
    for (int i = 0; i < stride; i++) {
      if (words[rule * stride + i] != candidate[i]) {
        return false;
      }
    }
    return true;
  }
}
