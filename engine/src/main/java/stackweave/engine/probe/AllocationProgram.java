package stackweave.engine.probe;

import static stackweave.engine.bpf.BpfCode.Condition.ALWAYS;
import static stackweave.engine.bpf.BpfCode.Condition.EQUAL;
import static stackweave.engine.bpf.BpfCode.Condition.NOT_BELOW;
import static stackweave.engine.bpf.BpfCode.Condition.NOT_EQUAL;
import static stackweave.engine.bpf.BpfCode.FRAME;
import static stackweave.engine.bpf.BpfCode.KTIME_GET_NS;
import static stackweave.engine.bpf.BpfCode.NO_WAKEUP;
import static stackweave.engine.bpf.BpfCode.Operation.ADD;
import static stackweave.engine.bpf.BpfCode.Operation.AND;
import static stackweave.engine.bpf.BpfCode.Operation.MULTIPLY;
import static stackweave.engine.bpf.BpfCode.Operation.SHIFT_LEFT;
import static stackweave.engine.bpf.BpfCode.Operation.SHIFT_RIGHT;
import static stackweave.engine.bpf.BpfCode.PROBE_READ_USER;
import static stackweave.engine.bpf.BpfCode.RINGBUF_RESERVE;
import static stackweave.engine.bpf.BpfCode.RINGBUF_SUBMIT;

import stackweave.engine.bpf.BpfCode;
import stackweave.engine.bpf.PidNamespace;

/**
 * The program that the kernel runs at a place in malloc or one of its relatives: it counts the
 * call, decides by the block's address and size whether the block is followed, and if so writes a
 * record. A block's size is what the C library keeps in the word before it (struct malloc_chunk in
 * glibc's malloc.c), so that the return of malloc and the call of free decide alike. For x86-64
 * only. Stateless.
 */
final class AllocationProgram {
  /** What happens at a place. */
  enum Place {
    /** The call is only counted. */
    COUNT,
    /** A block was allocated: its address is the function's result, in rax. */
    RETURN,
    /** The same, but by a jump to memset, which returns its first argument, the block, in rdi. */
    JUMP_TO_FILL,
    /** The block in rdi, the first argument, is freed. */
    FREE
  }

  // Offsets in the value that all programs share, in bytes.
  static final int ENABLED = 0;

  /** The thread that is ignored, and the kernel's name of its namespace of ids. */
  static final int IGNORED_THREAD = 8;

  /** Blocks of less than two to this power are followed in proportion to their size. */
  static final int SHIFT = 16;

  /** The same for blocks that are freed: the smallest value of {@link #SHIFT} so far. */
  static final int FIRST_SHIFT = 24;

  /** Records that found no room. */
  static final int LOST = 32;

  static final int COUNTS = 64;
  static final int MAX_PLACES = 40;
  static final int VALUE_BYTES = COUNTS + MAX_PLACES * Long.BYTES;

  // Offsets in a record, in bytes; the record of a freed block ends before STACK_LENGTH.
  static final int KIND = 0;
  static final int ADDRESS = 8;
  static final int SIZE = 16;
  static final int THREAD = 24;
  static final int TIME = 32;
  static final int STACK_LENGTH = 40;

  /** The value of {@link #SHIFT} when the block was chosen. */
  static final int OWN_SHIFT = 48;

  static final int REGISTERS = 56;
  static final int STACK = REGISTERS + 17 * Long.BYTES;
  static final int STACK_BYTES = 8_192;

  /** Bytes of a short record. */
  static final int SHORT_BYTES = STACK_LENGTH;

  /** Lengths that are tried; a stack whose base is near has fewer bytes. */
  private static final int[] STACK_LENGTHS = {STACK_BYTES, 4_096, 2_048, 1_024, 512};

  /** The four lowest bits of a block's address, which are 0, are not hashed. */
  static final int ADDRESS_SHIFT = 4;

  static final long HASH = 0x9E3779B97F4A7C15L;

  /** Flags in the word that has a block's size. */
  private static final int SIZE_MASK = -8;

  // struct pt_regs, arch/x86/include/asm/ptrace.h.
  private static final int RAX = 80;
  private static final int RDI = 112;
  private static final int RSP = 152;

  /** Offsets of {@link #REGISTERS}: by DWARF number, and rip. */
  private static final int[] PT_REGS = {
    RAX, 96, 88, 40, 104, RDI, 32, RSP, 72, 64, 56, 48, 24, 16, 8, 0, 128
  };

  // Offsets on the program's stack.
  private static final int TASK = -16;
  private static final int WORD = -24;
  private static final int USED_SHIFT = -32;

  private AllocationProgram() {}

  /**
   * The program of a place.
   *
   * @param count the number of its counter
   * @param valueFd the map with the shared value
   * @param ringFd the map with the records
   * @param namespace of the thread ids in the records
   */
  static BpfCode of(Place place, int count, int valueFd, int ringFd, PidNamespace namespace) {
    BpfCode code = new BpfCode();
    code.copy(6, 1).setMapValue(7, valueFd);
    code.set(1, 1).addAtomically(7, COUNTS + count * Long.BYTES, 1);
    if (place == Place.COUNT) {
      return code.set(0, 0).exit();
    }
    boolean isFree = place == Place.FREE;
    code.load(1, 7, ENABLED);
    int off = code.jump(EQUAL, 1, 0);
    code.load(8, 6, place == Place.RETURN ? RAX : RDI);
    int none = code.jump(EQUAL, 8, 0);

    // The thread.
    namespace.writeIds(code, TASK);
    int elsewhere = code.jump(NOT_EQUAL, 0, 0);
    code.loadInt(9, FRAME, TASK).load(1, 7, IGNORED_THREAD);
    int ignored = code.jumpByRegister(EQUAL, 1, 9);
    code.store(FRAME, TASK, 9);

    // The size.
    code.copy(1, FRAME).apply(ADD, 1, WORD).set(2, Long.BYTES).copy(3, 8).apply(ADD, 3, -8);
    code.call(PROBE_READ_USER);
    int unreadable = code.jump(NOT_EQUAL, 0, 0);
    code.load(9, FRAME, WORD).apply(AND, 9, SIZE_MASK);

    // Whether it is followed: a hash of 32 bits below its share of them.
    code.load(1, 7, isFree ? FIRST_SHIFT : SHIFT).apply(AND, 1, 31).store(FRAME, USED_SHIFT, 1);
    code.set(2, 1).applyRegister(SHIFT_LEFT, 2, 1);
    int large = code.jumpByRegister(NOT_BELOW, 9, 2);
    code.copy(3, 8).apply(SHIFT_RIGHT, 3, ADDRESS_SHIFT).setLong(4, HASH);
    code.applyRegister(MULTIPLY, 3, 4).apply(SHIFT_RIGHT, 3, 32);
    code.apply(SHIFT_LEFT, 9, 32).copy(5, 9).applyRegister(SHIFT_RIGHT, 5, 1);
    code.apply(SHIFT_RIGHT, 9, 32);
    int unfollowed = code.jumpByRegister(NOT_BELOW, 3, 5);
    code.land(large);

    // The record.
    code.setMap(1, ringFd).set(2, isFree ? SHORT_BYTES : STACK + STACK_BYTES).set(3, 0);
    code.call(RINGBUF_RESERVE);
    int full = code.jump(EQUAL, 0, 0);
    code.storeConstant(0, KIND, place.ordinal()).store(0, ADDRESS, 8).store(0, SIZE, 9);
    code.load(1, FRAME, TASK).store(0, THREAD, 1).copy(9, 0);
    code.call(KTIME_GET_NS).store(9, TIME, 0);
    if (!isFree) {
      copyState(code);
    }
    code.copy(1, 9).set(2, NO_WAKEUP).call(RINGBUF_SUBMIT);
    int done = code.jump(ALWAYS, 0, 0);
    code.land(full);
    code.set(1, 1).addAtomically(7, LOST, 1);
    code.land(off, none, elsewhere, ignored, unreadable, unfollowed, done);
    return code.set(0, 0).exit();
  }

  private static void copyState(BpfCode code) {
    code.load(1, FRAME, USED_SHIFT).store(9, OWN_SHIFT, 1);
    for (int i = 0; i < PT_REGS.length; i++) {
      code.load(1, 6, PT_REGS[i]).store(9, REGISTERS + i * Long.BYTES, 1);
    }
    int[] read = new int[STACK_LENGTHS.length];
    for (int i = 0; i < read.length; i++) {
      code.storeConstant(9, STACK_LENGTH, STACK_LENGTHS[i]);
      code.copy(1, 9).apply(ADD, 1, STACK).set(2, STACK_LENGTHS[i]).load(3, 6, RSP);
      code.call(PROBE_READ_USER);
      read[i] = code.jump(EQUAL, 0, 0);
    }
    code.storeConstant(9, STACK_LENGTH, 0);
    code.land(read);
  }
}
