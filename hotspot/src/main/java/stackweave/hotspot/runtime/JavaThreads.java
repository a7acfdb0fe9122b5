package stackweave.hotspot.runtime;

import java.util.ArrayList;
import java.util.List;
import stackweave.hotspot.memory.MemoryCopy;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * The VM's JavaThreads and the OS threads that carry them. Threads come and go while this reads: a
 * thread just ended may be listed, one just started may be missing. Not thread-safe.
 */
public final class JavaThreads {
  /** The id of an OS thread that is not there (yet, or any more). */
  public static final int NO_THREAD = 0;

  private static final int MAX_THREADS = 1 << 16;

  private final Layout layout;
  private final MemoryReader memory;
  private final MemoryCopy piece = new MemoryCopy(4096);

  public JavaThreads(Layout layout, MemoryReader memory) {
    this.layout = layout;
    this.memory = memory;
  }

  /**
   * One thread of the VM.
   *
   * @param address of its JavaThread, the value of {@code Thread.eetop}
   * @param osThreadId its id as the OS has it
   */
  public record JavaThread(long address, int osThreadId) {}

  /**
   * The OS id of the thread with this JavaThread.
   *
   * @param eetop the field of that name of a {@link Thread}, 0 if it isn't running
   * @return {@link #NO_THREAD} if there is none
   */
  public int osThreadId(long eetop) {
    if (eetop == 0) {
      return NO_THREAD;
    }
    try {
      long osThread = memory.readLong(eetop + layout.osThread.offset());
      return osThread == 0
          ? NO_THREAD
          : (int) memory.readLong(osThread + layout.osThreadId.offset());
    } catch (UnreadableMemoryException e) {
      return NO_THREAD;
    }
  }

  /**
   * Where the stack of the thread with this JavaThread ends: the first address above it.
   *
   * @param eetop the field of that name of a {@link Thread}, 0 if it isn't running
   * @return 0 if it is not known
   */
  public long stackEnd(long eetop) {
    if (eetop == 0 || layout.stackBase == null) {
      return 0;
    }
    try {
      return memory.readLong(eetop + layout.stackBase.offset());
    } catch (UnreadableMemoryException e) {
      return 0;
    }
  }

  /** Receives the stacks of threads. */
  public interface StackVisitor {
    /**
     * @param osThreadId the thread's id as the OS has it
     * @param start the lowest address of its stack
     * @param end the first address above it
     */
    void stack(int osThreadId, long start, long end);
  }

  /**
   * Visits the stacks of the threads that joined the VM's list last: new ones come at its end
   * (ThreadsList::add in threadSMR.cpp, JDK 17 to 25).
   *
   * @param max how many threads to look at
   */
  public void newest(int max, StackVisitor visitor) {
    if (layout.stackBase == null || layout.stackSize == null) {
      return;
    }
    try {
      int length = readList();
      for (int i = length - 1; i >= 0 && i >= length - max; i--) {
        stackOf(piece.i8(8 * i), visitor);
      }
    } catch (UnreadableMemoryException e) {
      // The list was replaced and freed while it was read: the next call finds the new one.
    }
  }

  /**
   * Visits the stack of the thread with this JavaThread; none if it has none, or none is known.
   *
   * @param eetop the field of that name of a {@link Thread}, 0 if it isn't running
   */
  public void stackOf(long eetop, StackVisitor visitor) {
    int osThreadId = osThreadId(eetop);
    long end = stackEnd(eetop);
    if (osThreadId == NO_THREAD || end == 0 || layout.stackSize == null) {
      return;
    }
    try {
      visitor.stack(osThreadId, end - memory.readLong(eetop + layout.stackSize.offset()), end);
    } catch (UnreadableMemoryException e) {
      return; // it has ended, and its memory is gone
    }
  }

  /**
   * All threads of the VM's list; those Java code can't enumerate (compilers, service) included.
   */
  public List<JavaThread> all() {
    List<JavaThread> threads = new ArrayList<>();
    try {
      int length = readList();
      for (int i = 0; i < length; i++) {
        long address = piece.i8(8 * i);
        int osThreadId = osThreadId(address);
        if (osThreadId != NO_THREAD) {
          threads.add(new JavaThread(address, osThreadId));
        }
      }
    } catch (UnreadableMemoryException e) {
      // The list was replaced and freed while it was read: what was found is what there is.
    }
    return threads;
  }

  /** Reads the addresses of all JavaThreads into {@link #piece}; returns how many. */
  private int readList() throws UnreadableMemoryException {
    long list = memory.readLong(layout.threadList.offset());
    piece.copy(
        memory, list, Math.max(layout.threadListLength.end(), layout.threadListThreads.end()));
    int length = (int) layout.threadListLength.in(piece);
    long array = layout.threadListThreads.in(piece);
    if (length < 0 || length > MAX_THREADS) {
      return 0;
    }
    piece.copy(memory, array, 8 * length);
    return length;
  }
}
