package stackweave.unwind.walk;

/**
 * The mapped modules of a process at one moment. Implementations are immutable as far as mappings
 * go and may be asked from one thread at a time.
 */
public interface CodeModules {

  /**
   * A number that differs between any two states of the mappings; the key of caches that remember
   * what was found at an address.
   */
  int generation();

  /** The module whose executable range holds {@code pc}, or null. */
  CodeModule find(long pc);

  /**
   * Whether code can be at {@code pc}: of a module, or in anonymous memory, where other runtimes
   * put the code that they generate.
   */
  default boolean isExecutable(long pc) {
    return find(pc) != null;
  }
}
