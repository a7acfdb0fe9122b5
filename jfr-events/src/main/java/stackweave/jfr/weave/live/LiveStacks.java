package stackweave.jfr.weave.live;

import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.read.StackThread;

/**
 * What the ids of samples mean, which those who write the samples know. Called while a sample is
 * encoded; ids are those of samples, or came from here.
 */
public interface LiveStacks {
  /** How many methods at most are to be remembered: all have names on the heap. */
  int maxMethods();

  /** The same of threads. */
  int maxThreads();

  /** The caller of a frame; 0 for a thread's first. */
  long parent(long node);

  /** The id of the method that a frame is of. */
  long method(long node);

  /** The code of a frame's kind of code, from 0 to 127. */
  int kind(long node);

  /** The line of a frame; 0 or less if unknown. */
  int line(long node);

  /** Bytecode index of a Java frame. */
  long offset(long node);

  /** The method of an id; null if it is not known any more. */
  SampledMethod definition(long methodId);

  /** The thread of a key; null if it is not known any more. */
  StackThread thread(long threadKey);

  /** The label of a kind of code. */
  String kindLabel(int code);

  /** The end of a stack by its code. */
  StackEnd end(int code);
}
