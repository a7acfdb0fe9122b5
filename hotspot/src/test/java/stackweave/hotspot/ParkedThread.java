package stackweave.hotspot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import stackweave.unwind.Architecture;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * A sample of a thread that blocks in a system call: /proc says its sp and pc, its stack stands
 * still and can be copied.
 */
final class ParkedThread {
  private static final int RSP = 7;
  private static final int PAGE = 4096;

  private ParkedThread() {}

  /** Registers and stack of the thread; every register but sp is unknown. */
  static StackSnapshot snapshot(int tid, ProcessMemory memory) throws IOException {
    String[] words = Files.readString(Path.of("/proc/self/task/" + tid + "/syscall")).split("\\s+");
    if (words.length < 9) {
      throw new IllegalStateException("not blocked in a system call: " + String.join(" ", words));
    }
    StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);
    snapshot.clear();
    snapshot.setElsewhere(memory);
    long sp = Long.decode(words[7]);
    snapshot.registers().set(RSP, sp);
    snapshot.registers().setPc(Long.parseUnsignedLong(words[8].substring(2), 16));
    snapshot.setHasRegisters(true);
    snapshot.setTid(tid);
    int length = 0;
    try {
      while (length < StackSnapshot.MAX_STACK_BYTES) {
        int n = (int) Math.min(PAGE - (sp + length) % PAGE, StackSnapshot.MAX_STACK_BYTES - length);
        memory.read(sp + length, snapshot.stackBytes(), length, n);
        length += n;
      }
    } catch (UnreadableMemoryException e) {
      // The stack's end.
    }
    snapshot.setStack(sp, length);
    return snapshot;
  }
}
