package stackweave.unwind.snapshot;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;

/**
 * One raw sample: the registers at the interrupt and a copy of the top of the stack, with its time,
 * thread and weight. Mutable and reused; not thread-safe.
 *
 * <p>As a {@link MemoryReader} it serves the copied bytes. The stack above is read by {@link
 * #setOlder}, without one it is {@link UnreadableMemoryException#BEYOND_COPY}; all other memory is
 * read by {@link #setElsewhere}. Words have the {@link #byteOrder} of the process.
 */
public final class StackSnapshot implements MemoryReader {
  /** What perf can copy at most, rounded up: its record size is a 16-bit number. */
  public static final int MAX_STACK_BYTES = 64 * 1024;

  /** More kernel frames than the kernel reports by default (kernel.perf_event_max_stack, 127). */
  public static final int MAX_KERNEL_FRAMES = 256;

  /** How far above the copy an address still counts as the same stack, in bytes. */
  private static final long STACK_REACH = 1L << 30;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final Registers registers;
  private final boolean bigEndian;
  private final int redZone;
  private final int maxStackBytes;
  private byte[] stack;
  private final long[] kernelFrames = new long[MAX_KERNEL_FRAMES];
  private int kernelFrameCount;
  private long stackAddress;
  private int stackLength;
  private long timeNanos;
  private int tid;
  private long weightNanos;
  private long javaThread;
  private boolean blocked;
  private boolean waitingForCall;
  private long lastJavaSp;
  private long lastJavaFp;
  private boolean registersPresent;
  private boolean stackUnknown;
  private MemoryReader elsewhere;
  private OlderStack older;
  private final OlderCopy olderCopy = new OlderCopy();
  private OlderStack.Whereabouts whereabouts = OlderStack.Whereabouts.UNKNOWN;

  /**
   * A bit per word of the copy: whether the walk relies on it. Kept where there is an {@link
   * #older} part.
   */
  private long[] wordsRead;

  /** Makes a sample with room for {@link #MAX_STACK_BYTES}. */
  public StackSnapshot(Architecture architecture) {
    this(architecture, MAX_STACK_BYTES);
  }

  /** Makes a sample with room for copies of up to {@code stackBytes} ({@link #stackBytes(int)}). */
  public StackSnapshot(Architecture architecture, int stackBytes) {
    this(architecture, architecture.byteOrder(), stackBytes);
  }

  /**
   * Makes a sample with room for copies of up to {@code stackBytes} out of a process of the given
   * byte order, which may be another one than this machine's.
   */
  public StackSnapshot(Architecture architecture, ByteOrder order, int stackBytes) {
    registers = new Registers(architecture);
    bigEndian = order == ByteOrder.BIG_ENDIAN;
    redZone = architecture.redZone();
    maxStackBytes = stackBytes;
    makeRoom(Math.min(stackBytes, MAX_STACK_BYTES));
  }

  /** The byte order of the words in the copy. */
  public ByteOrder byteOrder() {
    return bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
  }

  /** Makes this an empty sample: nothing known, nothing copied. */
  public void clear() {
    registers.clear();
    registersPresent = false;
    stackUnknown = false;
    kernelFrameCount = 0;
    stackAddress = 0;
    stackLength = 0;
    timeNanos = 0;
    tid = 0;
    weightNanos = 0;
    javaThread = 0;
    blocked = false;
    waitingForCall = false;
    lastJavaSp = 0;
    lastJavaFp = 0;
    older = null;
    olderCopy.clear();
  }

  /** The registers at the interrupt, in user mode; filled by the engine. */
  public Registers registers() {
    return registers;
  }

  /** Whether the engine delivered user registers at all (kernel threads have none). */
  public boolean hasRegisters() {
    return registersPresent;
  }

  /** Says whether there are user registers. */
  public void setHasRegisters(boolean present) {
    registersPresent = present;
  }

  /**
   * The buffer of the copy, for the engine to fill; see {@link #setStack}. It has {@link
   * #MAX_STACK_BYTES}, if copies may be so long.
   */
  public byte[] stackBytes() {
    return stack;
  }

  /**
   * The same with room for {@code length} bytes, at most {@link #maxStackBytes}: it grows with the
   * first copies that need it, since few stacks are deep.
   */
  public byte[] stackBytes(int length) {
    if (length > stack.length) {
      makeRoom(Math.min(maxStackBytes, Integer.highestOneBit(length - 1) << 1));
    }
    return stack;
  }

  /** How many bytes a copy has at most. */
  public int maxStackBytes() {
    return maxStackBytes;
  }

  private void makeRoom(int length) {
    stack = new byte[length];
    wordsRead = new long[length / Long.BYTES / Long.SIZE + 1];
  }

  /**
   * Declares that the first {@code length} bytes of {@link #stackBytes} are those at {@code
   * address}.
   */
  public void setStack(long address, int length) {
    stackAddress = address;
    stackLength = length;
  }

  /**
   * Whether nothing was copied, because the end of the stack is not known. Then no memory is read
   * for the sample, wherever its registers point to: the thread has run on, and frames found in its
   * memory now would look like those of the sample.
   */
  public boolean isStackUnknown() {
    return stackUnknown;
  }

  /** Says whether nothing was copied, because the end of the stack is not known. */
  public void setStackUnknown(boolean unknown) {
    stackUnknown = unknown;
  }

  /** How many bytes {@link #writeTo} writes. */
  int writtenBytes() {
    int count = registersPresent ? registers.architecture().registerCount() : 0;
    return Long.BYTES * (5 + count + kernelFrameCount) + stackLength + olderCopy.writtenBytes();
  }

  /** Writes what an engine of perf events has copied, beside thread, time and weight. */
  void writeTo(ByteBuffer target) {
    int count = registersPresent ? registers.architecture().registerCount() : 0;
    long known = 0;
    for (int i = 0; i < count; i++) {
      known |= registers.isKnown(i) ? 1L << i : 0;
    }
    target.putInt(count).putInt(kernelFrameCount).putLong(known).putLong(registers.pc());
    for (int i = 0; i < count; i++) {
      target.putLong(registers.get(i));
    }
    for (int i = 0; i < kernelFrameCount; i++) {
      target.putLong(kernelFrames[i]);
    }
    target.putLong(stackAddress).putLong(stackLength).put(stack, 0, stackLength);
    olderCopy.writeTo(target);
  }

  /** Reads what another sample {@linkplain #writeTo has written}, after {@link #clear}. */
  void readFrom(ByteBuffer source) {
    int count = source.getInt();
    kernelFrameCount = source.getInt();
    long known = source.getLong();
    registers.setPc(source.getLong());
    for (int i = 0; i < count; i++) {
      long value = source.getLong();
      if ((known & 1L << i) != 0) {
        registers.set(i, value);
      }
    }
    registersPresent = count > 0;
    for (int i = 0; i < kernelFrameCount; i++) {
      kernelFrames[i] = source.getLong();
    }
    stackAddress = source.getLong();
    stackLength = (int) source.getLong();
    source.get(stackBytes(stackLength), 0, stackLength);
    olderCopy.readFrom(source);
  }

  /** The part of the older stack that was copied at the same time, for the engine to fill. */
  public OlderCopy olderCopy() {
    return olderCopy;
  }

  /** Where the sampled threads are by now, as far as the engine knows. */
  public OlderStack.Whereabouts whereabouts() {
    return whereabouts;
  }

  /** Sets {@link #whereabouts}, once for all samples. */
  public void setWhereabouts(OlderStack.Whereabouts known) {
    whereabouts = known;
  }

  /** The address of the first copied byte: the stack pointer at the interrupt. */
  public long stackAddress() {
    return stackAddress;
  }

  /** How many bytes were copied. */
  public int stackLength() {
    return stackLength;
  }

  /** Kernel return addresses, innermost first; the first {@link #kernelFrameCount} are valid. */
  public long[] kernelFrames() {
    return kernelFrames;
  }

  /** How many of {@link #kernelFrames} are valid. */
  public int kernelFrameCount() {
    return kernelFrameCount;
  }

  /** Says how many of {@link #kernelFrames} are valid. */
  public void setKernelFrameCount(int count) {
    kernelFrameCount = count;
  }

  /** Time of the interrupt on the clock of {@link System#nanoTime}. */
  public long timeNanos() {
    return timeNanos;
  }

  /** Sets the time of the interrupt, in ns on the clock of {@link System#nanoTime}. */
  public void setTimeNanos(long timeNanos) {
    this.timeNanos = timeNanos;
  }

  /** The sampled thread's id as the OS has it. */
  public int tid() {
    return tid;
  }

  /** Sets the sampled thread's id as the OS has it. */
  public void setTid(int tid) {
    this.tid = tid;
  }

  /** Nanoseconds of CPU (or wall) time that the sample stands for. */
  public long weightNanos() {
    return weightNanos;
  }

  /** Sets the CPU (or wall) time that the sample stands for, in ns. */
  public void setWeightNanos(long weightNanos) {
    this.weightNanos = weightNanos;
  }

  /** Address of the sampled thread's structure in a Java VM; 0 if it has none, or unknown. */
  public long javaThread() {
    return javaThread;
  }

  /** Sets the address of the sampled thread's structure in a Java VM. */
  public void setJavaThread(long address) {
    javaThread = address;
  }

  /**
   * Says that the thread was blocked, and read from outside: of its registers only pc and sp are
   * known.
   *
   * @param lastJavaSp sp of the thread's last Java frame, as the Java VM keeps it while a thread is
   *     in native code (JavaFrameAnchor of javaFrameAnchor.hpp); 0 if it has none, or unknown
   * @param lastJavaFp frame pointer of that frame; 0 if it needs none
   */
  public void setBlocked(long lastJavaSp, long lastJavaFp) {
    blocked = true;
    this.lastJavaSp = lastJavaSp;
    this.lastJavaFp = lastJavaFp;
  }

  /** Whether the thread was blocked, and read from outside. */
  public boolean isBlocked() {
    return blocked;
  }

  /** The sp of a blocked thread's last Java frame, or 0. */
  public long lastJavaSp() {
    return lastJavaSp;
  }

  /** The frame pointer of a blocked thread's last Java frame, or 0. */
  public long lastJavaFp() {
    return lastJavaFp;
  }

  /**
   * Whether the pc is a return address: that of a frame that waits for a call to return, and not of
   * an interrupted instruction.
   */
  public boolean isWaitingForCall() {
    return waitingForCall;
  }

  /** Says that the pc is a return address. */
  public void setWaitingForCall(boolean waiting) {
    waitingForCall = waiting;
  }

  /** Sets the reader of addresses outside the stack; null (the default) for none. */
  public void setElsewhere(MemoryReader reader) {
    elsewhere = reader;
  }

  /**
   * Sets the reader of the stack above the copy; null (the default) for none. From here on, words
   * of the copy that {@link #readLong} reads are noted as relied on: the older part must fit them.
   */
  void setOlder(OlderStack olderStack) {
    older = olderStack;
    if (olderStack != null) {
      Arrays.fill(wordsRead, 0, Math.min((stackLength >> 9) + 1, wordsRead.length), 0);
    }
  }

  /** Whether the word at an offset of the copy was relied on since {@link #setOlder}. */
  boolean isRead(int offset) {
    return (wordsRead[offset >> 9] & 1L << (offset >> 3)) != 0;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    long offset = address - stackAddress;
    if (offset >= 0 && offset <= stackLength - 8L) {
      if (older != null) {
        wordsRead[(int) (offset >> 9)] |= 1L << (offset >> 3);
      }
      return longAt(stack, (int) offset);
    }
    if (stackUnknown) {
      throw UnreadableMemoryException.STACK_UNKNOWN;
    }
    if (isBeyondCopy(offset)) {
      if (older != null) {
        return older.readLong(address);
      }
      throw UnreadableMemoryException.BEYOND_COPY;
    }
    if (elsewhere == null || isBelowCopy(offset)) {
      throw UnreadableMemoryException.UNREADABLE;
    }
    return elsewhere.readLong(address);
  }

  @Override
  public long readSaved(long address) throws UnreadableMemoryException {
    long offset = address - stackAddress;
    return offset >= 0 && offset <= stackLength - 8L
        ? longAt(stack, (int) offset)
        : readLong(address);
  }

  /** The word at an index of bytes of the sampled stack. */
  long longAt(byte[] bytes, int index) {
    long value = (long) LONGS.get(bytes, index);
    return bigEndian ? Long.reverseBytes(value) : value;
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    long from = address - stackAddress;
    if (from >= 0 && from <= (long) stackLength - length) {
      System.arraycopy(stack, (int) from, target, offset, length);
      return;
    }
    if (stackUnknown) {
      throw UnreadableMemoryException.STACK_UNKNOWN;
    }
    if (isBeyondCopy(from)) {
      if (older != null && from >= stackLength) {
        older.read(address, target, offset, length);
        return;
      }
      throw UnreadableMemoryException.BEYOND_COPY;
    }
    if (elsewhere == null || isBelowCopy(from)) {
      throw UnreadableMemoryException.UNREADABLE;
    }
    elsewhere.read(address, target, offset, length);
  }

  @Override
  public MemoryReader code() {
    return elsewhere == null ? this : elsewhere;
  }

  /** Whether an offset is in the red zone, which was not copied and has changed since. */
  private boolean isBelowCopy(long offset) {
    return stackAddress != 0 && offset < 0 && offset >= -redZone;
  }

  private boolean isBeyondCopy(long offset) {
    return stackAddress != 0 && offset > stackLength - 8L && offset < STACK_REACH;
  }
}
