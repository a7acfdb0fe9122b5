package stackweave.unwind;

import java.util.Arrays;

/**
 * The registers of one frame while a stack is walked: values by DWARF number, each known or not,
 * and the pc beside them. Mutable and reused; not thread-safe.
 *
 * <p>At the innermost frame all integer registers are known. Each step makes the registers those of
 * the caller; what the unwind information does not say becomes unknown, so that no rule can use a
 * stale value.
 */
public final class Registers {
  private final Architecture architecture;
  private final long[] values;
  private final boolean[] known;

  /** Address of the word that each value was read from; 0 for other values. */
  private final long[] slots;

  private long pc;

  /** All registers unknown. */
  public Registers(Architecture architecture) {
    this.architecture = architecture;
    this.values = new long[architecture.registerCount()];
    this.known = new boolean[architecture.registerCount()];
    this.slots = new long[architecture.registerCount()];
  }

  /** Whose register numbers these are. */
  public Architecture architecture() {
    return architecture;
  }

  /** The address of the next instruction of this frame (a return address in callers). */
  public long pc() {
    return pc;
  }

  /** Sets the address of the next instruction of this frame. */
  public void setPc(long pc) {
    this.pc = pc;
  }

  /** The stack pointer's value; meaningless where {@link #isKnown} says no. */
  public long sp() {
    return values[architecture.sp()];
  }

  /** The frame pointer's value; meaningless where {@link #isKnown} says no. */
  public long fp() {
    return values[architecture.fp()];
  }

  /** The value of a register by DWARF number; meaningless where {@link #isKnown} says no. */
  public long get(int register) {
    return values[register];
  }

  /** Sets the value of a register by DWARF number, which is known then. */
  public void set(int register, long value) {
    set(register, value, 0);
  }

  /**
   * Sets the value of a register by DWARF number, which is known then.
   *
   * @param slot the address of the word that it was found in, 0 for none
   */
  public void set(int register, long value, long slot) {
    values[register] = value;
    known[register] = true;
    slots[register] = slot;
  }

  /** The address of the word that the register's value was found in; 0 for none. */
  public long slot(int register) {
    return slots[register];
  }

  /**
   * Reads the word again that the register's value was found in, because the walk relies on the
   * value from now on: the memory may note which words are relied on.
   *
   * @param memory in which it was found
   * @throws UnreadableMemoryException if that word can't be read any more
   */
  public void rely(int register, MemoryReader memory) throws UnreadableMemoryException {
    if (slots[register] != 0) {
      memory.readLong(slots[register]);
    }
  }

  /** Whether the register's value in this frame is known. */
  public boolean isKnown(int register) {
    return known[register];
  }

  /** Marks the register's value as lost. */
  public void forget(int register) {
    known[register] = false;
  }

  /** Marks all registers as lost; the pc becomes 0. */
  public void clear() {
    Arrays.fill(known, false);
    pc = 0;
  }

  /** Takes over all of {@code other}, which must be of the same architecture. */
  public void copyFrom(Registers other) {
    System.arraycopy(other.values, 0, values, 0, values.length);
    System.arraycopy(other.known, 0, known, 0, known.length);
    System.arraycopy(other.slots, 0, slots, 0, slots.length);
    pc = other.pc;
  }
}
