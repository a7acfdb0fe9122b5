package stackweave.jfr.control;

/**
 * The sampling engines, in the default order of attempts. A new one is added here, in the agent's
 * {@code EngineChooser}, which starts it, and in docs/engines.md. Thread-safe.
 */
public enum EngineKind {
  /**
   * A perf event for each CPU, whose samples of other processes a filter drops: sees all CPU time,
   * kernel frames above the user stack, and costs nothing where threads are switched. Needs
   * CAP_PERFMON, or perf_event_paranoid of 0 at most.
   */
  PERF("perf"),
  /**
   * A CPU timer per thread, whose signal is delivered on the way back to user mode: sees all CPU
   * time with the user stack, but no kernel frames. Needs no privilege.
   */
  TIMER("timer"),
  /**
   * A perf event for each thread on each CPU: sees all CPU time but that of short threads, and
   * other events than CPU time. Slows down switches between threads.
   */
  PERF_THREAD("perf-thread"),
  /**
   * The same in user mode only: samples in the kernel are dropped, so time in system calls is not
   * seen (but counted).
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

  /** Whether it asks the kernel for perf events. */
  public boolean usesPerfEvents() {
    return this != TIMER;
  }

  /** Whether it samples other events than CPU time, too: those of threads. */
  public boolean samplesEvents() {
    return this == PERF_THREAD || this == PERF_USER;
  }
}
