package stackweave.jfr.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.status.SamplerFigures;

/**
 * The samples of CPU time of one chunk as its events have them: times in ticks, threads by their
 * keys. For those that write a chunk's samples in another form; {@link SampledRecording} is for all
 * others. In memory are the definitions of the chunk. Where they lack some, those of the chunks
 * before it are read, too: a killed JVM leaves samples whose definitions were not written any more.
 * Not thread-safe.
 */
public final class ChunkSamples {
  /** A sample; valid during the call. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * A sample.
     *
     * @param ticks when it was taken, by the clock of the chunk's events
     * @param pooledThread the key of its thread in the chunk's own constants; 0 for none
     * @param threadKey for {@link #thread}
     * @param stackId for {@link #frames}
     * @param end why the stack ends
     * @param weightNanos CPU or wall-clock time that it stands for, in ns
     */
    void sample(
        long ticks, long pooledThread, long threadKey, long stackId, StackEnd end, long weightNanos)
        throws IOException;
  }

  /** How many chunks are read back for missing definitions. */
  public static final int MOST_BEFORE = 4;

  private static final double NANOS_PER_SECOND = 1e9;

  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(
              NativeSample.NAME,
              "startTime",
              "sampledThread",
              "threadId",
              "stackId",
              "end",
              "weight",
              "age"),
          EventShape.of(
              StackSample.NAME,
              "startTime",
              "sampledThread",
              "threadId",
              "stackId",
              "attributesId",
              "weight"));

  private final ChunkSource source;
  private final ChunkHeader header;
  private final SessionData session;

  private ChunkSamples(ChunkSource source, ChunkHeader header, SessionData session) {
    this.source = source;
    this.header = header;
    this.session = session;
  }

  /**
   * Reads the definitions of a chunk.
   *
   * @param source stays open as long as this is used
   * @param before earlier chunks of the same session in the same file, the latest first
   * @param header of a chunk whose schema is known ({@link RecordingException#ifLaterSchema})
   * @throws IOException if the chunk is damaged
   * @throws RecordingException never: chunks of later schemas are refused before
   */
  public static ChunkSamples of(ChunkSource source, ChunkHeader header, List<ChunkHeader> before)
      throws IOException, RecordingException {
    List<ChunkHeader> chunks = new ArrayList<>(List.of(header));
    while (true) {
      SessionData session = new SessionData(SampledFrame.Change.NONE);
      for (ChunkHeader chunk : chunks) {
        gather(source, chunk, session);
      }
      session.finish();
      ChunkSamples samples = new ChunkSamples(source, header, session);
      int read = chunks.size() - 1;
      if (read == Math.min(MOST_BEFORE, before.size()) || samples.isWhole()) {
        return samples;
      }
      chunks.add(before.get(read));
    }
  }

  private static void gather(ChunkSource source, ChunkHeader chunk, SessionData session)
      throws IOException, RecordingException {
    DefinitionsOnly sink = new DefinitionsOnly(session);
    ChunkReader reader = new ChunkReader(source, chunk, EventDecoder.ALL);
    for (int shape = reader.next(); shape >= 0; shape = reader.next()) {
      if (shape > EventDecoder.BLOCKED && shape != EventDecoder.STATUS) {
        EventDecoder.event(shape, reader, sink);
      }
    }
  }

  /** Whether all definitions of all samples are there. */
  private boolean isWhole() throws IOException {
    ChunkReader reader = new ChunkReader(source, header, SHAPES);
    for (int shape = reader.next(); shape >= 0; shape = reader.next()) {
      boolean lacksAttributes =
          shape == EventDecoder.STACK_SAMPLE && session.attributes(reader.number(4)) == null;
      if (lacksAttributes
          || !session.hasThread(reader.number(2))
          || !session.isResolved(reader.number(3))) {
        return false;
      }
    }
    return true;
  }

  /**
   * Visits all samples in the order of the file.
   *
   * @throws IOException if the chunk is damaged, or the visitor throws it
   */
  public void forEach(Visitor visitor) throws IOException {
    ChunkReader reader = new ChunkReader(source, header, SHAPES);
    for (int shape = reader.next(); shape >= 0; shape = reader.next()) {
      long age = reader.number(6);
      int end = (int) reader.number(4);
      if (shape == EventDecoder.STACK_SAMPLE) {
        SampleAttributes attributes = session.attributesOrLost(reader.number(4));
        age = attributes.ageNanos();
        end = attributes.endCode();
      }
      long stackId = reader.number(3);
      visitor.sample(
          reader.number(0) - ticks(age),
          reader.number(1),
          reader.number(2),
          stackId,
          session.isResolved(stackId) ? session.end(end) : SessionData.lostEnd(),
          reader.number(5));
    }
  }

  private long ticks(long nanos) {
    return Math.round(nanos * (header.ticksPerSecond() / NANOS_PER_SECOND));
  }

  /** Whether a stack has any frame. */
  public boolean hasFrames(long stackId) {
    return session.hasFrames(stackId);
  }

  /** Fills {@code frames} with those of a stack, the thread's first frame first. */
  public void frames(long stackId, List<SampledFrame> frames) {
    session.resolve(stackId, frames);
  }

  /** The thread of a key; a placeholder if the chunk lacks it. */
  public StackThread thread(long threadKey) {
    return session.thread(threadKey);
  }

  /** Takes what the events of a chunk define. */
  private static final class DefinitionsOnly extends DefinitionSink {
    private final SessionData session;

    DefinitionsOnly(SessionData session) {
      this.session = session;
    }

    @Override
    SessionData current() {
      return session;
    }

    @Override
    void badBlock() {
      // What it defined is missing, and said so where it is needed.
    }

    @Override
    public void session(
        SessionFacts facts,
        String kinds,
        String ends,
        String completeEnds,
        String states,
        String founds,
        String guesses) {
      session.session(facts, kinds, ends, completeEnds, states, founds, guesses);
    }

    @Override
    public void restart() {
      throw new IllegalStateException("a chunk is read once");
    }

    @Override
    public void status(SamplerFigures figures) {
      throw new IllegalStateException("statuses are passed over");
    }

    @Override
    public void begin(int number) {
      throw new IllegalStateException("a chunk is of one session");
    }

    @Override
    public void sample(
        long nanos, long threadKey, int state, long weight, long stackId, int end, long contextId) {
      throw new IllegalStateException("samples are read later");
    }

    @Override
    public void wallSample(
        long nanos, long threadKey, int state, long weight, long stackId, int end, long contextId) {
      throw new IllegalStateException("samples of waiting threads are in no other form");
    }

    @Override
    public void eventSample(
        long nanos,
        long threadKey,
        String event,
        long weight,
        long stackId,
        int end,
        long contextId) {
      throw new IllegalStateException("samples of events are in no other form");
    }

    @Override
    public void stackSample(
        long nanos, long threadKey, long weight, long stackId, long attributesId) {
      throw new IllegalStateException("samples are read later");
    }
  }
}
