package stackweave.engine;

/**
 * What an engine that sends signals must know of the process; the drain thread answers, on itself
 * only. The first answers take some 0.1 s of CPU time in a fresh JVM, so no other engine asks.
 */
public interface SignalTargets {
  /** Nothing is known. */
  SignalTargets NONE = new SignalTargets() {};

  /**
   * A library that is mapped and lets no signal come safely, for its code has its stack pointer in
   * buffers of its own; empty if none is known. Asked once, before the engine starts.
   */
  default String heapStackLibrary() {
    return "";
  }

  /** The bounds of Java threads' stacks. Asked once. */
  default ThreadStacks javaStacks() {
    return ThreadStacks.NONE;
  }

  /**
   * Whether threads' signal stacks may be unmapped while the kernel still uses them: signals then
   * stay on the stack that they come upon. Asked again and again, so it must be cheap.
   */
  default boolean signalStacksMayVanish() {
    return false;
  }

  /** Who tells which threads have started; it may be another one later. Asked again and again. */
  default ThreadStarts threadStarts() {
    return ThreadStarts.NONE;
  }
}
