package stackweave.agent.drain.thread;

import java.lang.instrument.Instrumentation;
import stackweave.agent.jdk.hook.HookException;
import stackweave.agent.jdk.hook.ThreadStartHook;
import stackweave.agent.message.Messages;
import stackweave.hotspot.runtime.LoadedClasses;

/**
 * When {@code Thread} is instrumented and when it gets its own code back: with each start and end
 * of sampling, but not for ever. The VM keeps some 15 KB of each change of a class, so after {@link
 * #MAX_CHANGES} the hook stays in, idle between recordings, until the agent is detached.
 *
 * <p>And each change stops all threads while the VM adjusts every class that it has: so where these
 * are {@link #MANY_CLASSES} or more, the hook stays in from the first time on.
 *
 * <p>For one thread at a time: the drain thread, and who closes the sampler after it.
 */
public final class ThreadStartHooks {
  static final int MAX_CHANGES = 32;

  /** Up to so many a change stops the application for some milliseconds. */
  static final long MANY_CLASSES = 5_000;

  private final Instrumentation instrumentation;
  private final Messages messages;
  private ThreadStartHook hook;
  private int changes;

  /**
   * @param messages told where Thread does not get its code back
   */
  public ThreadStartHooks(Instrumentation instrumentation, Messages messages) {
    this.instrumentation = instrumentation;
    this.messages = messages;
  }

  /** The hook, which tells the calling thread; some 0.15 s of CPU time the first time. */
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
   * Sampling has ended.
   *
   * @param classes that the VM has, or {@link LoadedClasses#UNKNOWN}: these may be many
   */
  public void end(long classes) {
    boolean few = classes != LoadedClasses.UNKNOWN && classes < MANY_CLASSES;
    if (few && changes < MAX_CHANGES) {
      remove();
    } else if (hook != null) {
      hook.pause();
    }
  }

  /** Gives Thread its own code back. */
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
