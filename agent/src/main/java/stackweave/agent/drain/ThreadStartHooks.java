package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import stackweave.agent.hook.HookException;
import stackweave.agent.hook.ThreadStartHook;

/**
 * When {@code Thread} is instrumented and when it gets its own code back: with each start and end
 * of sampling, but not for ever. The VM keeps some 15 KB of each change of a class, so after {@link
 * #MOST_CHANGES} the hook stays in, idle between recordings, until the agent is detached.
 *
 * <p>For one thread at a time: the drain thread, and who closes the sampler after it.
 */
final class ThreadStartHooks {
  static final int MOST_CHANGES = 32;

  private final Instrumentation instrumentation;
  private final Messages messages;
  private ThreadStartHook hook;
  private int changes;

  /**
   * @param messages told where Thread does not get its code back
   */
  ThreadStartHooks(Instrumentation instrumentation, Messages messages) {
    this.instrumentation = instrumentation;
    this.messages = messages;
  }

  /** The hook, which tells the calling thread; some 0.15 s of CPU time the first time. */
  ThreadStartHook begin() throws HookException {
    if (hook == null) {
      hook = ThreadStartHook.install(instrumentation);
      changes++;
    } else {
      hook.resume();
    }
    return hook;
  }

  /** Sampling has ended. */
  void end() {
    if (changes < MOST_CHANGES) {
      remove();
    } else if (hook != null) {
      hook.pause();
    }
  }

  /** Gives Thread its own code back. */
  void remove() {
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
