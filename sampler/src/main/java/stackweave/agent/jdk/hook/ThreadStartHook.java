package stackweave.agent.jdk.hook;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * The instrumentation of {@code Thread.start} that reports each started platform thread. The
 * transformer is registered only while Thread is transformed, since the JVM asks a registered one
 * about every class loaded. If another agent retransforms Thread, the change is lost, and threads
 * are found as without it. For one thread at a time.
 */
public final class ThreadStartHook implements AutoCloseable {
  private final Instrumentation instrumentation;
  private final AtomicReferenceArray<Thread> slots;
  private final AtomicInteger count;
  private final AtomicBoolean missed;
  private final AtomicReference<Thread> reader;

  /** As many of those that were ever added are not to be expected any more; never too many. */
  private int taken;

  private boolean closed;

  /**
   * @param hook of the class that {@link StartedThreads} is, which an earlier hook may have used
   */
  ThreadStartHook(Instrumentation instrumentation, MethodHandles.Lookup hook)
      throws ReflectiveOperationException {
    this.instrumentation = instrumentation;
    this.slots = slots(constant(hook, "SLOTS", AtomicReferenceArray.class));
    this.count = (AtomicInteger) constant(hook, "COUNT", AtomicInteger.class);
    this.missed = (AtomicBoolean) constant(hook, "MISSED", AtomicBoolean.class);
    this.reader = thread(constant(hook, "READER", AtomicReference.class));
    beginAnew();
  }

  /** Threads counted earlier were taken, or were removed by a {@link #pause}. */
  private void beginAnew() {
    missed.set(false);
    taken = count.get();
  }

  /**
   * Instruments {@code Thread.start}; after this the calling thread is unparked whenever a thread
   * was started.
   *
   * @throws HookException if that is not possible; nothing is instrumented then
   */
  public static ThreadStartHook install(Instrumentation instrumentation) throws HookException {
    if (!instrumentation.isRetransformClassesSupported()) {
      throw new HookException("this JVM does not transform loaded classes", null);
    }
    try {
      ThreadStartTransformer transformer = new ThreadStartTransformer(Thread.class, HookClass.NAME);
      ThreadStartHook hook = new ThreadStartHook(instrumentation, HookClass.enter(instrumentation));
      hook.transform(transformer);
      hook.reader.set(Thread.currentThread());
      return hook;
    } catch (ReflectiveOperationException
        | IOException
        | UnmodifiableClassException
        | RuntimeException
        | LinkageError e) {
      throw new HookException(e.toString(), e);
    }
  }

  private void transform(ThreadStartTransformer transformer)
      throws UnmodifiableClassException, HookException {
    instrumentation.addTransformer(transformer, true);
    try {
      instrumentation.retransformClasses(Thread.class);
    } finally {
      instrumentation.removeTransformer(transformer);
    }
    if (!transformer.applied()) {
      throw new HookException(
          "Thread.start can't be instrumented: " + transformer.failure(), transformer.failure());
    }
  }

  private static Object constant(MethodHandles.Lookup hook, String name, Class<?> type)
      throws ReflectiveOperationException {
    return hook.findStaticVarHandle(hook.lookupClass(), name, type).get();
  }

  @SuppressWarnings("unchecked") // the copy's fields have the types of StartedThreads
  private static AtomicReferenceArray<Thread> slots(Object value) {
    return (AtomicReferenceArray<Thread>) value;
  }

  @SuppressWarnings("unchecked")
  private static AtomicReference<Thread> thread(Object value) {
    return (AtomicReference<Thread>) value;
  }

  /**
   * Passes on the threads started since the last call.
   *
   * @return false if some are missing
   */
  public boolean take(Consumer<Thread> taker) {
    int now = count.get();
    if (now == taken) {
      return true;
    }
    for (int i = 0; i < slots.length(); i++) {
      Thread thread = slots.get(i) == null ? null : slots.getAndSet(i, null);
      if (thread != null) {
        taker.accept(thread);
        taken++; // not the count: a counted thread may not be in its slot yet
      }
    }
    int counted = count.get();
    if (taken - counted > 0) {
      taken = counted; // one was counted before this began anew, and in its slot only afterwards
    }
    if (missed.get() && missed.getAndSet(false)) {
      // Some are gone, nobody knows how many, and others may be counted and not in their slots yet.
      // So no call is cut short from now on, until this begins anew.
      taken = now - slots.length();
      return false;
    }
    return true;
  }

  /** Reports to the calling thread again. */
  public void resume() {
    beginAnew();
    reader.set(Thread.currentThread());
  }

  /** Stops reporting; the code in Thread stays and reads one field. */
  public void pause() {
    reader.set(null);
    for (int i = 0; i < slots.length(); i++) {
      slots.set(i, null);
    }
  }

  /**
   * Restores Thread's own code. Repeated calls have no effect.
   *
   * @throws HookException if that fails; the code in Thread then stays idle
   */
  @Override
  public void close() throws HookException {
    if (closed) {
      return;
    }
    closed = true;
    pause();
    try {
      instrumentation.retransformClasses(Thread.class);
    } catch (UnmodifiableClassException | RuntimeException | LinkageError e) {
      throw new HookException("Thread.start stays instrumented, and idle: " + e, e);
    }
  }
}
