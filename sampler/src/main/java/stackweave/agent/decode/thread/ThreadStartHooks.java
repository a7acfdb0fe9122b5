package stackweave.agent.decode.thread;

import java.lang.instrument.Instrumentation;
import stackweave.agent.jdk.hook.HookException;
import stackweave.agent.jdk.hook.ThreadStartHook;
import stackweave.agent.message.Messages;

/**
 * Installs the hook in {@code Thread.start} when sampling first begins. It stays in, paused between
 * recordings, until detach: each change of Thread stops all threads while the VM adjusts every
 * class, throws away the compiled code in which Thread's methods are inlined, and takes some 15 KB
 * for good. Used by one thread at a time: the drain thread, then whoever closes the sampler.
 */
public final class ThreadStartHooks {
  private final Instrumentation instrumentation;
  private final Messages messages;
  private ThreadStartHook hook;

  /**
   * @param messages reports if Thread's own code can't be restored
   */
  public ThreadStartHooks(Instrumentation instrumentation, Messages messages) {
    this.instrumentation = instrumentation;
    this.messages = messages;
  }

  /** The hook, which reports to the calling thread. */
  public ThreadStartHook begin() throws HookException {
    if (hook == null) {
      hook = ThreadStartHook.install(instrumentation);
    } else {
      hook.resume();
    }
    return hook;
  }

  /** Call it when sampling has ended. */
  public void end() {
    if (hook != null) {
      hook.pause();
    }
  }

  /** Restores Thread's own code. */
  public void remove() {
    if (hook == null) {
      return;
    }
    try {
      hook.close();
    } catch (HookException e) {
      messages.sampling(e.getMessage());
    }
    hook = null;
  }
}
