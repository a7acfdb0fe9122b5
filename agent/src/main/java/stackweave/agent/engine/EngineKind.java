package stackweave.agent.engine;

/** The engines there are, in the order in which they are tried. */
public enum EngineKind {
  /** perf_event_open with kernel mode: sees all CPU time, kernel frames above the user stack. */
  PERF("perf"),
  /**
   * A CPU timer per thread, whose signal is delivered on the way back to user mode: sees all CPU
   * time with the user stack, but no kernel frames. What it needs every user has.
   */
  TIMER("timer"),
  /**
   * perf_event_open in user mode only: a sample that would land in the kernel is dropped, so time
   * in system calls is not seen (but counted).
   */
  PERF_USER("perf-user");

  private final String label;

  EngineKind(String label) {
    this.label = label;
  }

  /** The name in options, events and messages. */
  public String label() {
    return label;
  }
}
