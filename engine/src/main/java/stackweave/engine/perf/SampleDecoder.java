package stackweave.engine.perf;

import stackweave.cpu.PerfRegisters;
import stackweave.unwind.Architecture;
import stackweave.unwind.Registers;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Reads a sample at a ring's tail into the one snapshot (PERF_RECORD_SAMPLE in
 * include/uapi/linux/perf_event.h): header, ids, time, event and period, then the kernel's part of
 * the call chain if that was asked for, registers, and the copy of the stack. For the drain thread.
 */
final class SampleDecoder {
  /** Offset of a sample's call chain or registers. */
  private static final int BODY = 40;

  private static final long CONTEXT_MAX = -4095;
  private static final long CONTEXT_KERNEL = -128;

  private final boolean kernel;
  private final PerfRegisters registers;
  private final StackSnapshot snapshot;

  /**
   * @param kernel whether samples have the kernel's part of the call chain
   */
  SampleDecoder(boolean kernel, Architecture architecture) {
    this.kernel = kernel;
    this.registers = PerfRegisters.of(architecture);
    this.snapshot = new StackSnapshot(architecture);
  }

  /** The one snapshot. */
  StackSnapshot snapshot() {
    return snapshot;
  }

  /** The snapshot with the sample in it, which the next one overwrites. */
  StackSnapshot decode(PerfRing ring, long timeNanos, int tid, long weight) {
    snapshot.clear();
    snapshot.setTimeNanos(timeNanos);
    snapshot.setTid(tid);
    snapshot.setWeightNanos(weight);
    int at = kernel ? decodeKernelFrames(ring, BODY) : BODY;
    boolean present = ring.getLong(at) != 0;
    at += 8;
    if (present) {
      readRegisters(ring, at, snapshot.registers());
      snapshot.setHasRegisters(true);
      at += 8 * registers.count();
    }
    int room = (int) ring.getLong(at);
    if (room > 0 && present) {
      // The space is always what was asked for; the number of bytes copied follows it.
      long copied = ring.getLong(at + 8 + room);
      int length = (int) Math.min(copied, StackSnapshot.MAX_STACK_BYTES);
      ring.copy(at + 8, snapshot.stackBytes(), 0, length);
      snapshot.setStack(snapshot.registers().sp(), length);
    }
    return snapshot;
  }

  private void readRegisters(PerfRing ring, int at, Registers target) {
    for (int i = 0; i < registers.count(); i++) {
      int number = registers.dwarf(i);
      if (number >= 0) {
        target.set(number, ring.getLong(at + 8 * i));
      } else if (i == registers.pcIndex()) {
        target.setPc(ring.getLong(at + 8 * i));
      }
    }
  }

  /** Decodes the kernel's part of the call chain; returns the offset after it. */
  private int decodeKernelFrames(PerfRing ring, int at) {
    int entries = (int) ring.getLong(at);
    long[] frames = snapshot.kernelFrames();
    int count = 0;
    boolean inKernel = false;
    for (int i = 1; i <= entries; i++) {
      long entry = ring.getLong(at + 8 * i);
      if (Long.compareUnsigned(entry, CONTEXT_MAX) >= 0) {
        inKernel = entry == CONTEXT_KERNEL;
      } else if (inKernel && count < frames.length) {
        frames[count++] = entry;
      }
    }
    snapshot.setKernelFrameCount(count);
    return at + 8 + 8 * entries;
  }

  /** The highest stack pointer of a thread among the samples waiting in a ring; 0 for none. */
  long highestStackPointer(PerfRing ring, int tid) {
    long highest = 0;
    for (int at = 0; at < ring.waiting() && ring.size(at) > 0; at += ring.size(at)) {
      if (ring.type(at) == SampleRecords.RECORD_SAMPLE && ring.getInt(at + 12) == tid) {
        long sp = stackPointer(ring, at + BODY);
        highest = Long.compareUnsigned(sp, highest) > 0 ? sp : highest;
      }
    }
    return highest;
  }

  private long stackPointer(PerfRing ring, int body) {
    int at = kernel ? body + 8 + 8 * (int) ring.getLong(body) : body;
    return ring.getLong(at) == 0 ? 0 : ring.getLong(at + 8 + 8 * registers.spIndex());
  }
}
