package stackweave.unwind;

/**
 * The distinct unwind rules of a process, interned: a rule is an {@code int} everywhere else.
 *
 * <p>Written and read by the thread that unwinds; not thread-safe.
 */
public final class RuleTable {
  private final Architecture architecture;

  public RuleTable(Architecture architecture) {
    this.architecture = architecture;
  }

  public Architecture architecture() {
    return architecture;
  }
}
