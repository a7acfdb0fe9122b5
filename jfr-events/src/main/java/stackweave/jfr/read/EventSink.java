package stackweave.jfr.read;

import stackweave.jfr.read.block.BlockPieces;
import stackweave.jfr.status.SamplerFigures;

/**
 * Receives all that the events of a recording say, in no order but that of the file: definitions
 * may come after what refers to them, and more than once. Strings are never null; what an event
 * lacks is 0 or empty. Called by {@link RecordingEvents}, whatever events it comes from.
 */
interface EventSink extends SampleSink {
  /** All events so far are void: the recording is read again from its beginning. */
  void restart();

  /**
   * The process.
   *
   * @param facts of it
   * @param kinds legend of the kinds of frames
   * @param ends legend of the ends of stacks
   * @param completeEnds those at which a stack reached the thread's first frame
   * @param states legend of the states of threads
   * @param founds legend of how frames were found
   * @param guesses those ways that can lead to a wrong frame
   * @throws RecordingException if the recording is of a schema that came later
   */
  void session(
      SessionFacts facts,
      String kinds,
      String ends,
      String completeEnds,
      String states,
      String founds,
      String guesses)
      throws RecordingException;

  /** A frame. */
  void frame(long id, long parentId, long methodId, int kind, int line, long offset);

  /** How a frame was found, where that is not 0; after the frame. */
  void found(long id, int found);

  /** Whether a method is known: every chunk defines it anew, which need not be decoded then. */
  boolean hasMethod(long id);

  /** A method; texts as in {@link SampledMethod}. */
  void method(
      long id,
      long moduleId,
      String className,
      String name,
      String descriptor,
      int modifiers,
      String sourceFile,
      long start);

  /** A module; {@link SampledModule#hasOtherBuilds} is not known yet. */
  void module(long id, SampledModule module);

  /** A thread. */
  void thread(long key, StackThread thread);

  /** What a context id of samples means; texts as in {@code stackweave.Context}. */
  void context(long id, String traceId, String spanId, String labels);

  /** How sampling went since the last status. */
  void status(SamplerFigures figures);

  /**
   * A piece of a block of definitions, as {@link BlockPieces} takes it.
   *
   * @param words valid during the call
   */
  void block(long block, int piece, int pieces, int size, long[] words);
}
