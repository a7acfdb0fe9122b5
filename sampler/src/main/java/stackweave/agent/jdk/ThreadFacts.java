package stackweave.agent.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** What is to know of a Java thread, where that depends on the JDK. Any thread. */
public final class ThreadFacts {
  /** The class of the threads of the JDK's own scheduler of virtual threads, from JDK 20 on. */
  private static final String CARRIER = "jdk.internal.misc.CarrierThread";

  /** {@code Thread.tid}; null where it can't be read. */
  private final VarHandle tid;

  /** For threads of a JDK that has no such field, or doesn't show it, all ids are 0. */
  public ThreadFacts() {
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

  /** Whether it is there to carry virtual threads. */
  public static boolean isCarrier(Thread thread) {
    return thread.getClass().getName().equals(CARRIER);
  }
}
