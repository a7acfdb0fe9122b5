package stackweave.tableless.x86;

import static stackweave.tableless.code.Processor.at;

import stackweave.tableless.code.CodePaths;
import stackweave.tableless.code.Processor;
import stackweave.tableless.code.SymbolicValues;

/**
 * What x86-64 instructions do to the registers and the stack, for {@link CodePaths}: pushes, pops,
 * moves, and sums of rsp, rbp and the registers that functions hand back; of all others, which
 * registers they change (Intel SDM volume 2; System V ABI, AMD64 supplement 3.2). Not thread-safe.
 */
final class Forward extends CodePaths {
  /** {@code endbr64; jmp}. */
  private static final int STUB_INSTRUCTIONS = 2;

  private static final int RAX = 0;
  private static final int RCX = 1;
  private static final int RDX = 2;
  private static final int RBX = 3;
  private static final int RSP = 4;
  private static final int RBP = 5;
  private static final int RSI = 6;
  private static final int RDI = 7;
  private static final int R11 = 11;
  private static final int WORD = Processor.WORD;

  /** DWARF numbers by number in the instruction set. */
  private static final int[] NUMBERS = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};

  /** Those of {@code Architecture.calleeSaved}, by number in the instruction set. */
  private static final int[] SAVED = {RBP, RBX, 12, 13, 14, 15};

  private static final int[] CALLER_SAVED = {RAX, RCX, RDX, RSI, RDI, 8, 9, 10, R11};

  private final Instruction instruction = new Instruction();
  private final long[] registers;
  private byte[] bytes;
  private int index;

  Forward() {
    super(Instruction.MAX_LENGTH, NUMBERS, RSP, RBP, SAVED, true);
    registers = state.registers;
  }

  @Override
  protected boolean execute(int at) {
    bytes = code.bytes();
    index = at;
    instruction.decode(bytes, at);
    // What it does to rsp is found here: UNKNOWN matters only where its length isn't known.
    if (instruction.length == 0 || at + instruction.length > code.length()) {
      return false;
    }
    long pc = state.pc;
    state.pc = pc + instruction.length;
    if (instruction.vector || instruction.map != Instruction.ONE_BYTE) {
      return otherMap(pc);
    }
    int op = instruction.opcode;
    boolean more =
        switch (op >> 4) {
          case 5 -> pushOrPop(op);
          case 7 -> branch(state.pc + immediate1());
          case 8 -> eighthRow(op);
          case 0xc -> twelfthRow(op);
          case 0xe -> fourteenthRow(op);
          case 0xf -> lastRow(op);
          default -> plain(op);
        };
    return more && keepStack(pc);
  }

  /** Makes an unknown stack pointer a place, so that what is pushed there is known. */
  private boolean keepStack(long pc) {
    if (registers[RSP] == SymbolicValues.UNKNOWN) {
      registers[RSP] = values.place(pc);
    }
    return true;
  }

  // ---- operands

  private int reg() {
    return instruction.modRm >> 3 & 7 | (instruction.rex & 4) << 1;
  }

  private boolean isDirect() {
    return instruction.modRm >= 0xc0;
  }

  private int rm() {
    return instruction.modRm & 7 | (instruction.rex & 1) << 3;
  }

  private int extension() {
    return instruction.modRm >> 3 & 7;
  }

  /** A register of a byte operand: without a REX prefix, 4 to 7 are the second bytes of 0 to 3. */
  private int byteRegister(int register) {
    return instruction.rex == 0 && register >= 4 ? register - 4 : register;
  }

  private long immediate1() {
    return bytes[index + instruction.length - 1];
  }

  private int immediate4() {
    return i4(index + instruction.length - 4);
  }

  private int i4(int i) {
    return Processor.i4(bytes, i);
  }

  /** The address of the memory operand. */
  private long address() {
    if (instruction.shortAddress) {
      return SymbolicValues.UNKNOWN;
    }
    int mode = instruction.modRm >> 6;
    int low = instruction.modRm & 7;
    int p = instruction.operands + 1;
    long value;
    if (low == RSP) {
      int sib = at(bytes, p++);
      int base = sib & 7 | (instruction.rex & 1) << 3;
      int scaled = sib >> 3 & 7 | (instruction.rex & 2) << 2;
      boolean noBase = mode == 0 && (sib & 7) == RBP;
      value = noBase ? SymbolicValues.constant(i4(p)) : registers[base];
      if (scaled != RSP) {
        boolean single = sib >> 6 == 0;
        value = single ? SymbolicValues.sum(value, registers[scaled]) : SymbolicValues.UNKNOWN;
      }
    } else if (mode == 0 && low == RBP) {
      return SymbolicValues.UNKNOWN; // relative to the pc: never the stack
    } else {
      value = registers[low | (instruction.rex & 1) << 3];
    }
    return switch (mode) {
      case 1 -> SymbolicValues.plus(value, bytes[p]);
      case 2 -> SymbolicValues.plus(value, i4(p));
      default -> value;
    };
  }

  private boolean isWhole() {
    return instruction.isWide();
  }

  private long operand() {
    return isDirect() ? registers[rm()] : state.load(address());
  }

  private boolean setOperand(long value) {
    if (isDirect()) {
      registers[rm()] = value;
    } else {
      state.store(address(), value);
    }
    return true;
  }

  private boolean set(int register, long value) {
    registers[register] = value;
    return true;
  }

  /** The operand of the modRm byte is changed to something that is not known. */
  private boolean lose() {
    return setOperand(SymbolicValues.UNKNOWN);
  }

  private boolean loseByte() {
    if (isDirect()) {
      registers[byteRegister(rm())] = SymbolicValues.UNKNOWN;
    }
    return true;
  }

  private boolean lose(int register) {
    return set(register, SymbolicValues.UNKNOWN);
  }

  private boolean lose(int first, int second) {
    return lose(first) && lose(second);
  }

  private void push(long value) {
    registers[RSP] = SymbolicValues.plus(registers[RSP], -WORD);
    state.store(registers[RSP], value);
  }

  private long pop() {
    long value = state.load(registers[RSP]);
    registers[RSP] = SymbolicValues.plus(registers[RSP], WORD);
    return value;
  }

  // ---- the map of one byte

  private boolean pushOrPop(int op) {
    int register = op & 7 | (instruction.rex & 1) << 3;
    if (instruction.mandatory == 0x66) {
      return false;
    }
    if (op >= 0x58) {
      return set(register, pop());
    }
    if (register == RBP && isFrameBegun()) {
      entry(state.load(registers[RSP]), SymbolicValues.plus(registers[RSP], WORD));
    }
    push(registers[register]);
    return true;
  }

  /** Whether this is push rbp, with the caller's, before mov rbp, rsp: nothing was pushed yet. */
  private boolean isFrameBegun() {
    int next = index + instruction.length;
    return Instruction.isFpSet(bytes, next)
        && next + 3 <= code.length()
        && registers[RBP] == SymbolicValues.initial(RBP)
        && SymbolicValues.haveSameBase(registers[RSP], SymbolicValues.initial(RSP))
        && SymbolicValues.offset(registers[RSP]) >= 0;
  }

  /** Executes instructions that compute, and those without a row of their own. */
  private boolean plain(int op) {
    if (op < 0x40) {
      return compute(op);
    }
    return switch (op) {
      case 0x63, 0x69, 0x6b -> lose(reg());
      case 0x68, 0x6a, 0x9c -> pushed(SymbolicValues.UNKNOWN);
      case 0x6c, 0x6d, 0x6e, 0x6f -> lose(RSI, RDI) && lose(RCX);
      case 0x9d -> popped();
      case 0x90 -> (instruction.rex & 1) == 0 || exchange(RAX, 8);
      case 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97 ->
          exchange(RAX, op & 7 | (instruction.rex & 1) << 3);
      case 0x98, 0x9f -> lose(RAX);
      case 0x99 -> lose(RDX);
      case 0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf ->
          lose(RSI, RDI) && lose(RCX, RAX);
      case 0xd7 -> lose(RAX);
      case 0xdf -> instruction.modRm != 0xe0 || lose(RAX);
      case 0xd0, 0xd2 -> loseByte();
      case 0xd1, 0xd3 -> lose();
      default -> op >> 4 != 0xb || moveConstant(op);
    };
  }

  private boolean pushed(long value) {
    push(value);
    return true;
  }

  private boolean popped() {
    pop();
    return true;
  }

  private boolean exchange(int first, int second) {
    long value = registers[first];
    registers[first] = isWhole() ? registers[second] : SymbolicValues.UNKNOWN;
    registers[second] = isWhole() ? value : SymbolicValues.UNKNOWN;
    return true;
  }

  private boolean moveConstant(int op) {
    int register = op & 7 | (instruction.rex & 1) << 3;
    if (op < 0xb8) {
      return lose(byteRegister(register));
    }
    boolean plain = !isWhole() && instruction.mandatory != 0x66 && immediate4() >= 0;
    registers[register] = plain ? SymbolicValues.constant(immediate4()) : SymbolicValues.UNKNOWN;
    return true;
  }

  /** add, or, adc, sbb, and, sub, xor, cmp. */
  private boolean compute(int op) {
    int operation = op >> 3;
    if (operation == 7) {
      return true;
    }
    switch (op & 7) {
      case 0 -> loseByte();
      case 2 -> lose(byteRegister(reg()));
      case 4, 5 -> lose(RAX);
      case 1 ->
          setOperand(
              isWhole() || isCleared(op)
                  ? result(operation, operand(), registers[reg()])
                  : SymbolicValues.UNKNOWN);
      default ->
          registers[reg()] =
              isWhole() || isCleared(op)
                  ? result(operation, registers[reg()], operand())
                  : SymbolicValues.UNKNOWN;
    }
    return true;
  }

  /** xor of a register with itself. */
  private boolean isCleared(int op) {
    return op >> 3 == 6 && isDirect() && reg() == rm();
  }

  private static long result(int operation, long first, long second) {
    return switch (operation) {
      case 0 -> SymbolicValues.sum(first, second);
      case 5 -> SymbolicValues.difference(first, second);
      case 6 -> first == second ? SymbolicValues.constant(0) : SymbolicValues.UNKNOWN;
      default -> SymbolicValues.UNKNOWN;
    };
  }

  private boolean eighthRow(int op) {
    return switch (op) {
      case 0x80 -> extension() == 7 || loseByte();
      case 0x81, 0x83 -> extension() == 7 || computeConstant(op);
      case 0x86 -> loseByte() && lose(byteRegister(reg()));
      case 0x87 -> exchangeOperand();
      case 0x88, 0x8c -> loseByte();
      case 0x89 -> setOperand(isWhole() ? registers[reg()] : SymbolicValues.UNKNOWN);
      case 0x8a -> lose(byteRegister(reg()));
      case 0x8b -> set(reg(), isWhole() ? operand() : SymbolicValues.UNKNOWN);
      case 0x8d -> set(reg(), isWhole() ? address() : SymbolicValues.UNKNOWN);
      case 0x8f -> setOperand(pop());
      default -> true;
    };
  }

  private boolean exchangeOperand() {
    long value = operand();
    setOperand(isWhole() ? registers[reg()] : SymbolicValues.UNKNOWN);
    return set(reg(), isWhole() ? value : SymbolicValues.UNKNOWN);
  }

  private boolean computeConstant(int op) {
    int operation = extension();
    long number = op == 0x83 ? immediate1() : immediate4();
    boolean adds = isWhole() && (operation == 0 || operation == 5);
    return setOperand(
        adds
            ? SymbolicValues.plus(operand(), operation == 0 ? number : -number)
            : SymbolicValues.UNKNOWN);
  }

  private boolean twelfthRow(int op) {
    return switch (op) {
      case 0xc0, 0xc6 -> loseByte();
      case 0xc1, 0xc7 -> lose();
      case 0xc2 ->
          leave(
              at(bytes, index + instruction.length - 2)
                  | at(bytes, index + instruction.length - 1) << 8);
      case 0xc3 -> leave(0);
      case 0xc9 -> {
        registers[RSP] = registers[RBP];
        keepStack(state.pc);
        yield set(RBP, pop());
      }
      default -> false;
    };
  }

  /** Returns, and drops so many bytes of arguments. */
  private boolean leave(int arguments) {
    long value = pop();
    return returns(value, SymbolicValues.plus(registers[RSP], arguments));
  }

  private boolean fourteenthRow(int op) {
    return switch (op) {
      case 0xe0, 0xe1, 0xe2 -> lose(RCX) && branch(state.pc + immediate1());
      case 0xe3 -> branch(state.pc + immediate1());
      case 0xe4, 0xe5, 0xec, 0xed -> lose(RAX);
      case 0xe8 -> callTo(state.pc + immediate4());
      case 0xe9 -> jump(state.pc + immediate4());
      case 0xeb -> jump(state.pc + immediate1());
      default -> true;
    };
  }

  /**
   * Whether what is behind a call belongs to the next function, since this call does not return:
   * the padding between them, or the beginning of one.
   */
  private boolean isFunctionEnd(int next) {
    int p = next;
    while (at(bytes, p) == 0x66 || at(bytes, p) == 0x2e) {
      p++;
    }
    int first = at(bytes, p);
    int second = at(bytes, p + 1);
    return first == 0xcc // int3
        || first == 0x0f && second == 0x1f // nop of several bytes
        || first == 0x90 && (p > next || isAligned(1)) // nop with prefixes, or the only one
        || first == 0xf3 && second == 0x0f && at(bytes, p + 2) == 0x1e // endbr64
        || isAligned(0) && isPrologue(p, first, second);
  }

  /** Whether functions may begin so many bytes on, as compilers align them. */
  private boolean isAligned(int bytesOn) {
    return (state.pc + bytesOn & 15) == 0;
  }

  /** Saves a register that functions hand back, or makes room on the stack. */
  private boolean isPrologue(int i, int first, int second) {
    return first == 0x55
        || first == 0x53
        || first == 0x41 && second >= 0x54 && second <= 0x57
        || first == 0x48 && (second == 0x83 || second == 0x81) && at(bytes, i + 2) == 0xec;
  }

  private boolean callTo(long target) {
    if (target == state.pc) {
      return pushed(SymbolicValues.UNKNOWN); // to have the pc
    }
    return passCall();
  }

  private boolean passCall() {
    if (!call() || isFunctionEnd(index + instruction.length)) {
      return false;
    }
    lose(CALLER_SAVED);
    return true;
  }

  private boolean lastRow(int op) {
    return switch (op) {
      case 0xf4 -> false;
      case 0xf6 -> group3(true);
      case 0xf7 -> group3(false);
      case 0xfe -> loseByte();
      case 0xff -> lastGroup();
      default -> true;
    };
  }

  /** test, not, neg, mul, div. */
  private boolean group3(boolean single) {
    return switch (extension()) {
      case 0, 1 -> true;
      case 2, 3 -> single ? loseByte() : lose();
      default -> lose(RAX, RDX);
    };
  }

  /** inc, dec, call, jmp, push. */
  private boolean lastGroup() {
    return switch (extension()) {
      case 0 -> setOperand(isWhole() ? SymbolicValues.plus(operand(), 1) : SymbolicValues.UNKNOWN);
      case 1 -> setOperand(isWhole() ? SymbolicValues.plus(operand(), -1) : SymbolicValues.UNKNOWN);
      case 2 -> passCall();
      case 4 -> {
        boolean fromData = instruction.modRm >> 6 == 0 && (instruction.modRm & 7) == RBP;
        yield isDirect()
            ? jumpTo(registers[rm()])
            : fromData ? jumpThroughData() : jumpTo(SymbolicValues.UNKNOWN);
      }
      case 6 -> pushed(operand());
      default -> false;
    };
  }

  private boolean jumpThroughData() {
    long above = SymbolicValues.plus(registers[RSP], WORD);
    return jumpsThroughData(state.load(registers[RSP]), above, STUB_INSTRUCTIONS);
  }

  @Override
  protected boolean tailCall() {
    return returns(state.load(registers[RSP]), SymbolicValues.plus(registers[RSP], WORD));
  }

  private boolean jumpTo(long target) {
    // The return address itself, which was popped.
    if (values.isLoaded(target)) {
      long above = SymbolicValues.difference(registers[RSP], values.addressOf(target));
      if (above != SymbolicValues.UNKNOWN && SymbolicValues.offset(above) >= WORD) {
        return returns(target, registers[RSP]);
      }
    }
    return jumpsElsewhere(state.load(registers[RSP]), SymbolicValues.plus(registers[RSP], WORD));
  }

  // ---- the other maps

  /** Which registers these change; none of them moves a value that a caller needs. */
  private boolean otherMap(long pc) {
    int op = instruction.opcode;
    boolean more =
        switch (instruction.map) {
          case Instruction.MAP_0F -> instruction.vector ? secondMapOfVectors(op) : secondMap(op);
          case Instruction.MAP_0F38 -> op < 0xf0 || op > 0xf7 || loseGeneral(op);
          case Instruction.MAP_0F3A ->
              op >= 0x14 && op <= 0x17
                  ? loseDirect()
                  : !instruction.vector || op != 0xf0 || lose(reg());
          default -> instruction.flow != Instruction.Flow.END && instruction.map <= 6;
        };
    return more && keepStack(pc);
  }

  /** The general registers that instructions with two results write. */
  private boolean loseGeneral(int op) {
    boolean two = instruction.vector && (op == 0xf3 || op == 0xf6);
    return lose(reg()) && (!two || lose(instruction.vvvv));
  }

  /** The operand of the modRm byte is lost if it is a register; memory is not written. */
  private boolean loseDirect() {
    return !isDirect() || lose(rm());
  }

  private boolean secondMapOfVectors(int op) {
    return switch (op) {
      case 0x2c, 0x2d, 0x50, 0x78, 0x79, 0xd7, 0xc5, 0x93 -> lose(reg());
      case 0x7e -> instruction.mandatory != 0x66 || loseDirect();
      default -> true;
    };
  }

  private boolean secondMap(int op) {
    return switch (op >> 4) {
      case 4 -> lose(reg()); // cmov
      case 8 -> branch(state.pc + immediate4());
      case 9 -> loseByte(); // setcc
      case 0xa, 0xb, 0xc -> secondMapOfIntegers(op);
      default -> instruction.flow != Instruction.Flow.END && others(op);
    };
  }

  private boolean others(int op) {
    boolean isF3 = instruction.mandatory == 0xf3;
    return switch (op) {
      case 0x01 -> !isDirect() || lose(RAX, RDX) && lose(RCX);
      case 0x05 -> lose(RAX, RCX) && lose(R11);
      case 0x31, 0x32, 0x33 -> lose(RAX, RDX);
      case 0x2c, 0x2d, 0x50, 0xd7 -> lose(reg());
      case 0x7e -> isF3 || loseDirect();
      case 0x1e -> !isF3 || extension() != 1 || loseDirect(); // rdssp
      default -> true;
    };
  }

  private boolean secondMapOfIntegers(int op) {
    return switch (op) {
      case 0xa0, 0xa8 -> pushed(SymbolicValues.UNKNOWN);
      case 0xa1, 0xa9 -> popped();
      case 0xa2 -> lose(RAX, RBX) && lose(RCX, RDX);
      case 0xa4, 0xa5, 0xab, 0xac, 0xad, 0xb3, 0xbb -> lose();
      case 0xae -> instruction.mandatory != 0xf3 || loseDirect(); // rdfsbase and its kin
      case 0xb0 -> loseByte() && lose(RAX);
      case 0xb1 -> lose() && lose(RAX);
      case 0xba -> extension() <= 4 || lose();
      case 0xc0 -> loseByte() && lose(byteRegister(reg()));
      case 0xc1 -> lose() && lose(reg());
      case 0xc7 -> isDirect() ? lose(rm()) : lose(RAX, RDX);
      case 0xb9 -> false; // ud1
      case 0xa3, 0xa6, 0xa7, 0xaa, 0xc2, 0xc3, 0xc4, 0xc6 -> true;
      default -> lose(op >= 0xc8 ? op & 7 | (instruction.rex & 1) << 3 : reg());
    };
  }
}
