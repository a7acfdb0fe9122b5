package stackweave.unwind.rule;

import stackweave.unwind.Architecture;
import stackweave.unwind.Location;

/**
 * A rule that is being built: what a call frame program or an SFrame row says at one place. Mutable
 * and reused; {@link RuleTable#intern} makes it a rule.
 */
public final class RuleBuilder {
  private final Architecture architecture;
  private final int[] tracked;
  private final long[] locations;

  /**
   * The {@link Location} of the CFA: {@link Location#REGISTER_PLUS}, {@link Location#AT_REGISTER}
   * or {@link Location#EXPRESSION}; 0 for none.
   */
  public long cfa;

  /** CFA = {@link #cfa} + this. */
  int cfaAdd;

  /** The {@link Location} of the return address. */
  public long ra;

  /** Where the caller's stack pointer is, if that is not the CFA; 0 where nothing says so. */
  private long sp;

  /** The return address carries authentication bits (AArch64). */
  public boolean mangled;

  /** The caller was interrupted: its pc is exact. */
  public boolean signal;

  /** Set where the CFA can't be part of a rule; the next CFA that can clears it. */
  private Unsupported cfaProblem;

  /** Set where this can't be a rule whatever follows. */
  private Unsupported problem;

  /** Size in bytes of the blocks of code that repeats, a power of two; 0 for other code. */
  public int blockSize;

  /** The offset in a block, in bytes, from which on the CFA is 8 more. */
  public int blockThreshold;

  /** A builder of rules for an architecture, with nothing said yet. */
  public RuleBuilder(Architecture architecture) {
    this.architecture = architecture;
    this.tracked = architecture.calleeSaved();
    this.locations = new long[tracked.length];
  }

  /** The architecture whose rules these are. */
  public Architecture architecture() {
    return architecture;
  }

  /** Nothing said: no CFA, all registers the same. */
  public void clear() {
    cfa = 0;
    cfaAdd = 0;
    ra = 0;
    sp = 0;
    mangled = false;
    signal = false;
    cfaProblem = null;
    problem = null;
    blockSize = 0;
    blockThreshold = 0;
    java.util.Arrays.fill(locations, 0);
  }

  /** Takes over all of {@code other}, which must be of the same architecture. */
  public void copyFrom(RuleBuilder other) {
    cfa = other.cfa;
    cfaAdd = other.cfaAdd;
    ra = other.ra;
    sp = other.sp;
    mangled = other.mangled;
    signal = other.signal;
    cfaProblem = other.cfaProblem;
    problem = other.problem;
    blockSize = other.blockSize;
    blockThreshold = other.blockThreshold;
    System.arraycopy(other.locations, 0, locations, 0, locations.length);
  }

  /** Says that this can't be a rule; the first reason stays. */
  public void refuse(Unsupported reason) {
    if (problem == null) {
      problem = reason;
    }
  }

  /** Why this can't be a rule, or null. */
  Unsupported unsupported() {
    return problem != null ? problem : cfaProblem;
  }

  /** Says that there is a CFA, but that it can't be part of a rule. */
  public void refuseCfa(Unsupported reason) {
    clearCfa();
    cfa = Location.of(Location.UNKNOWN);
    cfaProblem = reason;
  }

  private void clearCfa() {
    cfaProblem = null;
    blockSize = 0;
    cfaAdd = 0;
  }

  /** Sets CFA = *(register + offset) + add. */
  public void setCfaAt(int register, int offset, int add) {
    if (register >= architecture.registerCount()) {
      refuseCfa(Unsupported.REGISTER);
      return;
    }
    clearCfa();
    cfa = Location.of(Location.AT_REGISTER, register, offset);
    cfaAdd = add;
  }

  /** Sets the CFA to the value of an expression of the rule table. */
  public void setCfaExpression(int expression) {
    clearCfa();
    cfa = Location.of(Location.EXPRESSION, 0, expression);
  }

  /** The location of a callee-saved register by its index among them; 0 is the frame pointer. */
  long location(int index) {
    return locations[index];
  }

  /** Sets the {@link Location} of the caller's frame pointer. */
  public void setFp(long location) {
    locations[0] = location;
  }

  /** Says that nothing is known of callee-saved registers but the frame pointer. */
  public void forgetAllButFp() {
    for (int i = 1; i < locations.length; i++) {
      locations[i] = Location.of(Location.UNKNOWN);
    }
  }

  /** Sets a register's location by DWARF number; registers that rules do not track are ignored. */
  public void set(int register, int raColumn, long location) {
    if (register == raColumn) {
      ra = location;
      return;
    }
    if (register == architecture.sp()) {
      sp = isCfa(location) ? 0 : location;
      return;
    }
    for (int i = 0; i < tracked.length; i++) {
      if (tracked[i] == register) {
        // "Undefined" ends the stack for the return address; any other register is just lost.
        locations[i] =
            Location.kind(location) == Location.UNDEFINED
                ? Location.of(Location.UNKNOWN)
                : location;
        return;
      }
    }
  }

  /** The location that {@link #set} would replace. */
  public long get(int register, int raColumn) {
    if (register == raColumn) {
      return ra;
    }
    if (register == architecture.sp()) {
      return sp;
    }
    for (int i = 0; i < tracked.length; i++) {
      if (tracked[i] == register) {
        return locations[i];
      }
    }
    return 0;
  }

  /** Whether a location of the stack pointer is the CFA, which rules assume, or says nothing. */
  private static boolean isCfa(long location) {
    int kind = Location.kind(location);
    return kind == Location.SAME
        || kind == Location.UNDEFINED
        || kind == Location.CFA_PLUS && Location.offset(location) == 0;
  }

  /**
   * Whether the caller's stack pointer is not the CFA, as in {@code longjmp} once it has loaded
   * registers from its buffer, the CFA. On s390x, where functions save it, it follows from the CFA.
   */
  boolean isStackElsewhere() {
    return sp != 0 && architecture.spBelowCfa() == 0;
  }

  /** Sets CFA = register + offset. */
  public void setCfa(int register, long offset) {
    if (register < 0 || register >= architecture.registerCount()) {
      refuseCfa(Unsupported.REGISTER);
    } else if (offset != (int) offset) {
      refuseCfa(Unsupported.OFFSET);
    } else {
      clearCfa();
      cfa = Location.of(Location.REGISTER_PLUS, register, (int) offset);
    }
  }
}
