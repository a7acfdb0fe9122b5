package stackweave.label;

import java.util.function.Function;

/**
 * Labels the samples of the current thread, from {@link #open} to {@link #close}, with the trace,
 * the tenant, or whatever the thread works for. Without Stackweave's agent, and while no recording
 * asks for samples, it does nothing, in a nanosecond or two. The class stands alone: it may be
 * copied or relocated into an application, several times, if it keeps its simple name.
 *
 * <pre>{@code
 * try (StackweaveContext context = StackweaveContext.open("endpoint", "/orders", "tenant", tenant)) {
 *   handle(request);
 * }
 * }</pre>
 *
 * <p>Scopes nest: an inner one has the labels of the outer ones too, and its own of the same key in
 * their place. A scope must be closed by the thread that opened it, the inner ones first; on a
 * virtual thread it labels that virtual thread, on whichever carrier. Any thread may open scopes at
 * any time. Nothing here throws.
 */
public final class StackweaveContext implements AutoCloseable {
  /** The label that exports take for the trace's id: 32 hexadecimal digits of W3C Trace Context. */
  public static final String TRACE_ID = "trace_id";

  /** The label that exports take for the span's id: 16 hexadecimal digits. */
  public static final String SPAN_ID = "span_id";

  /** What the agent defines when sampling first begins; it is not there before. */
  private static final String AGENT = "java.lang.StackweaveContexts";

  private static final StackweaveContext NONE = new StackweaveContext(null);

  /**
   * Opens a scope on the current thread and returns what ends it. Null until the agent, when it
   * begins to sample, sets it; if this class is initialised later, it finds the agent's.
   */
  private static volatile Function<String[], Runnable> agent = find();

  private final Runnable end;

  private StackweaveContext(Runnable end) {
    this.end = end;
  }

  /**
   * Labels the current thread's samples until the scope is closed.
   *
   * @param labels a key, its value, a key, its value and so on; the array must not be changed
   *     afterwards. Pairs with a null are left out. The recording keeps 16 labels of a sample, and
   *     of each 64 characters of the key and 256 of the value
   * @return the scope; it does nothing if no samples are taken
   */
  public static StackweaveContext open(String... labels) {
    Function<String[], Runnable> open = agent;
    if (open == null) {
      return NONE;
    }
    Runnable end = open.apply(labels);
    return end == null ? NONE : new StackweaveContext(end);
  }

  /** Ends the scope: the labels from before it are back. A second call does nothing. */
  @Override
  public void close() {
    if (end != null) {
      end.run();
    }
  }

  @SuppressWarnings("unchecked") // the field has this type
  private static Function<String[], Runnable> find() {
    try {
      return (Function<String[], Runnable>) Class.forName(AGENT).getField("OPEN").get(null);
    } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
      return null; // no agent, or it does not sample yet
    }
  }
}
