package stackweave.engine.timer.handler;

import java.nio.ByteBuffer;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;

/**
 * Offsets and sizes of the memory shared with the signal handler, in bytes, as in
 * src/main/asm/layout.inc, which says what each is, and the two handlers; a test assembles those
 * and compares.
 */
public enum HandlerLayout {
  /** Registers: r8–r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp. */
  X86_64(
      "x86_64",
      "__vdso_clock_gettime",
      new int[] {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7}),

  /** Registers: x0–x30, sp. */
  AARCH64(
      "aarch64",
      "__kernel_clock_gettime",
      new int[] {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
        25, 26, 27, 28, 29, 30, 31
      });

  // The process block: one, and the handler's only way to everything else.
  public static final int PROCESS_ENABLED = 0;
  public static final int PROCESS_IN_FLIGHT = 8;
  static final int PROCESS_RING = 16;
  static final int PROCESS_RING_BYTES = 24;
  public static final int PROCESS_CLOCK = 32;
  static final int PROCESS_BLOCKS = 40;
  static final int PROCESS_BLOCKS_BYTES = 48;
  public static final int PROCESS_STACK_LIMIT = 56;
  static final int PROCESS_OLD_HANDLER = 64;
  static final int PROCESS_MAGIC = 72;
  static final int PROCESS_IN_USE = 80;
  public static final int PROCESS_HEAD = 128;
  public static final int PROCESS_DROPPED = 136;
  public static final int PROCESS_DROPPED_EXPIRIES = 144;
  public static final int PROCESS_FOREIGN = 152;
  public static final int PROCESS_TAIL = 192;
  static final int PROCESS_BYTES = 256;

  // A thread block: one for each sampled thread, named by the signal's value.
  static final int BLOCK_MAGIC = 0;
  static final int BLOCK_IDENTITY = 8;
  static final int BLOCK_STACK_END = 16;
  static final int BLOCK_STACK_START = 24;
  static final int BLOCK_BYTES = 64;

  // A record of the ring: header, registers, stack. It takes whole units.
  static final int RECORD_COMMIT = 0;
  public static final int RECORD_TIME = 8;
  public static final int RECORD_IDENTITY = 24;
  public static final int RECORD_OVERRUN = 32;
  public static final int RECORD_STACK_BYTES = 36;
  static final int RECORD_REGISTERS = 40;
  public static final int UNIT = 256;
  public static final int UNIT_SHIFT = 8;

  private final String label;
  private final String clock;
  private final int[] dwarf;

  HandlerLayout(String label, String clock, int[] dwarf) {
    this.label = label;
    this.clock = clock;
    this.dwarf = dwarf;
  }

  /**
   * The layout for an architecture.
   *
   * @throws IllegalArgumentException if there is no handler for it
   */
  public static HandlerLayout of(Architecture architecture) {
    return switch (architecture) {
      case X86_64 -> X86_64;
      case AARCH64 -> AARCH64;
      case S390X -> throw new IllegalArgumentException("no handler for " + architecture);
    };
  }

  /** The architecture's name in the handler's file names. */
  String label() {
    return label;
  }

  /** The symbol of clock_gettime in the vDSO. */
  String clock() {
    return clock;
  }

  /** Number of registers in a record, including the pc, which comes last. */
  int registers() {
    return dwarf.length + 1;
  }

  /** Offset of the stack in a record. */
  public int recordStack() {
    return RECORD_REGISTERS + Long.BYTES * registers();
  }

  /** Copies the registers of the record at offset {@code record}. */
  public void readRegisters(ByteBuffer ring, int record, Registers target) {
    int at = record + RECORD_REGISTERS;
    for (int number : dwarf) {
      target.set(number, ring.getLong(at));
      at += Long.BYTES;
    }
    target.setPc(ring.getLong(at));
  }
}
