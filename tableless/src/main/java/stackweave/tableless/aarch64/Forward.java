package stackweave.tableless.aarch64;

import stackweave.tableless.code.CodePaths;
import stackweave.tableless.code.SymbolicValues;
import stackweave.unwind.Architecture;

/**
 * What AArch64 instructions do to the registers and the stack, for {@link CodePaths}: loads and
 * stores of registers, moves, and sums with constants; of all others, which registers they change
 * (Arm Architecture Reference Manual, A64; AAPCS64). Signing a return address leaves it as it is:
 * its signature is taken off where it is used. Not thread-safe.
 */
final class Forward extends CodePaths {
  /** {@code bti; adrp; ldr; add; br x17}. */
  private static final int STUB_INSTRUCTIONS = 5;

  private static final int X29 = 29;
  private static final int X30 = 30;
  private static final int SP = 31;
  private static final int ZERO = 31;
  private static final int WORD = 8;
  private static final int NOP = 0xd503201f;
  private static final int SIGN_A = 0xd503233f; // paciasp
  private static final int SIGN_B = 0xd503237f; // pacibsp
  private static final int PUSH_LINK = 0xa9bf7bfd; // stp x29, x30, [sp, #-16]!

  /** Registers by number, sp in the place of the zero register: the DWARF numbers. */
  private static final int[] NUMBERS = new int[32];

  private static final int[] CALLER_SAVED = new int[20];

  static {
    for (int i = 0; i < NUMBERS.length; i++) {
      NUMBERS[i] = i;
    }
    for (int i = 0; i < 19; i++) {
      CALLER_SAVED[i] = i;
    }
    CALLER_SAVED[19] = X30;
  }

  private final long[] registers;
  private int word;

  Forward() {
    super(NativeCode.LENGTH, NUMBERS, SP, X29, Architecture.AARCH64.calleeSaved(), false);
    registers = state.registers;
  }

  @Override
  protected boolean execute(int index) {
    if (index + NativeCode.LENGTH > code.length()) {
      return false;
    }
    word = NativeCode.at(code.bytes(), index);
    long pc = state.pc;
    state.pc = pc + NativeCode.LENGTH;
    boolean more =
        switch (word >>> 25 & 15) {
          case 8, 9 -> constants();
          case 10, 11 -> branches(pc, index);
          case 4, 6, 12, 14 -> loadsAndStores();
          case 5, 13 -> computing();
          case 7, 15 -> floats();
          default -> false; // no instruction, or one of SVE, which changes no register of these
        };
    if (more && registers[SP] == SymbolicValues.UNKNOWN) {
      registers[SP] = values.place(pc);
    }
    return more;
  }

  private int field(int shift) {
    return word >>> shift & 31;
  }

  /** A register as operand, where 31 is zero. */
  private long value(int register) {
    return register == ZERO ? SymbolicValues.constant(0) : registers[register];
  }

  private void set(int register, long value) {
    if (register != ZERO) {
      registers[register] = value;
    }
  }

  private boolean lose(int register) {
    set(register, SymbolicValues.UNKNOWN);
    return true;
  }

  private boolean isWhole() {
    return word < 0;
  }

  // ---- computing

  private boolean constants() {
    int to = field(0);
    switch (word >>> 23 & 7) {
      case 2 -> addConstant(to); // add, sub
      case 4 -> { // and, orr, eor write sp; ands does not
        if (to == ZERO && (word >>> 29 & 3) != 3) {
          registers[SP] = SymbolicValues.UNKNOWN;
        } else {
          lose(to);
        }
      }
      case 5 -> { // movz; movn and movk
        boolean plain = (word >>> 29 & 3) == 2 && (word >>> 21 & 3) == 0;
        set(to, plain ? SymbolicValues.constant(word >>> 5 & 0xffff) : SymbolicValues.UNKNOWN);
      }
      default -> lose(to);
    }
    return true;
  }

  private void addConstant(int to) {
    boolean setsFlags = (word >>> 29 & 1) != 0;
    long number = (word >>> 10 & 0xfff) << ((word >>> 22 & 1) * 12);
    long sum = SymbolicValues.plus(registers[field(5)], (word >>> 30 & 1) == 0 ? number : -number);
    if (setsFlags) {
      set(to, SymbolicValues.UNKNOWN);
    } else {
      registers[to] = isWhole() ? sum : SymbolicValues.UNKNOWN;
    }
  }

  private boolean computing() {
    int to = field(0);
    if ((word & 0xffe0_ffe0) == 0xaa00_03e0) {
      set(to, value(field(16))); // mov
    } else if ((word & 0xbfe0_0000) == 0x8b20_0000) {
      // add, sub of an extended register: the only ones here that write sp
      boolean plain = (word >>> 10 & 7) == 0;
      long from = registers[field(5)];
      long other = plain ? value(field(16)) : SymbolicValues.UNKNOWN;
      registers[to] =
          (word >>> 30 & 1) == 0
              ? SymbolicValues.sum(from, other)
              : SymbolicValues.difference(from, other);
    } else if ((word & 0x1fe0_0000) != 0x1a40_0000) { // not ccmp, which has no destination
      lose(to);
    }
    return true;
  }

  /** Conversions and moves to general registers; all others write vectors. */
  private boolean floats() {
    boolean scalar = (word & 0x5f20_0000) == 0x1e20_0000 && (word >>> 10 & 63) == 0;
    int operation = word >>> 16 & 7;
    boolean toGeneral = scalar && operation != 2 && operation != 3 && operation != 7;
    boolean fixed = (word & 0x5f20_0000) == 0x1e00_0000 && (word >>> 17 & 3) == 0;
    boolean element =
        (word & 0xbfe0_cc00) == 0x0e00_0c00 && (word >>> 12 & 1) == 0
            || (word & 0xbfe0_fc00) == 0x0e00_3c00
            || (word & 0xbfe0_fc00) == 0x0e00_2c00;
    return !(toGeneral || fixed || element) || lose(field(0));
  }

  // ---- branches

  @Override
  protected boolean tailCall() {
    return returns(registers[X30], registers[SP]);
  }

  private boolean branches(long pc, int index) {
    if ((word & 0x7c00_0000) == 0x1400_0000) { // b, bl
      long target = pc + ((long) (word << 6) >> 4);
      return word < 0 ? passCall(index) : jump(target);
    }
    if ((word & 0xff00_0000) == 0x5400_0000 || (word & 0x7e00_0000) == 0x3400_0000) {
      return branch(pc + ((word << 8 >> 13) << 2)); // b.cond, cbz, cbnz
    }
    if ((word & 0x7e00_0000) == 0x3600_0000) {
      return branch(pc + ((word << 13 >> 18) << 2)); // tbz, tbnz
    }
    if ((word & 0xfe00_0000) == 0xd600_0000) {
      return toRegister(index);
    }
    if ((word & 0xffe0_001f) == NativeCode.SYSTEM_CALL) {
      return lose(0);
    }
    if ((word & 0xff00_0000) == 0xd400_0000) {
      return false; // brk, hlt
    }
    if ((word & 0xfff0_0000) == 0xd530_0000) {
      return lose(field(0)); // mrs
    }
    return true; // hints, barriers, msr
  }

  /** br, blr, ret, and those that authenticate. */
  private boolean toRegister(int index) {
    int link = X30;
    return switch (word >>> 21 & 15) {
      case 0, 8 ->
          field(5) == NativeCode.LINKAGE_REGISTER
              ? jumpsThroughData(registers[link], registers[SP], STUB_INSTRUCTIONS)
              : jumpsElsewhere(registers[link], registers[SP]);
      case 1, 9 -> passCall(index);
      case 2 -> {
        boolean signed = (word & 0x800) != 0;
        yield returns(registers[signed ? link : field(5)], registers[SP]);
      }
      default -> false;
    };
  }

  private boolean passCall(int index) {
    int next = NativeCode.at(code.bytes(), index + NativeCode.LENGTH);
    boolean anotherFunction =
        next == 0
            || next == NOP
            || next == SIGN_A
            || next == SIGN_B
            || next == NativeCode.LANDING_PAD
            || (next & 0xffc0_7fff) == (PUSH_LINK & 0xffc0_7fff);
    if (!call() || anotherFunction) {
      return false;
    }
    lose(CALLER_SAVED);
    return true;
  }

  // ---- loads and stores

  private boolean loadsAndStores() {
    if ((word & 0x3a00_0000) == 0x2800_0000) {
      return pair();
    }
    if ((word & 0x3b00_0000) == 0x3900_0000) {
      return single((long) (word >>> 10 & 0xfff) << (word >>> 30), false, false);
    }
    if ((word & 0x3b20_0000) == 0x3800_0000) {
      long offset = word << 11 >> 23;
      int mode = word >>> 10 & 3;
      return single(mode == 1 ? 0 : offset, mode == 1 || mode == 3, mode == 1);
    }
    boolean vector = (word >>> 26 & 1) != 0;
    if ((word & 0x3b00_0000) == 0x1800_0000) {
      return vector || lose(field(0)); // relative to the pc
    }
    if (vector) {
      // Structures of vectors, whose base may be moved behind them.
      return (word >>> 23 & 1) == 0 || loseBase(field(5));
    }
    boolean indexed = (word & 0x3b20_0c00) == 0x3820_0800;
    if (indexed && (word >>> 22 & 3) == 0) {
      return true; // a store
    }
    // Atomic and exclusive ones, and loads with an index: what they load, and their status.
    lose(field(0));
    return (word & 0x3b00_0000) == 0x3800_0000 || lose(field(16)) && lose(field(10));
  }

  private boolean loseBase(int base) {
    registers[base] = SymbolicValues.UNKNOWN;
    return true;
  }

  private boolean pair() {
    int base = field(5);
    int mode = word >>> 23 & 3;
    boolean vector = (word >>> 26 & 1) != 0;
    int size = word >>> 30;
    int scale = vector ? 2 + size : size == 2 ? 3 : 2;
    long offset = (long) (word << 10 >> 25) << scale;
    long address = mode == 1 ? registers[base] : SymbolicValues.plus(registers[base], offset);
    boolean load = (word >>> 22 & 1) != 0;
    boolean whole = !vector && size == 2;
    if (load && !vector) {
      long first = whole ? state.load(address) : SymbolicValues.UNKNOWN;
      long second = whole ? state.load(SymbolicValues.plus(address, WORD)) : SymbolicValues.UNKNOWN;
      moveBase(base, offset, mode == 1 || mode == 3);
      set(field(0), first);
      set(field(10), second);
      return true;
    }
    if (whole) {
      noteEntry(base, mode, offset);
      state.store(address, value(field(0)));
      state.store(SymbolicValues.plus(address, WORD), value(field(10)));
    }
    moveBase(base, offset, mode == 1 || mode == 3);
    return true;
  }

  /** stp x29, x30, [sp, #-n]!, with the caller's of both: a function begins. */
  private void noteEntry(int base, int mode, long offset) {
    long sp = registers[SP];
    if (mode == 3
        && base == SP
        && offset < 0
        && field(0) == X29
        && field(10) == X30
        && registers[X29] == SymbolicValues.initial(X29)
        && registers[X30] == SymbolicValues.initial(X30)
        && SymbolicValues.haveSameBase(sp, SymbolicValues.initial(SP))
        && SymbolicValues.offset(sp) >= 0) {
      entry(registers[X30], sp);
    }
  }

  private void moveBase(int base, long offset, boolean moves) {
    if (moves) {
      registers[base] = SymbolicValues.plus(registers[base], offset);
    }
  }

  /**
   * A load or store of one register.
   *
   * @param offset of the address from the base
   * @param moves whether the base is moved
   * @param after whether it is moved behind the access
   */
  private boolean single(long offset, boolean moves, boolean after) {
    int base = field(5);
    boolean vector = (word >>> 26 & 1) != 0;
    int size = word >>> 30;
    int operation = word >>> 22 & 3;
    long address = SymbolicValues.plus(registers[base], offset);
    boolean whole = !vector && size == 3;
    if (!vector && operation == 0) {
      state.store(address, whole ? value(field(0)) : SymbolicValues.UNKNOWN);
    }
    long loaded = whole && operation == 1 ? state.load(address) : SymbolicValues.UNKNOWN;
    if (moves) {
      moveBase(base, after ? word << 11 >> 23 : offset, true);
    }
    boolean prefetch = size == 3 && operation == 2;
    if (!vector && operation != 0 && !prefetch) {
      set(field(0), loaded);
    }
    return true;
  }
}
