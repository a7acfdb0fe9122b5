package stackweave.agent.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;

/**
 * Which continuation a carrier runs, and whose it is, from fields of the JDK's own objects: {@code
 * Thread.cont} is set before a virtual thread's frames come onto the stack, and reset after they
 * left it (JDK 21 to 25). No lock is taken and no code of the application runs.
 *
 * <p>Needs java.lang and jdk.internal.vm open to this module. For the drain thread only.
 */
public final class MountedContinuations {
  private static final String CONTINUATION = "jdk.internal.vm.Continuation";
  private static final String OF_VIRTUAL_THREAD = "java.lang.VirtualThread$VThreadContinuation";

  private final Class<?> virtualThread;
  private final Class<?> ofVirtualThread;
  private final VarHandle current;
  private final VarHandle parent;
  private final VarHandle target;
  private final VarHandle own;
  private Class<?> targetClass;
  private VarHandle threadOfTarget;

  /**
   * @throws ReflectiveOperationException where the JDK has no such members or its packages are not
   *     open: virtual threads are then told from their carriers, but not from each other
   */
  public MountedContinuations() throws ReflectiveOperationException {
    // Not initialised by this: a JVM that uses no virtual threads shall not start a scheduler.
    Class<?> continuation = Class.forName(CONTINUATION, false, null);
    virtualThread = Class.forName("java.lang.VirtualThread", false, null);
    ofVirtualThread = Class.forName(OF_VIRTUAL_THREAD, false, null);
    MethodHandles.Lookup caller = MethodHandles.lookup();
    current =
        MethodHandles.privateLookupIn(Thread.class, caller)
            .findVarHandle(Thread.class, "cont", continuation);
    MethodHandles.Lookup inContinuation = MethodHandles.privateLookupIn(continuation, caller);
    parent = inContinuation.findVarHandle(continuation, "parent", continuation);
    target = inContinuation.findVarHandle(continuation, "target", Runnable.class);
    own =
        MethodHandles.privateLookupIn(virtualThread, caller)
            .findVarHandle(virtualThread, "cont", continuation);
  }

  /** The continuation of the virtual thread that {@code carrier} has mounted now, or null. */
  public Object of(Thread carrier) {
    Object continuation = current.getVolatile(carrier);
    // One that a virtual thread runs for itself has the virtual thread's as an ancestor.
    while (continuation != null && !ofVirtualThread.isInstance(continuation)) {
      continuation = parent.getVolatile(continuation);
    }
    return continuation;
  }

  /** The virtual thread whose continuation this is, or null. */
  public Thread threadOf(Object continuation) {
    Object runnable = target.get(continuation);
    if (runnable == null) {
      return null;
    }
    if (runnable.getClass() != targetClass) {
      threadOfTarget = findThread(runnable.getClass());
      targetClass = runnable.getClass();
    }
    Thread thread = threadOfTarget == null ? null : (Thread) threadOfTarget.get(runnable);
    return thread != null && own.get(thread) == continuation ? thread : null;
  }

  /**
   * The task that a virtual thread wraps its own in has the thread as its only field of the kind.
   */
  private VarHandle findThread(Class<?> task) {
    for (Field field : task.getDeclaredFields()) {
      if (field.getType() == virtualThread) {
        try {
          return MethodHandles.privateLookupIn(task, MethodHandles.lookup())
              .unreflectVarHandle(field);
        } catch (IllegalAccessException e) {
          return null;
        }
      }
    }
    return null;
  }
}
