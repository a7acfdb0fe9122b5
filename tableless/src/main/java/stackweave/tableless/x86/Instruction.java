package stackweave.tableless.x86;

import static stackweave.tableless.code.Processor.at;

import stackweave.tableless.code.Processor;

/**
 * Decodes an x86-64 instruction: its length, where it goes, what it does to rsp. Knows the one-byte
 * map, the maps 0F, 0F38 and 0F3A, and their VEX and EVEX forms (Intel SDM volume 2, appendix A),
 * and the length of XOP; a byte that begins no instruction of these is {@link Flow#UNKNOWN}, and so
 * is a change of rsp by anything but a constant. Mutable; not thread-safe.
 */
final class Instruction {
  /** Where the instruction leads. */
  enum Flow {
    /** To the next one. */
    NEXT,
    /** To the next one or to {@link #target}. */
    BRANCH,
    /** To {@link #target}. */
    JUMP,
    /** Out of the function or to an unknown place; also calls, because some do not return. */
    END,
    /** Not understood. */
    UNKNOWN
  }

  static final int NONE = -1;

  /** How many bytes an instruction has at most. */
  static final int MAX_LENGTH = 15;

  // The maps of opcodes.
  static final int ONE_BYTE = 0;
  static final int MAP_0F = 1;
  static final int MAP_0F38 = 2;
  static final int MAP_0F3A = 3;

  private static final int RSP = 4;
  private static final int OPERAND_SIZE = 0x66;
  private static final int ADDRESS_SIZE = 0x67;
  private static final int XOP = 0x8f;

  // What follows an opcode.
  private static final int NOTHING = 0;
  private static final int MODRM = 1;
  private static final int IMM8 = 2;
  private static final int IMM32 = 4;
  private static final int IMM64 = 8;
  private static final int BAD = 16;

  /** The prefixes by their number in vector forms. */
  private static final int[] MANDATORY = {0, OPERAND_SIZE, 0xf3, 0xf2};

  int length;
  Flow flow;

  /** Index of the code that a direct jump leads to. */
  int target;

  /** How much further from its start the stack reaches behind the instruction, in bytes. */
  int pushed;

  /** Which map {@link #opcode} is of. */
  int map;

  int opcode;

  /** Whether the opcode is of a VEX, EVEX or XOP form. */
  boolean vector;

  /** The byte of that name, or {@link #NONE}; it is at {@link #operands}. */
  int modRm;

  /** Index of the byte behind the opcode. */
  int operands;

  /** The REX prefix, 0 for none; of a vector form one with the same extensions of registers. */
  int rex;

  /** The additional register of a VEX or EVEX form, 0 to 15. */
  int vvvv;

  /** The last of the prefixes 66, F2 and F3, also as vector forms have it; 0 for none. */
  int mandatory;

  /** Whether addresses have 32 bits. */
  boolean shortAddress;

  private byte[] code;
  private boolean narrow;

  /** Decodes the instruction at {@code code[i]}; outside of the array there is none. */
  void decode(byte[] bytes, int i) {
    code = bytes;
    flow = Flow.NEXT;
    target = NONE;
    pushed = 0;
    rex = 0;
    modRm = NONE;
    map = ONE_BYTE;
    vector = false;
    int p = prefixes(i);
    int first = at(code, p);
    if (first == 0xc5 || first == 0xc4 || first == 0x62) {
      vector(i, p, first);
    } else if (first == XOP && (at(code, p + 1) & 31) >= 8) {
      xop(i, p);
    } else if (first == 0x0f) {
      escaped(i, p + 1);
    } else {
      opcode = first;
      operands = p + 1;
      finish(i, first < 0 ? BAD : oneByteForm(first));
      if (flow != Flow.UNKNOWN) {
        oneByteEffect(i);
      }
    }
  }

  private int prefixes(int i) {
    int p = i;
    narrow = false;
    mandatory = 0;
    shortAddress = false;
    while (p - i < MAX_LENGTH) {
      int b = at(code, p);
      boolean prefix =
          b == OPERAND_SIZE
              || b == ADDRESS_SIZE
              || b == 0xf2
              || b == 0xf3
              || b == 0xf0
              || b == 0x2e
              || b == 0x3e
              || b == 0x64
              || b == 0x65;
      if (!prefix) {
        break;
      }
      narrow |= b == OPERAND_SIZE;
      shortAddress |= b == ADDRESS_SIZE;
      mandatory = b == OPERAND_SIZE || b == 0xf2 || b == 0xf3 ? b : mandatory;
      p++;
    }
    if (at(code, p) >> 4 == 4) {
      rex = at(code, p);
      p++;
    }
    return p;
  }

  /** C5, C4 and 62 are always vector prefixes in 64-bit code; none of these touches rsp. */
  private void vector(int i, int p, int first) {
    vector = true;
    map = first == 0xc5 ? MAP_0F : first == 0xc4 ? at(code, p + 1) & 31 : at(code, p + 1) & 7;
    int extensions = ~at(code, p + 1) >> 5 & (first == 0xc5 ? 4 : 7);
    int last = at(code, first == 0xc5 ? p + 1 : p + 2);
    rex = 0x40 | extensions | (first != 0xc5 ? last >> 4 & 8 : 0);
    vvvv = ~last >> 3 & 15;
    mandatory = MANDATORY[last & 3];
    int prefixLength = first == 0xc5 ? 2 : first == 0xc4 ? 3 : 4;
    opcode = at(code, p + prefixLength);
    operands = p + prefixLength + 1;
    int form =
        switch (map) {
          case 1 -> opcode == 0x77 ? NOTHING : secondMapForm(opcode) & ~IMM32;
          case 2, 5, 6 -> MODRM;
          case 3 -> MODRM | IMM8;
          default -> BAD;
        };
    finish(i, opcode < 0 ? BAD : form);
    boolean general = map == 2 && opcode >= 0xf2 && opcode <= 0xf7 || map == 3 && opcode == 0xf0;
    if (general && (modRm >> 3 & 7) == RSP && (at(code, p + 1) & 0x80) != 0) {
      flow = Flow.UNKNOWN;
    }
  }

  /** AMD's forms of 2009 to 2017: no library of today runs them, they are data taken for code. */
  private void xop(int i, int p) {
    vector = true;
    map = at(code, p + 1) & 31;
    opcode = at(code, p + 3);
    operands = p + 4;
    finish(i, opcode < 0 || map > 10 ? BAD : MODRM | (map == 8 ? IMM8 : map == 10 ? IMM32 : 0));
    flow = flow == Flow.UNKNOWN ? flow : Flow.END;
  }

  private void escaped(int i, int p) {
    map = MAP_0F;
    opcode = at(code, p);
    operands = p + 1;
    if (opcode == 0x38 || opcode == 0x3a) {
      map = opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
      int form = opcode == 0x38 ? MODRM : MODRM | IMM8;
      opcode = at(code, p + 1);
      operands = p + 2;
      finish(i, opcode < 0 ? BAD : form);
      return;
    }
    finish(i, opcode < 0 ? BAD : secondMapForm(opcode));
    if (flow == Flow.UNKNOWN) {
      return;
    }
    if (opcode >> 4 == 8) {
      flow = Flow.BRANCH;
      target = i + length + i4(i + length - 4);
    } else if (opcode == 0x0b || opcode == 0xb9 || opcode == 0xff) {
      flow = Flow.END; // ud2, ud1, ud0
    } else if (isGeneralSecondMap(opcode) && (isRegister(RSP) || isDirect(RSP))) {
      flow = Flow.UNKNOWN;
    }
  }

  /** Those of the second map that may write a general register. */
  private static boolean isGeneralSecondMap(int op) {
    return op >> 4 == 4
        || op >> 4 == 9
        || op >= 0xa3 && op <= 0xaf && op != 0xae
        || op >= 0xb0 && op <= 0xc1
        || op >= 0xc8 && op <= 0xcf;
  }

  private void finish(int i, int form) {
    if (form == BAD) {
      flow = Flow.UNKNOWN;
      length = 0;
      return;
    }
    int p = operands;
    if ((form & MODRM) != 0) {
      modRm = at(code, p);
      p += modRmLength(p);
    }
    if ((form & IMM8) != 0) {
      p++;
    }
    if ((form & IMM32) != 0) {
      boolean branch = opcode == 0xe8 || opcode == 0xe9 || map == MAP_0F && opcode >> 4 == 8;
      p += narrow && !isWide() && !branch ? 2 : 4;
    }
    if ((form & IMM64) != 0) {
      p += 8;
    }
    length = p - i;
    if (p > code.length) {
      flow = Flow.UNKNOWN;
    }
  }

  private int modRmLength(int p) {
    int mode = modRm >> 6;
    int rm = modRm & 7;
    if (mode == 3) {
      return 1;
    }
    int sib = rm == RSP ? 1 : 0;
    boolean noBase = sib == 1 && mode == 0 && (at(code, p + 1) & 7) == 5;
    int displacement = mode == 1 ? 1 : mode == 2 || noBase || mode == 0 && rm == 5 ? 4 : 0;
    return 1 + sib + displacement;
  }

  private int oneByteForm(int op) {
    if (op < 0x40) {
      return switch (op & 7) {
        case 0, 1, 2, 3 -> MODRM;
        case 4 -> IMM8;
        case 5 -> IMM32;
        default -> BAD;
      };
    }
    return switch (op >> 4) {
      case 5, 9 -> op == 0x9a ? BAD : NOTHING;
      case 6 -> sixthRowForm(op);
      case 7 -> IMM8;
      case 8 -> op == 0x82 ? BAD : op == 0x81 ? MODRM | IMM32 : op < 0x84 ? MODRM | IMM8 : MODRM;
      case 0xa -> op < 0xa4 ? BAD : op == 0xa8 ? IMM8 : op == 0xa9 ? IMM32 : NOTHING;
      case 0xb -> op < 0xb8 ? IMM8 : isWide() ? IMM64 : IMM32;
      case 0xc -> twelfthRowForm(op);
      case 0xd -> op < 0xd4 || op >= 0xd8 ? MODRM : op == 0xd7 ? NOTHING : BAD;
      case 0xe -> op == 0xe8 || op == 0xe9 ? IMM32 : op == 0xea ? BAD : op < 0xec ? IMM8 : NOTHING;
      case 0xf -> lastRowForm(op);
      default -> BAD;
    };
  }

  private static int sixthRowForm(int op) {
    return switch (op) {
      case 0x63 -> MODRM;
      case 0x68 -> IMM32;
      case 0x69 -> MODRM | IMM32;
      case 0x6a -> IMM8;
      case 0x6b -> MODRM | IMM8;
      case 0x6c, 0x6d, 0x6e, 0x6f -> NOTHING;
      default -> BAD;
    };
  }

  private static int twelfthRowForm(int op) {
    return switch (op) {
      case 0xc0, 0xc1, 0xc6 -> MODRM | IMM8;
      case 0xc7 -> MODRM | IMM32;
      case 0xc3, 0xc9, 0xcb, 0xcc -> NOTHING;
      case 0xcd -> IMM8;
      default -> BAD;
    };
  }

  private int lastRowForm(int op) {
    return switch (op) {
      case 0xf4, 0xf5, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd -> NOTHING;
      case 0xf6 -> (at(code, operands) >> 3 & 6) == 0 ? MODRM | IMM8 : MODRM;
      case 0xf7 -> (at(code, operands) >> 3 & 6) == 0 ? MODRM | IMM32 : MODRM;
      case 0xfe, 0xff -> MODRM;
      default -> BAD;
    };
  }

  private static int secondMapForm(int op) {
    return switch (op >> 4) {
      case 0 ->
          op == 0x05 || op == 0x0b || op == 0x0e ? NOTHING : op == 0x01 || op == 0x0d ? MODRM : BAD;
      case 1, 4, 5, 6, 9, 0xd, 0xe, 0xf -> MODRM;
      case 2 -> op >= 0x28 ? MODRM : BAD;
      case 3 -> op <= 0x33 ? NOTHING : BAD;
      case 7 -> op <= 0x73 ? MODRM | IMM8 : op == 0x77 ? NOTHING : MODRM;
      case 8 -> IMM32;
      case 0xa -> tenthRowForm(op);
      case 0xb -> op == 0xba ? MODRM | IMM8 : MODRM;
      case 0xc ->
          op >= 0xc8 ? NOTHING : op == 0xc2 || op >= 0xc4 && op <= 0xc6 ? MODRM | IMM8 : MODRM;
      default -> BAD;
    };
  }

  private static int tenthRowForm(int op) {
    return switch (op) {
      case 0xa2 -> NOTHING;
      case 0xa4, 0xac -> MODRM | IMM8;
      case 0xa3, 0xa5, 0xab, 0xad, 0xae, 0xaf -> MODRM;
      default -> BAD;
    };
  }

  boolean isWide() {
    return (rex & 8) != 0;
  }

  /** Whether the operand in modRm's reg field is that general register. */
  private boolean isRegister(int register) {
    return modRm != NONE && (modRm >> 3 & 7) == register && (rex & 4) == 0;
  }

  /** Whether the operand in modRm's other field is that general register itself. */
  private boolean isDirect(int register) {
    return modRm >= 0xc0 && (modRm & 7) == register && (rex & 1) == 0;
  }

  /** {@code mov %rsp,%rbp}, in either encoding. */
  static boolean isFpSet(byte[] code, int i) {
    return at(code, i) == 0x48
        && (at(code, i + 1) == 0x89 && at(code, i + 2) == 0xe5
            || at(code, i + 1) == 0x8b && at(code, i + 2) == 0xec);
  }

  private int extension() {
    return modRm >> 3 & 7;
  }

  private void oneByteEffect(int i) {
    switch (opcode >> 4) {
      case 5 -> pushOrPop();
      case 7 -> branch(i, Flow.BRANCH, code[i + length - 1]);
      case 0xe -> jump(i);
      default -> {
        if (opcode == 0xff) {
          lastGroup();
        } else if (isEnd(opcode)) {
          flow = Flow.END;
        } else {
          stackEffect(i);
        }
      }
    }
  }

  private static boolean isEnd(int op) {
    return op == 0xc3 || op == 0xc2 || op == 0xcb || op == 0xcc || op == 0xf4;
  }

  private void pushOrPop() {
    int register = opcode & 7 | (rex & 1) << 3;
    if (narrow || register == RSP) {
      flow = Flow.UNKNOWN;
    } else if (opcode < 0x58) {
      pushed = 8;
    } else {
      pushed = -8;
    }
  }

  private void jump(int i) {
    switch (opcode) {
      case 0xe0, 0xe1, 0xe2, 0xe3 -> branch(i, Flow.BRANCH, code[i + length - 1]);
      case 0xe8 -> flow = Flow.END;
      case 0xe9 -> branch(i, Flow.JUMP, i4(i + length - 4));
      case 0xeb -> branch(i, Flow.JUMP, code[i + length - 1]);
      default -> {}
    }
  }

  private void branch(int i, Flow kind, int distance) {
    flow = kind;
    target = i + length + distance;
  }

  /** inc, dec, call, jmp, push. */
  private void lastGroup() {
    switch (extension()) {
      case 0, 1 -> flow = isDirect(RSP) ? Flow.UNKNOWN : Flow.NEXT;
      case 2, 4 -> flow = Flow.END;
      case 6 -> pushed = 8;
      default -> flow = Flow.UNKNOWN;
    }
  }

  private void stackEffect(int i) {
    switch (opcode) {
      case 0x68, 0x6a, 0x9c -> pushed = 8;
      case 0x9d -> pushed = -8;
      case 0x8f -> popToMemory();
      case 0x81, 0x83 -> addConstant(i);
      case 0x8d -> loadAddress();
      case 0x89 -> flow = isDirect(RSP) ? Flow.UNKNOWN : flow;
      case 0x38, 0x39, 0x3a, 0x3b, 0x84, 0x85, 0x88, 0xf6 -> {}
      case 0x94, 0xbc, 0xc9 -> flow = (rex & 1) == 1 && opcode != 0xc9 ? Flow.NEXT : Flow.UNKNOWN;
      default -> flow = isRegister(RSP) && writesRegister() || isDirect(RSP) ? Flow.UNKNOWN : flow;
    }
  }

  /** Whether a form that has both writes the operand in the reg field. */
  private boolean writesRegister() {
    return opcode < 0x40 && (opcode & 2) != 0
        || opcode == 0x63
        || opcode == 0x69
        || opcode == 0x6b
        || opcode == 0x86
        || opcode == 0x87
        || opcode == 0x8b;
  }

  private void popToMemory() {
    pushed = -8;
    flow = isDirect(RSP) ? Flow.UNKNOWN : Flow.NEXT;
  }

  private void addConstant(int i) {
    if (!isDirect(RSP) || extension() == 7) {
      return;
    }
    int constant = opcode == 0x83 ? code[i + length - 1] : i4(i + length - 4);
    if (!isWide() || narrow || extension() != 0 && extension() != 5) {
      flow = Flow.UNKNOWN;
      return;
    }
    pushed = extension() == 5 ? constant : -constant;
  }

  /** lea rsp, [rsp + n]. */
  private void loadAddress() {
    if (!isRegister(RSP)) {
      return;
    }
    boolean plain = (modRm & 7) == RSP && at(code, operands + 1) == 0x24 && (rex & 3) == 0;
    if (!plain || !isWide() || modRm >> 6 == 0) {
      flow = Flow.UNKNOWN;
      return;
    }
    pushed = modRm >> 6 == 1 ? -code[operands + 2] : -i4(operands + 2);
  }

  private int i4(int i) {
    return Processor.i4(code, i);
  }
}
