package stackweave.agent.jdk;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** {@code Thread.eetop}, the address of the VM's JavaThread. Any thread. */
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

  /** The address; 0 for a thread that has not begun or has ended, and for virtual threads. */
  public long of(Thread thread) {
    return (long) eetop.getVolatile(thread);
  }
}
