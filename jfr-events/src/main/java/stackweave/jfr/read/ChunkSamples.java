package stackweave.jfr.read;

import java.io.IOException;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventShape;

/**
 * The samples of CPU time of one chunk as its events have them: times in ticks, threads by their
 * keys. For code that writes a chunk's samples in another form; all other code uses {@link
 * SampledRecording}. Holds the chunk's definitions in memory. Not thread-safe.
 *
 * @hidden no part of the API
 */
public final class ChunkSamples implements SampleDefinitions {
  /**
   * Receives the samples of a chunk.
   *
   * @hidden no part of the API
   */
  @FunctionalInterface
  public interface Visitor {
    /**
     * A sample; its ids are for the methods of the chunk's samples.
     *
     * @param ticks when it was taken, by the clock of the chunk's events
     * @param node its innermost frame; 0 for none
     * @param endCode why the stack ends
     * @param weightNanos CPU time that it stands for, in ns
     */
    void sample(long ticks, long threadKey, long node, int endCode, long weightNanos)
        throws IOException;
  }

  private static final double NANOS_PER_SECOND = 1e9;

  /** The shapes of samples of CPU time, as {@link EventDecoder} has them. */
  private static final List<EventShape> SHAPES =
      EventDecoder.ALL.subList(0, EventDecoder.STACK_SAMPLE + 1);

  private final ChunkSource source;
  private final ChunkHeader header;
  private final SessionData session;

  /** By kind of code and method. */
  private final Map<String, Map<SampledMethod, Long>> codes = new HashMap<>();

  private long lastCode;

  private ChunkSamples(ChunkSource source, ChunkHeader header, SessionData session) {
    this.source = source;
    this.header = header;
    this.session = session;
  }

  /**
   * Reads the definitions of a chunk.
   *
   * @param source stays open as long as this is used
   * @param header of a chunk whose schema is known ({@link RecordingException#ifLaterSchema})
   * @throws IOException if the chunk is damaged
   */
  public static ChunkSamples of(ChunkSource source, ChunkHeader header) throws IOException {
    SessionData session = new SessionData(SampledFrame.Change.NONE);
    ChunkReader reader = new ChunkReader(source, header, EventDecoder.ALL);
    for (int shape = reader.next(); shape >= 0; shape = reader.next()) {
      if (shape > EventDecoder.BLOCKED && shape != EventDecoder.STATUS) {
        // Definitions of an unreadable block are missing; their users report it.
        EventDecoder.define(shape, reader, session);
      }
    }
    session.finish();
    return new ChunkSamples(source, header, session);
  }

  /**
   * Visits all samples in the order of the file.
   *
   * @throws IOException if the chunk is damaged, or the visitor throws it
   */
  public void forEach(Visitor visitor) throws IOException {
    ChunkReader reader = new ChunkReader(source, header, SHAPES);
    for (int shape = reader.next(); shape >= 0; shape = reader.next()) {
      long age = reader.number(EventDecoder.AGE);
      int end = (int) reader.number(EventDecoder.END);
      if (shape == EventDecoder.STACK_SAMPLE) {
        SessionData.Attributes attributes =
            session.attributesOrLost(reader.number(EventDecoder.ATTRIBUTES));
        age = attributes.ageNanos();
        end = attributes.endCode();
      }
      long stackId = reader.number(EventDecoder.STACK);
      visitor.sample(
          reader.number(EventDecoder.START) - ticks(age),
          reader.number(EventDecoder.THREAD_KEY),
          1 + Math.max(-1, session.innermost(stackId)),
          session.isResolved(stackId) ? end : SessionData.Attributes.LOST.endCode(),
          reader.number(EventDecoder.WEIGHT));
    }
  }

  private long ticks(long nanos) {
    return Math.round(nanos * (header.ticksPerSecond() / NANOS_PER_SECOND));
  }

  @Override
  public int maxMethods() {
    return Integer.MAX_VALUE;
  }

  @Override
  public int maxThreads() {
    return Integer.MAX_VALUE;
  }

  @Override
  public long parent(long node) {
    return 1 + Math.max(-1, session.parent(index(node)));
  }

  private static int index(long node) {
    return (int) node - 1;
  }

  @Override
  public long code(long node) {
    SampledFrame frame = frame(node);
    return codes
        .computeIfAbsent(frame.kind(), kind -> new IdentityHashMap<>())
        .computeIfAbsent(frame.method(), method -> ++lastCode);
  }

  @Override
  public SampledFrame frame(long node) {
    return session.frameAt(index(node));
  }

  @Override
  public int line(long node) {
    return frame(node).line();
  }

  @Override
  public long offset(long node) {
    return frame(node).offset();
  }

  @Override
  public StackThread thread(long threadKey) {
    return session.thread(threadKey);
  }

  @Override
  public StackEnd end(int code) {
    return session.end(code);
  }
}
