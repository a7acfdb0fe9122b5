package stackweave.engine.bpf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes the instructions of a BPF program (Documentation/bpf/standardization/instruction-set.rst;
 * struct bpf_insn in include/uapi/linux/bpf.h). Has only the instructions that the agent's programs
 * need. Not thread-safe.
 */
public final class BpfCode {
  /** The register that points behind the program's stack. */
  public static final int FRAME = 10;

  // Functions of the kernel (enum bpf_func_id in include/uapi/linux/bpf.h).

  public static final int MAP_LOOKUP_ELEM = 1;
  public static final int MAP_UPDATE_ELEM = 2;
  public static final int KTIME_GET_NS = 5;
  public static final int GET_SMP_PROCESSOR_ID = 8;
  public static final int GET_CURRENT_PID_TGID = 14;
  public static final int GET_CURRENT_COMM = 16;

  /** Since Linux 5.5. */
  public static final int PROBE_READ_USER = 112;

  /** Since Linux 5.7. */
  public static final int GET_NS_CURRENT_PID_TGID = 120;

  /** Since Linux 5.8, as is {@link #RINGBUF_SUBMIT}. */
  public static final int RINGBUF_RESERVE = 131;

  public static final int RINGBUF_SUBMIT = 132;

  /** A flag of {@link #RINGBUF_SUBMIT}: wakes no reader. */
  public static final int NO_WAKEUP = 1;

  static final int BYTES = 8;

  private static final int MAX_INSTRUCTIONS = 256;
  private static final int MOVE = 0xb7;
  private static final int MOVE_REGISTER = 0xbf;
  private static final int LOAD_64 = 0x18;
  private static final int FROM_MAP = 1;
  private static final int FROM_MAP_VALUE = 2;
  private static final int ATOMIC_64 = 0xdb;
  private static final int CALL = 0x85;
  private static final int EXIT = 0x95;

  private final ByteBuffer code =
      ByteBuffer.allocate(BYTES * MAX_INSTRUCTIONS).order(ByteOrder.nativeOrder());

  /** Two operands: the second one is a register or a constant. */
  public enum Operation {
    ADD(0x07),
    SUBTRACT(0x17),
    AND(0x57),
    SHIFT_LEFT(0x67),
    SHIFT_RIGHT(0x77),
    MULTIPLY(0x27),
    EXCLUSIVE_OR(0xa7);

    private final int code;

    Operation(int code) {
      this.code = code;
    }
  }

  /** When to jump, with unsigned operands. */
  public enum Condition {
    ALWAYS(0x05),
    EQUAL(0x15),
    NOT_EQUAL(0x55),
    NOT_BELOW(0x35),
    BELOW(0xa5);

    private final int code;

    Condition(int code) {
      this.code = code;
    }
  }

  private static final int BY_REGISTER = 0x08;

  private BpfCode add(int opcode, int target, int source, int offset, int constant) {
    code.put((byte) opcode).put((byte) (source << 4 | target)).putShort((short) offset);
    code.putInt(constant);
    return this;
  }

  public BpfCode set(int target, int constant) {
    return add(MOVE, target, 0, 0, constant);
  }

  public BpfCode copy(int target, int source) {
    return add(MOVE_REGISTER, target, source, 0, 0);
  }

  /** Sets a register to any 64 bits. */
  public BpfCode setLong(int target, long value) {
    return add(LOAD_64, target, 0, 0, (int) value).add(0, 0, 0, 0, (int) (value >>> 32));
  }

  /** Sets a register to a map, for functions that take one. */
  public BpfCode setMap(int target, int fd) {
    return add(LOAD_64, target, FROM_MAP, 0, fd).add(0, 0, 0, 0, 0);
  }

  /** Sets a register to the address of the first value in a map. */
  public BpfCode setMapValue(int target, int fd) {
    return add(LOAD_64, target, FROM_MAP_VALUE, 0, fd).add(0, 0, 0, 0, 0);
  }

  public BpfCode apply(Operation operation, int target, int constant) {
    return add(operation.code, target, 0, 0, constant);
  }

  public BpfCode applyRegister(Operation operation, int target, int source) {
    return add(operation.code | BY_REGISTER, target, source, 0, 0);
  }

  public BpfCode load(int target, int address, int offset) {
    return add(0x79, target, address, offset, 0);
  }

  public BpfCode loadInt(int target, int address, int offset) {
    return add(0x61, target, address, offset, 0);
  }

  public BpfCode store(int address, int offset, int source) {
    return add(0x7b, address, source, offset, 0);
  }

  public BpfCode storeConstant(int address, int offset, int constant) {
    return add(0x7a, address, 0, offset, constant);
  }

  /** Adds a register to the long at an address, atomically. */
  public BpfCode addAtomically(int address, int offset, int source) {
    return add(ATOMIC_64, address, source, offset, 0);
  }

  public BpfCode call(int function) {
    return add(CALL, 0, 0, 0, function);
  }

  public BpfCode exit() {
    return add(EXIT, 0, 0, 0, 0);
  }

  /** A forward jump; {@link #land} sets its target. */
  public int jump(Condition condition, int register, int constant) {
    add(condition.code, register, 0, 0, constant);
    return size() - 1;
  }

  public int jumpByRegister(Condition condition, int register, int other) {
    add(condition.code | BY_REGISTER, register, other, 0, 0);
    return size() - 1;
  }

  /** A jump back to an instruction; the kernel must be able to bound the loop. */
  public BpfCode jumpBack(Condition condition, int register, int constant, int instruction) {
    return add(condition.code, register, 0, instruction - size() - 1, constant);
  }

  /** Sets the target of these jumps to the next instruction that is written. */
  public void land(int... jumps) {
    for (int jump : jumps) {
      code.putShort(jump * BYTES + 2, (short) (size() - jump - 1));
    }
  }

  /** Instructions so far. */
  public int size() {
    return code.position() / BYTES;
  }

  /** Copies all of them. */
  public void writeTo(ByteBuffer target) {
    target.put(0, code.array(), 0, code.position());
  }
}
