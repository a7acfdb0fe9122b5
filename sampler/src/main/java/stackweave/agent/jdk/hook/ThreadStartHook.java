package stackweave.agent.jdk.hook;

import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * The instrumentation of {@code Thread.start} that reports each started platform thread. It stays
 * in, paused between recordings, until it is removed: each change of Thread stops all threads while
 * the VM adjusts every class, discards the compiled code in which Thread's methods are inlined, and
 * takes some 15 KB forever. If another agent retransforms Thread, the change is lost, and threads
 * are found as without it. For one thread at a time: the drain thread, then whoever closes the
 * sampler.
 */
public final class ThreadStartHook {
  static final String COPY = "java.lang.StackweaveStartedThreads";

  private final ConcurrentLinkedQueue<Thread> queue;
  private final AtomicInteger count;
  private final AtomicInteger taken;
  private final AtomicBoolean missed;
  private final AtomicReference<Thread> reader;
  private final AtomicBoolean installed;

  /**
   * @param copy of {@link StartedThreads}, which an earlier hook may have used
   */
  ThreadStartHook(MethodHandles.Lookup copy) throws ReflectiveOperationException {
    queue = JdkHook.constant(copy, "QUEUE", ConcurrentLinkedQueue.class);
    count = JdkHook.constant(copy, "COUNT", AtomicInteger.class);
    taken = JdkHook.constant(copy, "TAKEN", AtomicInteger.class);
    missed = JdkHook.constant(copy, "MISSED", AtomicBoolean.class);
    reader = JdkHook.constant(copy, "READER", AtomicReference.class);
    installed = JdkHook.constant(copy, "INSTALLED", AtomicBoolean.class);
    // loads the classes for it, so that a thread that starts another has not to
    queue.add(Thread.currentThread());
    queue.clear();
  }

  /**
   * Instruments {@code Thread.start}; {@link #resume} begins to report.
   *
   * @throws HookException if that is not possible; nothing is instrumented then
   */
  public static ThreadStartHook install(Instrumentation instrumentation) throws HookException {
    try {
      return new ThreadStartHook(
          JdkHook.install(
              instrumentation,
              StartedThreads.class,
              COPY,
              Map.of(Thread.class.getName(), new ThreadStartChange(COPY))));
    } catch (ReflectiveOperationException e) {
      throw new HookException(e.toString(), e);
    }
  }

  /**
   * Passes on the threads started since the last call.
   *
   * @return false if some are missing
   */
  public boolean take(Consumer<Thread> taker) {
    int now = count.get();
    for (Thread thread = queue.poll(); thread != null; thread = queue.poll()) {
      taker.accept(thread);
    }
    taken.set(now);
    return !missed.get() || !missed.getAndSet(false);
  }

  /** Reports to the calling thread, which is unparked for each thread that is started. */
  public void resume() {
    missed.set(false);
    taken.set(count.get());
    reader.set(Thread.currentThread());
  }

  /** Stops reporting; the code in Thread stays and reads one field. */
  public void pause() {
    reader.set(null);
    queue.clear();
  }

  /**
   * Restores Thread's own code.
   *
   * @throws HookException if that fails; the code in Thread then stays idle
   */
  public void remove(Instrumentation instrumentation) throws HookException {
    pause();
    try {
      instrumentation.retransformClasses(Thread.class);
      installed.set(false);
    } catch (UnmodifiableClassException | RuntimeException | LinkageError e) {
      throw new HookException("Thread.start stays instrumented, and idle: " + e, e);
    }
  }
}
