package stackweave.agent.drain.thread;

import java.lang.instrument.Instrumentation;
import stackweave.agent.jdk.hook.HookException;
import stackweave.agent.jdk.hook.ThreadStartHook;
import stackweave.agent.message.Messages;
import stackweave.hotspot.runtime.LoadedClasses;

/**
 * Installs the hook in {@code Thread.start} at each start of sampling and removes it at the end,
 * but at most {@link #MAX_CHANGES} times, since the VM keeps some 15 KB for each change: after that
 * it stays in, paused between recordings, until detach. Each change also stops all threads while
 * the VM adjusts every class, so with {@link #MANY_CLASSES} or more it stays in from the first
 * time. Used by one thread at a time: the drain thread, then whoever closes the sampler.
 */
public final class ThreadStartHooks {
  static final int MAX_CHANGES = 32;

  /** With fewer loaded classes a change stops the application for some milliseconds only. */
  static final long MANY_CLASSES = 5_000;

  private final Instrumentation instrumentation;
  private final Messages messages;
  private ThreadStartHook hook;
  private int changes;

  /**
   * @param messages reports if Thread's own code can't be restored
   */
  public ThreadStartHooks(Instrumentation instrumentation, Messages messages) {
    this.instrumentation = instrumentation;
    this.messages = messages;
  }

  /**
   * The hook, which reports to the calling thread. Costs some 0.15 s of CPU time the first time.
   */
  public ThreadStartHook begin() throws HookException {
    if (hook == null) {
      hook = ThreadStartHook.install(instrumentation);
      changes++;
    } else {
      hook.resume();
    }
    return hook;
  }

  /**
   * Call it when sampling has ended.
   *
   * @param classes number of loaded classes, or {@link LoadedClasses#UNKNOWN}, which is treated as
   *     many
   */
  public void end(long classes) {
    boolean few = classes != LoadedClasses.UNKNOWN && classes < MANY_CLASSES;
    if (few && changes < MAX_CHANGES) {
      remove();
    } else if (hook != null) {
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
