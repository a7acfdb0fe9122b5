package stackweave.jfr.read;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.event.BlockFormat;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.Context;
import stackweave.jfr.event.DefinitionBlock;
import stackweave.jfr.event.EventSample;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.block.FirstSchema;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/**
 * Decodes the agent's events. A field's number is its place in the event's shape. Fields that an
 * older or newer agent did not write are 0 or empty.
 */
final class EventDecoder {
  // The places of shapes in ALL; before BLOCKED are those of samples.
  static final int STACK_SAMPLE = 1;
  static final int BLOCKED = 6;
  private static final int FRAME = 7;
  private static final int METHOD = 8;
  private static final int THREAD = 9;
  private static final int MODULE = 10;
  static final int SESSION = 11;
  static final int STATUS = 12;
  private static final int BLOCK = 13;
  private static final int CONTEXT = 14;

  /** The id of attributes of a sample whose event has state, end, context and age itself. */
  static final long NO_ATTRIBUTES = -1;

  // The fields of all samples; an event has some of them.
  static final int START = 0;
  static final int AGE = 1;
  static final int THREAD_KEY = 2;
  static final int WEIGHT = 3;
  static final int STACK = 4;
  static final int END = 5;
  static final int ATTRIBUTES = 6;
  static final int POOLED_THREAD = 7;
  private static final int STATE = 8;
  private static final int CONTEXT_ID = 9;
  private static final int EVENT = 10;
  private static final int DURATION = 11;
  private static final int OVER = 12;
  private static final int WAKER = 13;
  private static final int WAKER_PID = 14;
  private static final int WAKE_DELAY = 15;

  private static final String SAMPLE_FIELDS =
      "startTime age threadId weight stackId end attributesId sampledThread state contextId event"
          + " duration over wakerThreadId wakerPid wakeDelay";

  /** All events, in the order of the constants above. */
  static final List<EventShape> ALL =
      List.of(
          EventShape.of(NativeSample.NAME, SAMPLE_FIELDS),
          EventShape.of(StackSample.NAME, SAMPLE_FIELDS),
          EventShape.of(WallSample.NAME, SAMPLE_FIELDS),
          EventShape.of(EventSample.NAME, SAMPLE_FIELDS),
          EventShape.of(NativeMemory.NAME, SAMPLE_FIELDS),
          EventShape.of(NativeAllocation.NAME, SAMPLE_FIELDS),
          EventShape.of(Blocked.NAME, SAMPLE_FIELDS),
          EventShape.of(FirstSchema.FRAME, "id parentId methodId kind line offset found"),
          EventShape.of(
              FirstSchema.METHOD,
              "id moduleId className name descriptor modifiers sourceFile start"),
          EventShape.of(FirstSchema.THREAD, "threadId osThreadId name javaId virtual carrierId"),
          EventShape.of(
              FirstSchema.LIBRARY,
              "moduleId path buildId start end unwindSource unwindReason functions symbolsFrom"),
          EventShape.of(
              Session.NAME,
              "uuid pid jvmStart schemaVersion jdk abi agentVersion kindLegend endLegend"
                  + " completeEnds stateLegend foundLegend guesses"),
          new EventShape(SamplerStatus.NAME, statusFields()),
          new EventShape(DefinitionBlock.NAME, blockFields()),
          EventShape.of(Context.NAME, "contextId traceId spanId labels"));

  /** The kinds of samples and blocked threads, by the places of their shapes. */
  private static final List<SampleRecord.Kind> KINDS =
      List.of(
          SampleRecord.Kind.CPU,
          SampleRecord.Kind.CPU,
          SampleRecord.Kind.WALL,
          SampleRecord.Kind.EVENT,
          SampleRecord.Kind.MEMORY,
          SampleRecord.Kind.ALLOCATION,
          SampleRecord.Kind.BLOCKED);

  /** Samples alone. */
  static final List<EventShape> SAMPLES = ALL.subList(0, BLOCKED);

  /** Samples and blocked threads. */
  static final List<EventShape> SAMPLES_AND_BLOCKED = ALL.subList(0, BLOCKED + 1);

  /** Session events alone. */
  static final List<EventShape> SESSIONS = List.of(ALL.get(SESSION));

  private EventDecoder() {}

  /** The id in the session event that {@code event} is at. */
  static String sessionId(ChunkReader event) throws IOException {
    return event.text(0);
  }

  private static List<String> blockFields() {
    List<String> fields = new ArrayList<>(List.of("block", "piece", "pieces", "size"));
    for (int i = 0; i < DefinitionBlock.WORDS; i++) {
      fields.add(BlockFormat.wordName(i));
    }
    return fields;
  }

  private static List<String> statusFields() {
    List<String> fields = new ArrayList<>(List.of("engine", "engineReason", "note"));
    for (Counter counter : Counter.values()) {
      fields.add(counter.field());
    }
    for (Breakdown breakdown : Breakdown.values()) {
      fields.add(breakdown.field());
    }
    return fields;
  }

  /** The sample or blocked thread that {@code event} is at, of a shape up to {@link #BLOCKED}. */
  static SampleRecord sample(int shape, ChunkReader event) throws IOException {
    // If the JVM let no start time be set, the event has the sample's age at that time.
    long nanos = event.nanosAt(event.number(START)) - event.number(AGE);
    SampleRecord sample =
        new SampleRecord()
            .begin(KINDS.get(shape), nanos, event.number(WEIGHT))
            .stack(
                event.number(THREAD_KEY),
                event.number(STACK),
                (int) event.number(END),
                event.number(CONTEXT_ID))
            .state((int) event.number(STATE));
    sample.attributesId = shape == STACK_SAMPLE ? event.number(ATTRIBUTES) : NO_ATTRIBUTES;
    switch (sample.kind) {
      case EVENT -> sample.event = event.text(EVENT);
      case MEMORY -> sample.event = SampledEvent.NATIVE_MEMORY;
      case ALLOCATION -> sample.event = SampledEvent.NATIVE_ALLOCATIONS;
      case BLOCKED -> {
        sample.weight = event.nanosAt(event.number(START) + event.number(DURATION)) - nanos;
        sample.isOver = event.number(OVER) != 0;
        sample.wakerKey = event.number(WAKER);
        sample.wakerPid = (int) event.number(WAKER_PID);
        sample.wakeDelayNanos = event.number(WAKE_DELAY);
      }
      case CPU, WALL -> {
        // Other kinds have no more fields.
      }
    }
    return sample;
  }

  /**
   * Adds the definitions of the event that {@code event} is at. Its shape must come after {@link
   * #BLOCKED}, and not be {@link #STATUS}.
   *
   * @return false if it is a block of definitions that can't be read
   */
  static boolean define(int shape, ChunkReader event, SessionData session) throws IOException {
    long id = event.number(0);
    switch (shape) {
      case FRAME ->
          session.frame(
              id,
              event.number(1),
              event.number(2),
              (int) event.number(3),
              (int) event.number(4),
              event.number(5),
              (int) event.number(6));
      case METHOD -> {
        // Every chunk defines it anew, which need not be decoded then.
        if (!session.hasMethod(id)) {
          session.method(
              id,
              event.number(1),
              event.text(2),
              event.text(3),
              event.text(4),
              (int) event.number(5),
              event.text(6),
              event.number(7));
        }
      }
      case THREAD ->
          session.thread(
              id,
              event.number(1),
              event.text(2),
              event.number(3),
              event.number(4) != 0,
              event.number(5));
      case MODULE ->
          session.library(
              id,
              event.text(1),
              event.text(2),
              event.number(3),
              event.number(4),
              event.text(5),
              event.text(6),
              event.number(7),
              event.text(8));
      case SESSION -> session.session(facts(event), codes(event));
      case BLOCK -> {
        return block(event, session);
      }
      case CONTEXT -> session.context(id, event.text(1), event.text(2), event.text(3));
      default -> throw new IllegalArgumentException("shape " + shape);
    }
    return true;
  }

  private static boolean block(ChunkReader event, SessionData session) {
    long[] words = new long[DefinitionBlock.WORDS];
    for (int i = 0; i < words.length; i++) {
      words[i] = event.number(4 + i);
    }
    int piece = (int) event.number(1);
    int pieces = (int) event.number(2);
    try {
      session.blocks.add(event.number(0), piece, pieces, (int) event.number(3), words, session);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static SessionFacts facts(ChunkReader event) throws IOException {
    return new SessionFacts(
        event.text(0),
        event.number(1),
        Instant.ofEpochMilli(event.number(2)),
        (int) event.number(3),
        event.text(4),
        event.text(5),
        event.text(6));
  }

  private static SessionCodes codes(ChunkReader event) throws IOException {
    return new SessionCodes(
        event.text(7),
        event.text(8),
        event.text(9),
        event.text(10),
        event.text(11),
        event.text(12));
  }

  /** The figures in the status that {@code event} is at. */
  static SamplerFigures figures(ChunkReader event) throws IOException {
    int field = 3;
    Counters counters = new Counters();
    for (Counter counter : Counter.values()) {
      counters.set(counter, event.number(field++));
    }
    Map<Breakdown, Map<String, Long>> breakdowns = new EnumMap<>(Breakdown.class);
    for (Breakdown breakdown : Breakdown.values()) {
      breakdowns.put(breakdown, Breakdown.parse(event.text(field++)));
    }
    return new SamplerFigures(event.text(0), event.text(1), event.text(2), counters, breakdowns);
  }
}
