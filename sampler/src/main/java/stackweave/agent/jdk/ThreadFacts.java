package stackweave.agent.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Properties of a Java thread that depend on the JDK. Any thread. */
public final class ThreadFacts {
  /** The class of the threads of the JDK's own scheduler of virtual threads, from JDK 20 on. */
  private static final String CARRIER = "jdk.internal.misc.CarrierThread";

  /** {@code Thread.tid}; null where it can't be read. */
  private final VarHandle tid;

  /** If the JDK has no such field, or doesn't open it, all ids are 0. */
  public ThreadFacts() {
    VarHandle found = null;
    try {
      found =
          MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
              .findVarHandle(Thread.class, "tid", long.class);
    } catch (ReflectiveOperationException e) {
      // The name is enough.
    }
    tid = found;
  }

  /**
   * The id that {@code getId()} gives, too, unless a class of the application overrides it: none of
   * the application's code may run on the agent's threads. JDK 17 to 27. Needs java.lang open to
   * this module.
   *
   * @return 0 where it can't be read
   */
  public long idOf(Thread thread) {
    return tid == null ? 0 : (long) tid.get(thread);
  }

  /** Whether its purpose is to carry virtual threads. */
  public static boolean isCarrier(Thread thread) {
    return thread.getClass().getName().equals(CARRIER);
  }
}
