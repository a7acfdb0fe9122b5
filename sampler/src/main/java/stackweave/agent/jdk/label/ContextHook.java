package stackweave.agent.jdk.label;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import stackweave.agent.jdk.JavaBase;
import stackweave.agent.jdk.hook.JdkHook;

/**
 * The agent's access to the copies in java.lang of {@link Contexts}, {@link ContextScope} and
 * {@link ContextThread}, which are defined when sampling first begins in a JVM. The application's
 * {@code StackweaveContext} classes that are loaded by then get the copy's {@link Contexts#OPEN};
 * those that are loaded later find it themselves. For the drain thread; not thread-safe.
 */
public final class ContextHook implements AutoCloseable {
  /** How many of the virtual threads that opened a scope last are known. */
  public static final int MAX_RECENT = Contexts.RECENT;

  /** How {@code StackweaveContext} is recognised, wherever it was copied to. */
  private static final String CLASS = "StackweaveContext";

  private static final String FIELD = "agent";
  private static final String PREFIX = "stackweave.agent.jdk.label.";
  private static final String COPY = "java.lang.Stackweave";

  /** Called for samples, without any allocation. */
  private final MethodHandle at;

  private final MethodHandle noted;
  private final MethodHandle note;

  /** Called rarely. */
  private final Method begin;

  private final Method end;
  private final Method sweep;
  private final Method labels;
  private final Method recent;

  private final AtomicLong keys;
  private final AtomicLong recentCount;
  private final Object unknown;

  /** Its element is set before the first scope exists; until then samples need no call. */
  private final boolean[] used;

  private ContextHook(MethodHandles.Lookup contexts, MethodHandles.Lookup scope)
      throws ReflectiveOperationException {
    at = handle(contexts, "at", Object.class, Thread.class, long.class, long.class);
    noted = handle(scope, "noted", long.class, Object.class, long.class);
    note = handle(scope, "note", void.class, Object.class, long.class, long.class);
    begin = method(contexts, "begin");
    end = method(contexts, "end");
    sweep = method(contexts, "sweep");
    recent = method(contexts, "recent", long.class);
    labels = method(scope, "labels", Object.class);
    keys = JdkHook.constant(contexts, "KEYS", AtomicLong.class);
    recentCount = JdkHook.constant(contexts, "RECENT_COUNT", AtomicLong.class);
    unknown = JdkHook.constant(contexts, "UNKNOWN", Object.class);
    used = JdkHook.constant(contexts, "USED", boolean[].class);
  }

  private static MethodHandle handle(
      MethodHandles.Lookup in, String name, Class<?> result, Class<?>... arguments)
      throws ReflectiveOperationException {
    return in.findStatic(in.lookupClass(), name, MethodType.methodType(result, arguments));
  }

  private static Method method(MethodHandles.Lookup in, String name, Class<?>... arguments)
      throws ReflectiveOperationException {
    Method method = in.lookupClass().getDeclaredMethod(name, arguments);
    method.setAccessible(true);
    return method;
  }

  /**
   * Lets scopes take effect, until this is closed.
   *
   * @throws ReflectiveOperationException if the JVM refuses; then there are no labels
   */
  public static ContextHook open(Instrumentation instrumentation)
      throws ReflectiveOperationException, IOException {
    MethodHandles.Lookup scope = copy(instrumentation, ContextScope.class);
    copy(instrumentation, ContextThread.class);
    MethodHandles.Lookup contexts = copy(instrumentation, Contexts.class);
    ContextHook hook = new ContextHook(contexts, scope);
    AtomicBoolean isTold = JdkHook.constant(contexts, "IS_TOLD", AtomicBoolean.class);
    if (!isTold.getAndSet(true)) {
      tell(instrumentation, JdkHook.constant(contexts, "OPEN", Function.class));
    }
    call(hook.begin);
    return hook;
  }

  private static MethodHandles.Lookup copy(Instrumentation instrumentation, Class<?> type)
      throws ReflectiveOperationException, IOException {
    return JdkHook.copy(instrumentation, type, PREFIX, COPY, Object.class);
  }

  /** Sets it in the application's loaded classes; a class in which that fails has no labels. */
  private static void tell(Instrumentation instrumentation, Function<?, ?> open) {
    for (Class<?> type : instrumentation.getAllLoadedClasses()) {
      String name = type.getName();
      if (name.endsWith(CLASS)
          && (name.length() == CLASS.length()
              || name.charAt(name.length() - CLASS.length() - 1) == '.')) {
        try {
          bind(instrumentation, type, open);
        } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
          // Another class of that name, or one that could not be initialised.
        }
      }
    }
  }

  private static void bind(Instrumentation instrumentation, Class<?> type, Function<?, ?> open)
      throws ReflectiveOperationException {
    Module own = ContextHook.class.getModule();
    Module module = type.getModule();
    if (module.isNamed()) {
      JavaBase.open(instrumentation, type);
    }
    if (!own.canRead(module)) {
      instrumentation.redefineModule(own, Set.of(module), Map.of(), Map.of(), Set.of(), Map.of());
    }
    MethodHandles.privateLookupIn(type, MethodHandles.lookup())
        .findStaticVarHandle(type, FIELD, Function.class)
        .setVolatile(open);
  }

  /**
   * The scope that a thread was in; allocates nothing.
   *
   * @param nanos when, on the clock of {@link System#nanoTime}
   * @param errorNanos the largest error of that time
   * @return null for none; see {@link #isUnknown}
   */
  public Object at(Thread thread, long nanos, long errorNanos) {
    if (!used[0]) {
      return null;
    }
    try {
      return (Object) at.invokeExact(thread, nanos, errorNanos);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** Whether a result of {@link #at} means that the scope is not known. */
  public boolean isUnknown(Object scope) {
    return scope == unknown;
  }

  /**
   * Keys and values of a scope and of those around it, its own first.
   *
   * @return null if they are not known
   */
  public String[][] labels(Object scope) {
    return (String[][]) call(labels, scope);
  }

  /** A number that no other call in this JVM has returned, for {@link #note}. */
  public long newKey() {
    return keys.incrementAndGet();
  }

  /** The number that {@link #note} stored in a scope with this key; 0 for none. */
  public long noted(Object scope, long key) {
    try {
      return (long) noted.invokeExact(scope, key);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** Stores a number in a scope, in place of one that another key stored. */
  public void note(Object scope, long key, long number) {
    try {
      note.invokeExact(scope, key, number);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** How many virtual threads have opened a first scope so far. */
  public long virtualThreads() {
    return recentCount.get();
  }

  /**
   * One of the last {@link #MAX_RECENT} virtual threads that opened a first scope.
   *
   * @param number how many came before it
   * @return null if it is garbage, or not known
   */
  public Thread virtualThread(long number) {
    return (Thread) call(recent, number);
  }

  /** Forgets threads that have ended. Takes tens of microseconds. */
  public void sweep() {
    call(sweep);
  }

  /** Ends the effect of scopes. */
  @Override
  public void close() {
    call(end);
  }

  private static Object call(Method method, Object... arguments) {
    try {
      return method.invoke(null, arguments);
    } catch (InvocationTargetException e) {
      throw failed(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw failed(e);
    }
  }

  private static RuntimeException failed(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return new IllegalStateException(e);
  }
}
