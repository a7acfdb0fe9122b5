package stackweave.agent.feature.waiting;

import stackweave.hotspot.runtime.BlockedJavaThread;
import stackweave.linux.task.TaskFiles;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.Registers;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Reads the stack of a thread that waits: pc and sp from the kernel, a copy of the stack, and the
 * last Java frame that the JVM has recorded, all between two readings of the thread's CPU clock. If
 * these are equal, the thread has not run, and the data are consistent. Used by {@link
 * WallSampler}; allocates nothing; for the drain thread only.
 */
final class BlockedStacks implements AutoCloseable {
  /** The result of reading a thread. */
  enum Outcome {
    /** The snapshot has the stack of a waiting thread. */
    READ,
    /** Its stack could not be read; the snapshot has its registers where these are known. */
    UNREAD,
    /** It runs, or could run. */
    RUNS,
    /** It ran during each attempt to read it. */
    MOVED,
    ENDED
  }

  /** Most bytes of a stack that are copied. */
  static final int MAX_COPY = 256 * 1024;

  /** Most bytes that are copied if the stack's end is not known. */
  private static final int MAX_BLIND_COPY = 64 * 1024;

  private static final int PAGE = 4096;
  private static final int TRIES = 3;

  private final TaskFiles files;
  private final MemoryReader memory;

  /** Reads the JVM's data of the thread that was read last; null if its threads are not known. */
  final BlockedJavaThread java;

  /** The result of the last reading. */
  final StackSnapshot snapshot;

  /** The CPU time of the thread that was read last, in ns. */
  long cpuNanos;

  /** When the thread was read last, by {@link System#nanoTime}. */
  long timeNanos;

  /** Whether the kernel does not show where threads wait, so that only Java frames can be found. */
  boolean denied;

  /** Whether the system call of the thread that was read last is known. */
  boolean callKnown;

  /** How many readings of the last thread were discarded. */
  int discarded;

  /**
   * Whether the last thread was first seen waiting, whatever it did until it was read. A longer
   * wait is more likely to be read than a short one, so this first wait is the unbiased one.
   */
  boolean seen;

  /** Stack pointer and pc of that first wait. */
  long seenSp;

  long seenPc;

  /**
   * @param java null where the JVM's threads are not known
   */
  BlockedStacks(
      Architecture architecture, TaskFiles files, MemoryReader memory, BlockedJavaThread java) {
    this.files = files;
    this.memory = memory;
    this.java = java;
    this.snapshot = new StackSnapshot(architecture, MAX_COPY);
  }

  /** The stack pointer of the thread that was read last, if its system call is known. */
  long sp() {
    return files.sp();
  }

  /** The pc of the thread that was read last, if its system call is known. */
  long pc() {
    return files.pc();
  }

  /** Whether the thread has run since it was read, so that the result may be void. */
  boolean hasMoved() {
    return files.cpuNanos(snapshot.tid()) != cpuNanos;
  }

  /**
   * Reads a thread.
   *
   * @param stackEnd the first address above its stack, 0 if unknown
   * @param javaThread address of its JavaThread, 0 if it has none
   * @param cpu its CPU time as read a moment ago, in ns
   * @param rested whether it has not run since the previous look
   */
  Outcome read(int tid, long stackEnd, long javaThread, long cpu, boolean rested) {
    cpuNanos = cpu;
    timeNanos = System.nanoTime();
    discarded = 0;
    seen = false;
    for (int i = 0; i < TRIES; i++) {
      Outcome outcome = readOnce(tid, stackEnd, javaThread, rested && i == 0);
      if (i == 0 && callKnown) {
        seen = true;
        seenSp = files.sp();
        seenPc = files.pc();
      }
      if (outcome == Outcome.RUNS || outcome == Outcome.ENDED) {
        return outcome;
      }
      long after = files.cpuNanos(tid);
      if (after < 0) {
        return Outcome.ENDED;
      }
      if (after == cpuNanos) {
        return outcome;
      }
      discarded++;
      cpuNanos = after;
      timeNanos = System.nanoTime();
    }
    return Outcome.MOVED;
  }

  private Outcome readOnce(int tid, long stackEnd, long javaThread, boolean rested) {
    TaskFiles.Answer answer = files.readCall(tid);
    denied = answer == TaskFiles.Answer.DENIED;
    callKnown = answer == TaskFiles.Answer.WAITS;
    return switch (answer) {
      case RUNS -> Outcome.RUNS;
      case ENDED -> Outcome.ENDED;
      case WAITS -> readStack(tid, stackEnd, javaThread);
      // If the kernel does not say, a thread counts as waiting if its clock has stood still.
      case DENIED -> rested ? readJavaStack(tid, stackEnd, javaThread) : Outcome.RUNS;
      case UNREADABLE -> readNothing(tid, javaThread);
    };
  }

  /**
   * The thread may run or wait: its clock shows how long it did either, but nothing shows where.
   */
  private Outcome readNothing(int tid, long javaThread) {
    begin(tid, javaThread);
    snapshot.setHasRegisters(false);
    return Outcome.UNREAD;
  }

  private Outcome readStack(int tid, long stackEnd, long javaThread) {
    begin(tid, javaThread);
    Registers registers = snapshot.registers();
    registers.set(registers.architecture().sp(), files.sp());
    registers.setPc(files.pc());
    boolean known = java != null && java.read(javaThread);
    boolean read = copy(files.sp(), stackEnd);
    long lastSp = known ? java.lastJavaSp() : 0;
    boolean anchored = lastSp > files.sp() && lastSp - files.sp() <= snapshot.stackLength();
    snapshot.setBlocked(anchored ? lastSp : 0, anchored ? java.lastJavaFp() : 0);
    return read ? Outcome.READ : Outcome.UNREAD;
  }

  /** Reads from the last Java frame on; what the thread does in native code is not known. */
  private Outcome readJavaStack(int tid, long stackEnd, long javaThread) {
    begin(tid, javaThread);
    if (java == null || !java.read(javaThread) || java.lastJavaSp() == 0) {
      snapshot.setHasRegisters(false);
      return Outcome.UNREAD;
    }
    long sp = java.lastJavaSp();
    if (!copy(sp, stackEnd)) {
      return Outcome.UNREAD;
    }
    Registers registers = snapshot.registers();
    try {
      // Its sp is from before the call, which pushes a return address, except on AArch64.
      long pc = java.lastJavaPc() != 0 ? java.lastJavaPc() : memory.readLong(sp - Long.BYTES);
      registers.setPc(pc);
    } catch (UnreadableMemoryException e) {
      return Outcome.UNREAD;
    }
    registers.set(registers.architecture().sp(), sp);
    if (java.lastJavaFp() != 0) {
      registers.set(registers.architecture().fp(), java.lastJavaFp());
    }
    snapshot.setWaitingForCall(true);
    snapshot.setBlocked(sp, java.lastJavaFp());
    return Outcome.READ;
  }

  private void begin(int tid, long javaThread) {
    snapshot.clear();
    snapshot.setElsewhere(memory);
    snapshot.setTid(tid);
    snapshot.setTimeNanos(timeNanos);
    snapshot.setJavaThread(javaThread);
    snapshot.setHasRegisters(true);
  }

  private boolean copy(long sp, long stackEnd) {
    long used = stackEnd - sp;
    if (used > 0 && used <= MAX_COPY && copy(sp, (int) used)) {
      return true;
    }
    // Deeper than the largest copy, or on a stack that is not its own or not known.
    return used > MAX_COPY && copy(sp, MAX_COPY) || copyBlindly(sp);
  }

  private boolean copyBlindly(long sp) {
    for (int length = MAX_BLIND_COPY; length >= PAGE; length /= 2) {
      if (copy(sp, (int) ((sp & -PAGE) + length - sp))) {
        return true;
      }
    }
    return false;
  }

  private boolean copy(long sp, int length) {
    try {
      memory.read(sp, snapshot.stackBytes(length), 0, length);
      snapshot.setStack(sp, length);
      return true;
    } catch (UnreadableMemoryException e) {
      snapshot.setStack(0, 0);
      return false;
    }
  }

  @Override
  public void close() {
    files.close();
  }
}
