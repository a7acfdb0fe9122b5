package stackweave.agent.drain.thread;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;
import stackweave.agent.engine.ThreadStarts;
import stackweave.agent.jdk.hook.ThreadStartHook;
import stackweave.hotspot.runtime.JavaThreads;

/**
 * The Java threads that {@code Thread.start} tells of, with what the VM has of them. For the drain
 * thread only.
 */
public final class StartedJavaThreads implements ThreadStarts {
  private final ThreadStartHook hook;
  private final JavaThreads vmThreads;
  private final VarHandle eetop;
  private final Consumer<Thread> tell = this::tell;
  private Visitor visitor;

  private StartedJavaThreads(ThreadStartHook hook, JavaThreads vmThreads, VarHandle eetop) {
    this.hook = hook;
    this.vmThreads = vmThreads;
    this.eetop = eetop;
  }

  /** Needs java.lang open to this module. */
  public static StartedJavaThreads of(ThreadStartHook hook, JavaThreads vmThreads)
      throws ReflectiveOperationException {
    VarHandle eetop =
        MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup())
            .findVarHandle(Thread.class, "eetop", long.class);
    return new StartedJavaThreads(hook, vmThreads, eetop);
  }

  @Override
  public boolean take(Visitor asking) {
    visitor = asking;
    return hook.take(tell);
  }

  private void tell(Thread thread) {
    vmThreads.stackOf((long) eetop.getVolatile(thread), visitor::started);
  }
}
