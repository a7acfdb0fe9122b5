package stackweave.agent.engine;

/**
 * What only an engine that sends signals must know of the process. It takes some 0.1 s of CPU time
 * to find out in a fresh JVM, so it is asked for only when such an engine is started. For the drain
 * thread only.
 */
public interface SignalTargets {
  /** Nothing is known. */
  SignalTargets NONE =
      new SignalTargets() {
        @Override
        public String heapStackLibrary() {
          return "";
        }

        @Override
        public ThreadStacks javaStacks() {
          return ThreadStacks.NONE;
        }
      };

  /**
   * A library that is mapped and lets no signal come safely, for its code has its stack pointer in
   * buffers of its own; empty if none is known.
   */
  String heapStackLibrary();

  /** The bounds of Java threads' stacks. */
  ThreadStacks javaStacks();
}
