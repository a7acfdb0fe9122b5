package stackweave.agent.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** {@code Thread.eetop}: where the VM has what it knows of a thread. Any thread. */
public final class VmThreadAddress {
  private final VarHandle eetop;

  /**
   * @throws ReflectiveOperationException where the JDK has no such field or java.lang is not open
   *     to this module
   */
  public VmThreadAddress() throws ReflectiveOperationException {
    eetop =
        MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
            .findVarHandle(Thread.class, "eetop", long.class);
  }

  /** 0 of a thread that has not begun or has ended, and of virtual threads. */
  public long of(Thread thread) {
    return (long) eetop.getVolatile(thread);
  }
}
