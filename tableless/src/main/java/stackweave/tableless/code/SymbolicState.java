package stackweave.tableless.code;

import java.util.Arrays;

/**
 * What registers and the words that a function has stored hold, in terms of the registers at the pc
 * where an analysis began. One point of a way through the code; copied where ways part. Not
 * thread-safe.
 *
 * <p>A value is a base and an offset of 32 bits, see {@link SymbolicValues}.
 */
public final class SymbolicState {
  private static final int MAX_STORES = 96;
  private static final int FIRST_STORES = 8;

  public final long[] registers;
  public long pc;
  private final SymbolicValues values;
  private long[] addresses = new long[FIRST_STORES];
  private long[] stored = new long[FIRST_STORES];
  private int stores;

  /** Whether a store was not kept: a word that is not found may have been overwritten. */
  private boolean full;

  public SymbolicState(SymbolicValues values, int registers) {
    this.values = values;
    this.registers = new long[registers];
  }

  /** Sets all registers to their values where the analysis begins, with nothing stored. */
  public void begin(long pc) {
    this.pc = pc;
    for (int i = 0; i < registers.length; i++) {
      registers[i] = SymbolicValues.initial(i);
    }
    stores = 0;
    full = false;
  }

  /** Takes over all of {@code other}. */
  public void copyFrom(SymbolicState other) {
    System.arraycopy(other.registers, 0, registers, 0, registers.length);
    pc = other.pc;
    if (addresses.length < other.stores) {
      addresses = new long[other.addresses.length];
      stored = new long[other.addresses.length];
    }
    System.arraycopy(other.addresses, 0, addresses, 0, other.stores);
    System.arraycopy(other.stored, 0, stored, 0, other.stores);
    stores = other.stores;
    full = other.full;
  }

  /** Stores a word; what is stored at an unknown address is taken to be none of the frame's. */
  public void store(long address, long value) {
    if (!values.isFrame(address)) {
      return;
    }
    for (int i = 0; i < stores; i++) {
      if (addresses[i] == address) {
        stored[i] = value;
        return;
      }
    }
    if (stores == MAX_STORES) {
      full = true;
      return;
    }
    if (stores == addresses.length) {
      addresses = Arrays.copyOf(addresses, 2 * stores);
      stored = Arrays.copyOf(stored, 2 * stores);
    }
    addresses[stores] = address;
    stored[stores++] = value;
  }

  /** The word at an address. */
  public long load(long address) {
    for (int i = 0; i < stores; i++) {
      if (addresses[i] == address) {
        return stored[i];
      }
    }
    return full ? SymbolicValues.UNKNOWN : values.loaded(address);
  }
}
