package stackweave.tableless.code;

import java.util.Arrays;

/**
 * The values that an analysis of code computes with: a base and an offset of 32 bits. The base is a
 * register as it was at first, nothing (a constant), a word loaded from such an address, or a place
 * that is known only to be the same each time. Equal values have equal numbers. Not thread-safe.
 */
public final class SymbolicValues {
  /** A value of which nothing is known. */
  public static final long UNKNOWN = -1;

  private static final int CONSTANT = 64;
  private static final int FIRST_DERIVED = 65;
  private static final int MAX_DERIVED = 192;

  /** Frames have no longer chains of loads. */
  private static final int MAX_LOADS = 3;

  private final int stackPointer;
  private final int framePointer;

  /**
   * By base from {@link #FIRST_DERIVED} on: the address of a load; of a place, where it is made.
   */
  private final long[] keys = new long[MAX_DERIVED];

  /** How many loads lead to it; 0 for a place. */
  private final byte[] loads = new byte[MAX_DERIVED];

  private int derived;

  /**
   * @param stackPointer index of the register in an analysis's states
   * @param framePointer the same
   */
  public SymbolicValues(int stackPointer, int framePointer) {
    this.stackPointer = stackPointer;
    this.framePointer = framePointer;
  }

  /** Forgets all loads and places. */
  public void begin() {
    derived = 0;
  }

  /** A register's value where the analysis began. */
  public static long initial(int register) {
    return (long) register << 32;
  }

  /** A number. */
  public static long constant(int number) {
    return (long) CONSTANT << 32 | Integer.toUnsignedLong(number);
  }

  private static int base(long value) {
    return (int) (value >>> 32);
  }

  /** What is added to the base. */
  public static int offset(long value) {
    return (int) value;
  }

  /** Whether it is a number. */
  public static boolean isConstant(long value) {
    return base(value) == CONSTANT;
  }

  /** Whether both are known and have the same base. */
  public static boolean haveSameBase(long a, long b) {
    return a != UNKNOWN && base(a) == base(b);
  }

  /** The value with a number added. */
  public static long plus(long value, long number) {
    long sum = offset(value) + number;
    return value == UNKNOWN || sum != (int) sum
        ? UNKNOWN
        : value & 0xffff_ffff_0000_0000L | Integer.toUnsignedLong((int) sum);
  }

  /** The sum of two values, where it is one. */
  public static long sum(long a, long b) {
    if (a != UNKNOWN && isConstant(a)) {
      return plus(b, offset(a));
    }
    return b != UNKNOWN && isConstant(b) ? plus(a, offset(b)) : UNKNOWN;
  }

  /** The difference of two values, where it is one. */
  public static long difference(long a, long b) {
    if (b != UNKNOWN && isConstant(b)) {
      return plus(a, -(long) offset(b));
    }
    long bytes = (long) offset(a) - offset(b);
    return haveSameBase(a, b) && bytes == (int) bytes ? constant((int) bytes) : UNKNOWN;
  }

  /** Whether words stored there may be the frame's: an address of the stack, as far as known. */
  boolean isFrame(long address) {
    int base = base(address);
    return address != UNKNOWN
        && (base == stackPointer || base == framePointer || base >= FIRST_DERIVED);
  }

  /** The word that was at an address where the analysis began. */
  long loaded(long address) {
    int base = base(address);
    if (address == UNKNOWN || base == CONSTANT) {
      return UNKNOWN;
    }
    int before = base >= FIRST_DERIVED ? loads[base - FIRST_DERIVED] : 0;
    boolean place = base >= FIRST_DERIVED && before == 0;
    return place || before == MAX_LOADS ? UNKNOWN : find(address, (byte) (before + 1));
  }

  /** A place that the instruction at {@code pc} makes, such as an aligned address. */
  public long place(long pc) {
    return find(pc, (byte) 0);
  }

  private long find(long key, byte chain) {
    int i = 0;
    while (i < derived && (keys[i] != key || loads[i] != chain)) {
      i++;
    }
    if (i == MAX_DERIVED) {
      return UNKNOWN;
    }
    if (i == derived) {
      keys[i] = key;
      loads[i] = chain;
      derived++;
    }
    return (long) (FIRST_DERIVED + i) << 32;
  }

  /** Whether it is a register's value where the analysis began. */
  public boolean isInitial(long value) {
    return value != UNKNOWN && base(value) < CONSTANT && offset(value) == 0;
  }

  /** Whether it is a word that was loaded, and not changed. */
  public boolean isLoaded(long value) {
    int base = base(value);
    return value != UNKNOWN
        && base >= FIRST_DERIVED
        && loads[base - FIRST_DERIVED] > 0
        && offset(value) == 0;
  }

  /** The address of a word that {@link #isLoaded}. */
  public long addressOf(long value) {
    return keys[base(value) - FIRST_DERIVED];
  }

  /**
   * The value as a term of a {@link CallerRule}.
   *
   * @param numbers DWARF numbers of the registers
   * @return null if it is none
   */
  public int[] term(long value, int[] numbers) {
    if (value == UNKNOWN || base(value) == CONSTANT) {
      return null;
    }
    int base = base(value);
    if (base < FIRST_DERIVED) {
      return new int[] {numbers[base], offset(value)};
    }
    if (loads[base - FIRST_DERIVED] == 0) {
      return null;
    }
    int[] address = term(keys[base - FIRST_DERIVED], numbers);
    if (address == null) {
      return null;
    }
    int[] term = Arrays.copyOf(address, address.length + 1);
    term[address.length] = offset(value);
    return term;
  }
}
