package stackweave.agent.feature.call;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongBinaryOperator;
import stackweave.agent.jdk.hook.JdkHook;

/**
 * The agent's end of {@link CallHook}: defines its copy in java.lang, switches methods on and off,
 * and reads counters. Thread-safe.
 */
final class CallSwitch {
  static final String COPY = "java.lang.StackweaveNativeCalls";

  private final VarHandle on;
  private final VarHandle threshold;
  private final byte[] selected;
  private final AtomicReferenceArray<LongAdder[]> counters;
  private final AtomicReferenceArray<LongBinaryOperator> writers;

  /**
   * @param hook with access to {@link CallHook} or its copy
   */
  CallSwitch(MethodHandles.Lookup hook) throws ReflectiveOperationException {
    Class<?> type = hook.lookupClass();
    on = hook.findStaticVarHandle(type, "on", boolean.class);
    threshold = hook.findStaticVarHandle(type, "threshold", long.class);
    selected = JdkHook.constant(hook, "SELECTED", byte[].class);
    counters = JdkHook.constant(hook, "COUNTERS", AtomicReferenceArray.class);
    writers = JdkHook.constant(hook, "WRITERS", AtomicReferenceArray.class);
  }

  /** Defines the copy, or finds that of an earlier agent. */
  static CallSwitch define(Instrumentation instrumentation)
      throws ReflectiveOperationException, IOException {
    return new CallSwitch(JdkHook.copy(instrumentation, CallHook.class, COPY, Object.class));
  }

  /** Times the methods that are selected. */
  void on(long thresholdNanos) {
    threshold.setVolatile(thresholdNanos);
    on.setVolatile(true);
  }

  /** Times no method. */
  void off() {
    on.setVolatile(false);
  }

  /** Sets whether a method is timed while any is, and what gets its slow calls. */
  void select(int method, boolean isTimed, LongBinaryOperator writer) {
    writers.set(method, writer);
    selected[method] = (byte) (isTimed ? 1 : 0);
  }

  /**
   * Reads the counters of a method.
   *
   * @return false if it was never called while it was timed
   */
  boolean read(int method, long[] into) {
    LongAdder[] own = counters.get(method);
    for (int i = 0; own != null && i < into.length; i++) {
      into[i] = own[i].sum();
    }
    return own != null;
  }
}
