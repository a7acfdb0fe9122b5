package stackweave.agent.jdk.hook;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Where application threads leave the threads that they start, for the drain thread to take.
 *
 * <p>This is the one class of ours that application threads run. It works as a copy in java.lang,
 * under the name {@link HookClass#NAME}, since {@code Thread} sees no other class of ours; so it
 * uses nothing outside java.base, and nothing that could load a class of ours. It allocates
 * nothing, waits for nobody, and while there is no reader it reads one field.
 *
 * <p>Rule of the slots: a thread that is still in its slot when the slot is wanted again is
 * overwritten, and {@link #MISSED} set. Nothing stays in a slot once there is no reader: whoever
 * puts something in looks for the reader afterwards, and whoever removes the reader clears the
 * slots afterwards.
 */
final class StartedThreads {
  /** A power of two. */
  static final int ROOM = 256;

  static final AtomicReferenceArray<Thread> SLOTS = new AtomicReferenceArray<>(ROOM);

  /** Threads that were ever left here. */
  static final AtomicInteger COUNT = new AtomicInteger();

  /** Whether some were overwritten before they were taken. */
  static final AtomicBoolean MISSED = new AtomicBoolean();

  /** Who takes them, and is woken for it; null while nobody does. */
  static final AtomicReference<Thread> READER = new AtomicReference<>();

  private StartedThreads() {}

  /** Called by {@code Thread.start} on its way out, on the thread that has called it. */
  static void add(Thread thread) {
    Thread reader = READER.get();
    if (reader == null) {
      return;
    }
    int slot = COUNT.getAndIncrement() & ROOM - 1;
    if (SLOTS.getAndSet(slot, thread) != null) {
      MISSED.set(true);
    }
    if (READER.get() == null) {
      SLOTS.set(slot, null);
    }
    LockSupport.unpark(reader);
  }
}
