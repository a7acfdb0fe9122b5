package stackweave.agent.jdk.label;

import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import stackweave.agent.jdk.JavaBase;

/**
 * The agent's access to the copies in java.lang of {@link Contexts}, {@link ContextScope} and
 * {@link ContextThread}, which are defined when sampling first begins in a JVM. Classes of the
 * application that were loaded before that are told then; those that are loaded later find the copy
 * by themselves. For the drain thread; not thread-safe.
 */
public final class ContextHook implements AutoCloseable {
  /** How many virtual threads are known of those that opened a scope. */
  public static final int MAX_RECENT = Contexts.RECENT;

  /** How {@code StackweaveContext} is recognised, wherever it was copied to. */
  private static final String CLASS = "StackweaveContext";

  private static final String FIELD = "agent";
  private static final String PREFIX = "stackweave/agent/jdk/label/";
  private static final String NEW_PREFIX = "java/lang/Stackweave";
  private static final String COPY = "java.lang.Stackweave";
  private static final List<Class<?>> COPIED =
      List.of(ContextScope.class, ContextThread.class, Contexts.class);

  private final MethodHandle at;
  private final MethodHandle labels;
  private final MethodHandle noted;
  private final MethodHandle note;
  private final MethodHandle newKey;
  private final MethodHandle begin;
  private final MethodHandle end;
  private final MethodHandle sweep;
  private final MethodHandle recentCount;
  private final MethodHandle recent;
  private final Object unknown;

  /** Its element is set before the first scope is there, so most samples need no call. */
  private final boolean[] used;

  private ContextHook(Class<?> contexts, Class<?> scope) throws ReflectiveOperationException {
    MethodHandles.Lookup inContexts =
        MethodHandles.privateLookupIn(contexts, MethodHandles.lookup());
    MethodHandles.Lookup inScope = MethodHandles.privateLookupIn(scope, MethodHandles.lookup());
    MethodType plain = MethodType.methodType(void.class);
    at =
        inContexts.findStatic(
            contexts,
            "at",
            MethodType.methodType(Object.class, Thread.class, long.class, long.class));
    begin = inContexts.findStatic(contexts, "begin", plain);
    end = inContexts.findStatic(contexts, "end", plain);
    sweep = inContexts.findStatic(contexts, "sweep", plain);
    recentCount = inContexts.findStatic(contexts, "recentCount", MethodType.methodType(long.class));
    recent =
        inContexts.findStatic(contexts, "recent", MethodType.methodType(Thread.class, long.class));
    newKey = inContexts.findStatic(contexts, "newKey", MethodType.methodType(long.class));
    labels =
        inScope.findStatic(scope, "labels", MethodType.methodType(String[][].class, Object.class));
    noted =
        inScope.findStatic(
            scope, "noted", MethodType.methodType(long.class, Object.class, long.class));
    note =
        inScope.findStatic(
            scope, "note", MethodType.methodType(void.class, Object.class, long.class, long.class));
    unknown = inContexts.findStaticVarHandle(contexts, "UNKNOWN", Object.class).get();
    used = (boolean[]) inContexts.findStaticVarHandle(contexts, "USED", boolean[].class).get();
  }

  /**
   * Lets scopes take effect, until this is closed.
   *
   * @throws ReflectiveOperationException if the JVM refuses; then there are no labels
   */
  public static ContextHook open(Instrumentation instrumentation)
      throws ReflectiveOperationException, IOException {
    JavaBase.open(instrumentation, "java.lang");
    boolean isNew = find(Contexts.class) == null;
    for (Class<?> type : COPIED) {
      if (find(type) == null) {
        MethodHandles.privateLookupIn(Object.class, MethodHandles.lookup()).defineClass(copy(type));
      }
    }
    Class<?> contexts = find(Contexts.class);
    ContextHook hook = new ContextHook(contexts, find(ContextScope.class));
    if (isNew) {
      tell(instrumentation, contexts.getField("OPEN").get(null));
    }
    hook.call(hook.begin);
    return hook;
  }

  private static Class<?> find(Class<?> type) {
    try {
      return Class.forName(COPY + type.getSimpleName(), true, null);
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  private static byte[] copy(Class<?> type) throws IOException {
    try (InputStream in = type.getResourceAsStream(type.getSimpleName() + ".class")) {
      if (in == null) {
        throw new IOException("the agent jar lacks " + type.getName());
      }
      return ClassFileNames.replace(in.readAllBytes(), PREFIX, NEW_PREFIX);
    }
  }

  /**
   * Tells the application's classes that are loaded already; one that can't be told has no labels.
   */
  private static void tell(Instrumentation instrumentation, Object open) {
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

  private static void bind(Instrumentation instrumentation, Class<?> type, Object open)
      throws ReflectiveOperationException {
    Module own = ContextHook.class.getModule();
    Module module = type.getModule();
    if (module.isNamed()) {
      instrumentation.redefineModule(
          module,
          Set.of(),
          Map.of(),
          Map.of(type.getPackageName(), Set.of(own)),
          Set.of(),
          Map.of());
    }
    if (!own.canRead(module)) {
      instrumentation.redefineModule(own, Set.of(module), Map.of(), Map.of(), Set.of(), Map.of());
    }
    VarHandle field =
        MethodHandles.privateLookupIn(type, MethodHandles.lookup())
            .findStaticVarHandle(type, FIELD, Function.class);
    field.setVolatile((Function<?, ?>) open);
  }

  /**
   * The scope that a thread was in; allocates nothing.
   *
   * @param nanos when, on the clock of {@link System#nanoTime}
   * @param errorNanos by how much that may be wrong
   * @return null for none, {@link #isUnknown unknown} if it can't be told
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

  /** Whether a result of {@link #at} says that the scope can't be told. */
  public boolean isUnknown(Object scope) {
    return scope == unknown;
  }

  /**
   * Keys and values of a scope and of those around it, its own first.
   *
   * @return null if they can't be told
   */
  public String[][] labels(Object scope) {
    try {
      return (String[][]) labels.invokeExact(scope);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** A number that no other call in this JVM has returned, for {@link #note}. */
  public long newKey() {
    try {
      return (long) newKey.invokeExact();
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** The number that was noted at a scope by this key; 0 for none. */
  public long noted(Object scope, long key) {
    try {
      return (long) noted.invokeExact(scope, key);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** Notes a number at a scope; what another key noted there is lost. */
  public void note(Object scope, long key, long number) {
    try {
      note.invokeExact(scope, key, number);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** How many virtual threads have opened their first scope, ever. */
  public long virtualThreads() {
    try {
      return (long) recentCount.invokeExact();
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /**
   * One of the last {@link #MAX_RECENT} of these.
   *
   * @param number how many came before it
   * @return null if it is garbage, or not known
   */
  public Thread virtualThread(long number) {
    try {
      return (Thread) recent.invokeExact(number);
    } catch (Throwable e) {
      throw failed(e);
    }
  }

  /** Forgets threads that have ended. Takes tens of microseconds. */
  public void sweep() {
    call(sweep);
  }

  /** Scopes have no effect any more. */
  @Override
  public void close() {
    call(end);
  }

  private void call(MethodHandle handle) {
    try {
      handle.invokeExact();
    } catch (Throwable e) {
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
