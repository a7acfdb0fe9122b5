package stackweave.agent.feature.call;

import java.util.function.Supplier;
import stackweave.agent.feature.Feature;
import stackweave.agent.feature.FeatureContext;
import stackweave.agent.feature.FeatureSession;

/**
 * Timed calls of native methods: {@code stackweave.NativeCall}. The application's threads do the
 * work, and recordings switch it; the drain thread only says what is to know of it.
 */
public final class CallsFeature implements Feature {
  private final NativeCalls calls;
  private boolean areCountsLast;

  /**
   * @param calls closed by {@link #remove}
   */
  public CallsFeature(NativeCalls calls) {
    this.calls = calls;
  }

  @Override
  public String failure() {
    return "calls";
  }

  @Override
  public FeatureSession open(FeatureContext context) {
    // The store has given JFR its hooks by now: those of the counts come last.
    if (!areCountsLast) {
      areCountsLast = true;
      calls.afterHooks().run();
    }
    return new Session(calls.note());
  }

  private static final class Session implements FeatureSession {
    private final Supplier<String> say;
    private String note = "";

    Session(Supplier<String> say) {
      this.say = say;
    }

    /** At the end of a chunk: before it, classes that are to be loaded yet would be missed. */
    @Override
    public void flush() {
      note = say.get();
    }

    @Override
    public String note() {
      return note;
    }
  }
}
