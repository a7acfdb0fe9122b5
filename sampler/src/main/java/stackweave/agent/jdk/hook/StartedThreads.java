package stackweave.agent.jdk.hook;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * A buffer in which application threads put the threads that they start, read by the drain thread
 * through {@link ThreadStartHook}. It runs as a copy in java.lang, {@link HookClass#NAME}, since
 * {@code Thread} can't see the agent's classes; so it must use nothing outside java.base and load
 * no class of the agent. It must not allocate or wait; without a reader it reads one field.
 *
 * <p>A thread still in its slot when the slot is needed again is overwritten, and {@link #MISSED}
 * set. No thread stays in a slot without a reader: writers check the reader after storing, and
 * whoever removes the reader clears the slots afterwards.
 */
final class StartedThreads {
  /** Number of slots, a power of two. */
  static final int CAPACITY = 256;

  static final AtomicReferenceArray<Thread> SLOTS = new AtomicReferenceArray<>(CAPACITY);

  /** Threads ever added. */
  static final AtomicInteger COUNT = new AtomicInteger();

  /** Whether some were overwritten before they were read. */
  static final AtomicBoolean MISSED = new AtomicBoolean();

  /** The thread that reads them and is unparked for each; null if none. */
  static final AtomicReference<Thread> READER = new AtomicReference<>();

  private StartedThreads() {}

  /** Called by {@code Thread.start} before it returns, on the starting thread. */
  static void add(Thread thread) {
    Thread reader = READER.get();
    if (reader == null) {
      return;
    }
    int slot = COUNT.getAndIncrement() & CAPACITY - 1;
    if (SLOTS.getAndSet(slot, thread) != null) {
      MISSED.set(true);
    }
    if (READER.get() == null) {
      SLOTS.set(slot, null);
    }
    LockSupport.unpark(reader);
  }
}
