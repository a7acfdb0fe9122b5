package stackweave.agent.decode.thread;

import java.util.function.Consumer;
import stackweave.agent.jdk.VmThreadAddress;
import stackweave.agent.jdk.hook.ThreadStartHook;
import stackweave.engine.ThreadStarts;
import stackweave.hotspot.runtime.JavaThreads;

/**
 * Threads reported by the hook in {@code Thread.start}, with their ids and stack bounds from the
 * VM. Used by the timer engine's discovery; for the drain thread only.
 */
public final class StartedJavaThreads implements ThreadStarts {
  private final ThreadStartHook hook;
  private final JavaThreads vmThreads;
  private final VmThreadAddress address;
  private final Consumer<Thread> tell = this::tell;
  private Visitor visitor;

  /**
   * Needs java.lang open to this module.
   *
   * @throws ReflectiveOperationException where the JDK's threads are unlike any known
   */
  public StartedJavaThreads(ThreadStartHook hook, JavaThreads vmThreads)
      throws ReflectiveOperationException {
    this.hook = hook;
    this.vmThreads = vmThreads;
    this.address = new VmThreadAddress();
  }

  @Override
  public boolean take(Visitor asking) {
    visitor = asking;
    return hook.take(tell);
  }

  private void tell(Thread thread) {
    vmThreads.stackOf(address.of(thread), visitor::started);
  }
}
