package stackweave.agent.jdk.hook;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A queue in which application threads put the threads that they start, read by the drain thread
 * through {@link ThreadStartHook}. It runs as a copy in java.lang, {@link ThreadStartHook#COPY},
 * since {@code Thread} can't see the agent's classes; so it must use nothing outside java.base and
 * load no class of the agent. It takes no lock; without a reader it reads one field, and keeps no
 * thread.
 */
final class StartedThreads {
  /** About as many threads wait for the reader; if there are more, {@link #MISSED} is set. */
  static final int CAPACITY = 256;

  static final ConcurrentLinkedQueue<Thread> QUEUE = new ConcurrentLinkedQueue<>();

  /** Threads ever added, and how many of them the reader has seen. */
  static final AtomicInteger COUNT = new AtomicInteger();

  static final AtomicInteger TAKEN = new AtomicInteger();

  /** Whether threads found no room since the reader last looked. */
  static final AtomicBoolean MISSED = new AtomicBoolean();

  /** The thread that reads them and is unparked for each; null if none. */
  static final AtomicReference<Thread> READER = new AtomicReference<>();

  /** Whether the JDK calls this; a class that is defined stays, also if it could not be called. */
  static final AtomicBoolean INSTALLED = new AtomicBoolean();

  private StartedThreads() {}

  /** Called by {@code Thread.start} before it returns, on the starting thread. */
  static void add(Thread thread) {
    Thread reader = READER.get();
    if (reader == null) {
      return;
    }
    if (COUNT.incrementAndGet() - TAKEN.get() > CAPACITY) {
      MISSED.set(true);
    } else {
      try {
        QUEUE.add(thread);
      } catch (OutOfMemoryError e) {
        MISSED.set(true);
      }
    }
    if (READER.get() == null) {
      QUEUE.clear(); // no other thread would
      MISSED.set(true); // the threads may be a new reader's
    }
    LockSupport.unpark(reader);
  }
}
