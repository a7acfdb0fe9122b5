package stackweave.unwind.expression;

import java.util.Arrays;
import stackweave.unwind.Architecture;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.SectionReader;

/**
 * Reads the bytes of a DWARF expression as a {@link Program}. Refuses operations that depend on
 * where the library is loaded (DW_OP_addr), call other expressions, or are not allowed in call
 * frame information (DWARF 5 section 6.4.2): no compiler writes them there. Not thread-safe.
 */
public final class ExpressionReader {
  /** The number of rip, which is no register of a {@link stackweave.unwind.Registers}. */
  static final int X86_64_RIP = Architecture.X86_64.ra();

  private static final int NOT_HERE = -1;

  /** Enough for {@link Program#MAX_OPERATIONS}. */
  private static final int MAX_BYTES = 2_048;

  private final SectionReader reader;
  private final Architecture architecture;
  private final Program program = new Program();

  /** By byte of the expression, the number of the operation that begins there. */
  private int[] operations = {};

  /** Jumps by their number, with the byte they lead to. */
  private final int[] jumps = new int[Program.MAX_OPERATIONS];

  private final int[] targets = new int[Program.MAX_OPERATIONS];
  private int jumpCount;

  /** Reads expressions at the position of {@code reader}. */
  public ExpressionReader(SectionReader reader, Architecture architecture) {
    this.reader = reader;
    this.architecture = architecture;
  }

  /**
   * Reads the block at the reader's position, and leaves the reader behind it.
   *
   * @param cfa whether the CFA is on the stack at first
   * @return the program, valid until the next call; null if an operation is refused
   */
  public Program read(boolean cfa) throws MalformedSectionException {
    long length = reader.uleb();
    int from = reader.position();
    int limit = reader.limit();
    reader.skip(length);
    int end = reader.position();
    reader.range(from, end);
    if (length > MAX_BYTES) {
      reader.range(end, limit);
      return null;
    }
    program.clear();
    jumpCount = 0;
    if (operations.length == 0) {
      operations = new int[MAX_BYTES + 1];
    }
    Arrays.fill(operations, 0, (int) length + 1, NOT_HERE);
    if (cfa) {
      program.add(Operation.CFA, 0, 0);
    }
    boolean known = true;
    while (known && reader.hasMore() && program.size() < Program.MAX_OPERATIONS) {
      operations[reader.position() - from] = program.size();
      known = operation(reader.u1(), from);
    }
    known &= !reader.hasMore();
    operations[end - from] = program.size();
    reader.range(end, limit);
    return known && link(end - from) ? program : null;
  }

  /** Replaces the byte offsets that jumps lead to by the numbers of operations. */
  private boolean link(int length) {
    for (int i = 0; i < jumpCount; i++) {
      int target = targets[i];
      if (target < 0 || target > length || operations[target] == NOT_HERE) {
        return false;
      }
      program.setTarget(jumps[i], operations[target]);
    }
    return true;
  }

  private boolean operation(int opcode, int from) throws MalformedSectionException {
    if (opcode >= 0x30 && opcode <= 0x4f) { // lit0..31
      return add(Operation.CONSTANT, opcode - 0x30);
    }
    if (opcode >= 0x70 && opcode <= 0x8f) { // breg0..31
      return register(opcode - 0x70);
    }
    return switch (opcode) {
      case 0x06 -> add(Operation.READ, Long.BYTES);
      case 0x08 -> add(Operation.CONSTANT, reader.u1());
      case 0x09 -> add(Operation.CONSTANT, (byte) reader.u1());
      case 0x0a -> add(Operation.CONSTANT, reader.u2());
      case 0x0b -> add(Operation.CONSTANT, (short) reader.u2());
      case 0x0c -> add(Operation.CONSTANT, reader.u4());
      case 0x0d -> add(Operation.CONSTANT, reader.s4());
      case 0x0e, 0x0f -> add(Operation.CONSTANT, reader.s8());
      case 0x10 -> add(Operation.CONSTANT, reader.uleb());
      case 0x11 -> add(Operation.CONSTANT, reader.sleb());
      case 0x12 -> add(Operation.PICK, 0); // dup
      case 0x14 -> add(Operation.PICK, 1); // over
      case 0x15 -> add(Operation.PICK, reader.u1());
      case 0x23 -> add(Operation.CONSTANT, reader.uleb()) && add(Operation.PLUS, 0); // plus_uconst
      case 0x28 -> jump(Operation.JUMP_IF, from); // bra
      case 0x2f -> jump(Operation.JUMP, from); // skip
      case 0x92 -> register(reader.register()); // bregx
      case 0x94 -> add(Operation.READ, reader.u1()); // deref_size
      case 0x96 -> true; // nop
      default -> {
        Operation plain = Operation.ofDwarf(opcode);
        yield plain != null && add(plain, 0);
      }
    };
  }

  private boolean add(Operation operation, long operand) {
    program.add(operation, 0, operand);
    return true;
  }

  private boolean register(int register) throws MalformedSectionException {
    long offset = reader.sleb();
    if (architecture == Architecture.X86_64 && register == X86_64_RIP) {
      return add(Operation.PC, offset);
    }
    program.add(Operation.REGISTER, register, offset);
    return true;
  }

  private boolean jump(Operation operation, int from) throws MalformedSectionException {
    int distance = (short) reader.u2();
    jumps[jumpCount] = program.size();
    targets[jumpCount++] = reader.position() - from + distance;
    return add(operation, 0);
  }
}
