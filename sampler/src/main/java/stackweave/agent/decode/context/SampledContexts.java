package stackweave.agent.decode.context;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.util.SortedMap;
import java.util.TreeMap;
import stackweave.agent.jdk.label.ContextHook;
import stackweave.engine.EngineDescription;
import stackweave.jfr.event.LabelText;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.store.ContextDefinition;
import stackweave.jfr.store.EventStore;
import stackweave.unwind.text.ShortText;

/**
 * The context of a sample: the scope of the application's labels that its thread was in when it was
 * taken, by the times at which the thread changed it. If these leave it uncertain, the context is
 * 0, and the sample is counted. Made with each pipeline; for the drain thread only. Allocates
 * nothing for a scope that was sampled before.
 */
public final class SampledContexts implements AutoCloseable {
  static final int MAX_LABELS = 16;
  static final int MAX_KEY = 64;
  static final int MAX_VALUE = 256;

  private static final String TRACE_ID = "trace_id";
  private static final String SPAN_ID = "span_id";

  /** Stands for a scope that has no labels, or hides all. */
  private static final long WITHOUT_LABELS = -1;

  /**
   * A sample so close to a change has no context: the kernel's clock may step back by a few
   * nanoseconds when it is adjusted (ktime_get_mono_fast_ns, kernel/time/timekeeping.c).
   */
  private static final long MIN_ERROR_NANOS = 500;

  private static final long SWEEP_NANOS = 10_000_000_000L;

  private final EventStore store;
  private final Counters counters;

  /** Null if there are no labels. */
  private final ContextHook hook;

  private long key;
  private long swept = System.nanoTime();

  /** Whether any sample was in a scope. */
  private boolean used;

  private SampledContexts(EventStore store, Counters counters, ContextHook hook) {
    this.store = store;
    this.counters = counters;
    this.hook = hook;
    forget();
  }

  /**
   * Lets the application's scopes take effect until this is closed.
   *
   * @throws ReflectiveOperationException where the JDK is unlike any known; or a LinkageError
   * @throws IOException where the agent's own classes can't be read
   */
  public static SampledContexts open(
      Instrumentation instrumentation, EventStore store, Counters counters)
      throws ReflectiveOperationException, IOException {
    return new SampledContexts(store, counters, ContextHook.open(instrumentation));
  }

  /** Without any labels. */
  public static SampledContexts none(EventStore store, Counters counters) {
    return new SampledContexts(store, counters, null);
  }

  /** The threads that open scopes; null if there are no labels. */
  public ContextHook threads() {
    return hook;
  }

  /** Forgets all ids of the store, whose generation has changed. */
  public void forget() {
    key = hook == null ? 0 : hook.newKey();
  }

  /**
   * The context of an engine's sample, which is counted.
   *
   * @param thread whose it is; null if that is not known
   * @param nanos when it was taken, by the engine's clock
   * @param clockErrorNanos that engine's {@link EngineDescription#clockErrorNanos}
   * @param isJava whether it is of a Java thread, also of one that is not known, as it has ended
   * @return its id, 0 for none
   */
  public long of(Thread thread, long nanos, long clockErrorNanos, boolean isJava) {
    if (thread == null && isJava && areUsed()) {
      counters.add(Counter.LABEL_UNKNOWN, 1);
      return 0;
    }
    return find(thread, nanos, clockErrorNanos, true);
  }

  /** Whether the application opens scopes, as far as known. */
  public boolean areUsed() {
    used |= hook != null && hook.virtualThreads() > 0;
    return used;
  }

  /**
   * The context of a sample of another engine or of a look at a thread; not counted.
   *
   * @param thread whose it is; null if that is not known
   * @param nanos when it was taken, by that engine's clock
   * @param clockErrorNanos that engine's {@link EngineDescription#clockErrorNanos}; 0 for a look
   * @return its id, 0 for none
   */
  public long ofBeside(Thread thread, long nanos, long clockErrorNanos) {
    return find(thread, nanos, clockErrorNanos, false);
  }

  private long find(Thread thread, long nanos, long clockErrorNanos, boolean counted) {
    if (hook == null || thread == null) {
      return 0;
    }
    if (nanos - swept > SWEEP_NANOS) {
      swept = nanos;
      hook.sweep();
    }
    Object scope = hook.at(thread, nanos, Math.max(MIN_ERROR_NANOS, clockErrorNanos));
    if (scope == null) {
      return 0;
    }
    used = true;
    long id = hook.isUnknown(scope) ? 0 : id(scope);
    if (id == WITHOUT_LABELS) {
      return 0;
    }
    if (counted && id == 0) {
      counters.add(Counter.LABEL_UNKNOWN, 1);
    }
    return id;
  }

  private long id(Object scope) {
    long known = hook.noted(scope, key);
    if (known != 0) {
      return known;
    }
    String[][] scopes = hook.labels(scope);
    if (scopes == null) {
      return 0;
    }
    ContextDefinition definition = definition(scopes);
    long id = definition.isEmpty() ? WITHOUT_LABELS : store.context(definition);
    hook.note(scope, key, id);
    return id;
  }

  /** Keys and values of scopes, the innermost first, whose labels hide those of the others. */
  static ContextDefinition definition(String[][] scopes) {
    SortedMap<String, String> labels = new TreeMap<>();
    int count = 0;
    for (String[] pairs : scopes) {
      // The last of equal keys in a scope counts, so the order is reversed.
      for (int i = (pairs.length & ~1) - 2; i >= 0; i -= 2) {
        if (pairs[i] == null || pairs[i + 1] == null || count == MAX_LABELS) {
          continue;
        }
        String name = ShortText.of(pairs[i], MAX_KEY);
        if (!labels.containsKey(name)) {
          labels.put(name, ShortText.of(pairs[i + 1], MAX_VALUE));
          count++;
        }
      }
    }
    labels.values().removeIf(String::isEmpty); // they only hide outer ones
    String trace = labels.remove(TRACE_ID);
    String span = labels.remove(SPAN_ID);
    return new ContextDefinition(
        trace == null ? "" : trace, span == null ? "" : span, LabelText.of(labels));
  }

  @Override
  public void close() {
    if (hook != null) {
      hook.close();
    }
  }
}
