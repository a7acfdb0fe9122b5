package stackweave.agent.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * {@code Thread.tid}: the id that {@code getId()} gives, too, unless a class of the application
 * overrides it: none of the application's code may run on the agent's threads. JDK 17 to 27. Needs
 * java.lang open to this module. Any thread.
 */
public final class JavaThreadId {
  /** Null where it can't be read. */
  private final VarHandle tid;

  /** For threads of a JDK that has no such field, or doesn't show it, all ids are 0. */
  public JavaThreadId() {
    VarHandle found = null;
    try {
      found =
          MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
              .findVarHandle(Thread.class, "tid", long.class);
    } catch (ReflectiveOperationException e) {
      // A name is enough.
    }
    tid = found;
  }

  /** 0 where it can't be read. */
  public long of(Thread thread) {
    return tid == null ? 0 : (long) tid.get(thread);
  }
}
