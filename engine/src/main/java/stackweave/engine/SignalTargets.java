package stackweave.engine;

/**
 * What an engine that sends signals needs to know of the process, from the drain thread. The first
 * answers take some milliseconds in a fresh JVM, and the first use of {@link #javaStacks} some 0.1
 * s of CPU time, so other engines must not ask.
 */
public interface SignalTargets {
  /** Nothing is known. */
  SignalTargets NONE = new SignalTargets() {};

  /**
   * A mapped library whose code has its stack pointer in buffers of its own, so that no signal may
   * interrupt it; empty if none is known. Called once, before the engine starts.
   */
  default String heapStackLibrary() {
    return "";
  }

  /** The bounds of Java threads' stacks, to be used only where the C library knows none. */
  default ThreadStacks javaStacks() {
    return ThreadStacks.NONE;
  }

  /**
   * Whether threads' signal stacks may be unmapped while the kernel still uses them: then signals
   * must stay on the interrupted stack. Called often, so it must be cheap.
   */
  default boolean signalStacksMayVanish() {
    return false;
  }

  /** The source of started threads, which may change. Called often. */
  default ThreadStarts threadStarts() {
    return ThreadStarts.NONE;
  }
}
