package stackweave.agent.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;

/**
 * Finds the continuation that a carrier runs, and its virtual thread, from fields of the JDK's
 * objects: {@code Thread.cont} is set before a virtual thread's frames are mounted on the stack,
 * and reset after they are unmounted (JDK 21 to 25). Takes no lock and runs no code of the
 * application. Needs java.lang and jdk.internal.vm open to this module. For the drain thread only.
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
   * @throws ReflectiveOperationException if the JDK lacks these members or its packages are not
   *     open: virtual threads can't be told from each other then
   */
  public MountedContinuations() throws ReflectiveOperationException {
    // Without initialising the classes: a JVM without virtual threads must not start their
    // scheduler.
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
    // A continuation that a virtual thread itself runs has the virtual thread's as an ancestor.
    while (continuation != null && !ofVirtualThread.isInstance(continuation)) {
      continuation = parent.getVolatile(continuation);
    }
    return continuation;
  }

  /** The continuation of a virtual thread, also of one that has ended; null of another thread. */
  public Object ofThread(Thread thread) {
    return virtualThread.isInstance(thread) ? own.get(thread) : null;
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
   * The field of a virtual thread's wrapper task that holds the thread, its only one of that type.
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
