package stackweave.jfr.read;

/**
 * What the ids of samples mean, for the one who encodes them: the store of a running JVM knows it,
 * or a recording. Ids are those of samples, or came from here.
 */
public interface SampleDefinitions {
  /** How many methods at most are to be remembered: all have names on the heap. */
  int maxMethods();

  /** The same of threads. */
  int maxThreads();

  /** The caller of a frame; 0 for a thread's first. */
  long parent(long node);

  /** A number that all frames of one method and one kind of code have, and no others. */
  long code(long node);

  /** A frame's method and kind of code; line and offset may be another frame's. */
  SampledFrame frame(long node);

  /** The line of a frame; 0 or less if unknown. */
  int line(long node);

  /** Bytecode index of a Java frame. */
  long offset(long node);

  /** The thread of a key; null if it is not known any more. */
  StackThread thread(long threadKey);

  /** The end of a stack by its code. */
  StackEnd end(int code);
}
