package stackweave.jfr.read;

/**
 * What the ids of samples mean, for encoders of samples. Implemented by the store of a running JVM
 * and by readers of recordings. Ids are those of samples, or were returned here.
 *
 * @hidden no part of the API
 */
public interface SampleDefinitions {
  /** How many methods an encoder may remember: their names take heap. */
  int maxMethods();

  /** How many threads an encoder may remember. */
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
