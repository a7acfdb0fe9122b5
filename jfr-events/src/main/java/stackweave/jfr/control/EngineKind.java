package stackweave.jfr.control;

/**
 * The sampling engines, in the default order of attempts. A new one is added here, in the agent's
 * {@code EngineChooser}, which starts it, and in docs/engines.md. Thread-safe.
 */
public enum EngineKind {
  /** perf_event_open with kernel mode: sees all CPU time, kernel frames above the user stack. */
  PERF("perf", true),
  /**
   * A CPU timer per thread, whose signal is delivered on the way back to user mode: sees all CPU
   * time with the user stack, but no kernel frames. Needs no privilege.
   */
  TIMER("timer", true),
  /**
   * perf_event_open in user mode only: a sample that would land in the kernel is dropped, so time
   * in system calls is not seen (but counted).
   */
  PERF_USER("perf-user", true);

  private final String label;
  private final boolean fallback;

  EngineKind(String label, boolean fallback) {
    this.label = label;
    this.fallback = fallback;
  }

  /** The name in options, events and messages. */
  public String label() {
    return label;
  }

  /**
   * Whether it is used for requests that name no engine, or another one that is refused. Other
   * engines run only for requests that name them.
   */
  public boolean isFallback() {
    return fallback;
  }

  /** Whether it asks the kernel for perf events. */
  public boolean usesPerfEvents() {
    return this != TIMER;
  }
}
