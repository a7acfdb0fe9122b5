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
import stackweave.jfr.event.FirstSchema;
import stackweave.jfr.event.LibraryName;
import stackweave.jfr.event.NativeAllocation;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/**
 * What is read of our events, and whom it is given to. The numbers of the fields are their places
 * in the shapes. An older or newer agent may have written events without some of them: these are 0
 * or empty.
 */
final class EventDecoder {
  /** The shape of samples, in all lists. */
  static final int SAMPLE = 0;

  /** The shape of schema 2's samples, in all lists that have samples. */
  static final int STACK_SAMPLE = 1;

  /** The shape of samples of waiting threads, in all lists that have samples. */
  static final int WALL_SAMPLE = 2;

  /** The shape of samples of events, in all lists that have samples. */
  static final int EVENT_SAMPLE = 3;

  /** The shape of native memory, in all lists that have samples. */
  static final int NATIVE_MEMORY = 4;

  /** The shape of native allocations, in all lists that have samples. */
  static final int NATIVE_ALLOCATION = 5;

  /** The shape of blocked threads, in the lists that have them. */
  static final int BLOCKED = 6;

  private static final int FRAME = 7;
  private static final int METHOD = 8;
  private static final int THREAD = 9;
  private static final int MODULE = 10;
  static final int SESSION = 11;
  static final int STATUS = 12;
  private static final int BLOCK = 13;
  private static final int CONTEXT = 14;

  private static final EventShape SAMPLE_SHAPE = sampleShape(NativeSample.NAME);

  private static final EventShape WALL_SAMPLE_SHAPE = sampleShape(WallSample.NAME);

  private static final EventShape STACK_SAMPLE_SHAPE =
      EventShape.of(StackSample.NAME, "startTime", "threadId", "weight", "stackId", "attributesId");

  private static final EventShape EVENT_SAMPLE_SHAPE =
      EventShape.of(
          EventSample.NAME,
          "startTime",
          "age",
          "threadId",
          "event",
          "weight",
          "stackId",
          "end",
          "contextId");

  private static final EventShape NATIVE_MEMORY_SHAPE = memoryShape(NativeMemory.NAME);
  private static final EventShape NATIVE_ALLOCATION_SHAPE = memoryShape(NativeAllocation.NAME);

  private static final EventShape BLOCKED_SHAPE =
      EventShape.of(
          Blocked.NAME,
          "startTime",
          "duration",
          "threadId",
          "state",
          "stackId",
          "end",
          "over",
          "wakerThreadId",
          "wakerPid",
          "wakeDelay",
          "contextId");

  private static final EventShape SESSION_SHAPE =
      EventShape.of(
          Session.NAME,
          "uuid",
          "pid",
          "jvmStart",
          "schemaVersion",
          "jdk",
          "abi",
          "agentVersion",
          "kindLegend",
          "endLegend",
          "completeEnds",
          "stateLegend",
          "foundLegend",
          "guesses");

  /** All events, in the order of the constants above. */
  static final List<EventShape> ALL =
      List.of(
          SAMPLE_SHAPE,
          STACK_SAMPLE_SHAPE,
          WALL_SAMPLE_SHAPE,
          EVENT_SAMPLE_SHAPE,
          NATIVE_MEMORY_SHAPE,
          NATIVE_ALLOCATION_SHAPE,
          BLOCKED_SHAPE,
          EventShape.of(
              FirstSchema.FRAME, "id", "parentId", "methodId", "kind", "line", "offset", "found"),
          EventShape.of(
              FirstSchema.METHOD,
              "id",
              "moduleId",
              "className",
              "name",
              "descriptor",
              "modifiers",
              "sourceFile",
              "start"),
          EventShape.of(
              FirstSchema.THREAD,
              "threadId",
              "name",
              "osThreadId",
              "javaId",
              "virtual",
              "carrierId"),
          EventShape.of(
              FirstSchema.LIBRARY,
              "moduleId",
              "path",
              "buildId",
              "start",
              "end",
              "unwindSource",
              "unwindReason",
              "functions",
              "symbolsFrom"),
          SESSION_SHAPE,
          new EventShape(SamplerStatus.NAME, statusFields()),
          new EventShape(DefinitionBlock.NAME, blockFields()),
          EventShape.of(Context.NAME, "contextId", "traceId", "spanId", "labels"));

  /** Samples alone. */
  static final List<EventShape> SAMPLES =
      List.of(
          SAMPLE_SHAPE,
          STACK_SAMPLE_SHAPE,
          WALL_SAMPLE_SHAPE,
          EVENT_SAMPLE_SHAPE,
          NATIVE_MEMORY_SHAPE,
          NATIVE_ALLOCATION_SHAPE);

  /** Samples and blocked threads. */
  static final List<EventShape> SAMPLES_AND_BLOCKED =
      List.of(
          SAMPLE_SHAPE,
          STACK_SAMPLE_SHAPE,
          WALL_SAMPLE_SHAPE,
          EVENT_SAMPLE_SHAPE,
          NATIVE_MEMORY_SHAPE,
          NATIVE_ALLOCATION_SHAPE,
          BLOCKED_SHAPE);

  /** Session events alone. */
  static final List<EventShape> SESSIONS = List.of(SESSION_SHAPE);

  private static final Counter[] COUNTERS = Counter.values();
  private static final Breakdown[] BREAKDOWNS = Breakdown.values();

  private EventDecoder() {}

  private static EventShape sampleShape(String event) {
    return EventShape.of(
        event, "startTime", "age", "threadId", "state", "weight", "stackId", "end", "contextId");
  }

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

  private static void block(ChunkReader event, EventSink sink) {
    long[] words = new long[DefinitionBlock.WORDS];
    for (int i = 0; i < words.length; i++) {
      words[i] = event.number(4 + i);
    }
    sink.block(
        event.number(0),
        (int) event.number(1),
        (int) event.number(2),
        (int) event.number(3),
        words);
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

  /** Gives the sample that {@code event} is at. */
  static void sample(ChunkReader event, SampleSink sink) {
    sink.sample(
        // Agents whose JVM refused a start time say how old the sample was then.
        event.nanosAt(event.number(0)) - event.number(1),
        event.number(2),
        (int) event.number(3),
        event.number(4),
        event.number(5),
        (int) event.number(6),
        event.number(7));
  }

  /** Gives the sample of a waiting thread that {@code event} is at. */
  static void wallSample(ChunkReader event, SampleSink sink) {
    sink.wallSample(
        event.nanosAt(event.number(0)) - event.number(1),
        event.number(2),
        (int) event.number(3),
        event.number(4),
        event.number(5),
        (int) event.number(6),
        event.number(7));
  }

  /** Gives the sample of an event that {@code event} is at. */
  static void eventSample(ChunkReader event, SampleSink sink) throws IOException {
    sink.eventSample(
        event.nanosAt(event.number(0)) - event.number(1),
        event.number(2),
        event.text(3),
        event.number(4),
        event.number(5),
        (int) event.number(6),
        event.number(7));
  }

  private static EventShape memoryShape(String name) {
    return EventShape.of(
        name, "startTime", "age", "threadId", "weight", "stackId", "end", "contextId");
  }

  /** Gives the native memory that {@code event} is at. */
  static void nativeMemory(ChunkReader event, SampleSink sink) {
    memory(event, SampledEvent.NATIVE_MEMORY, sink);
  }

  /** Gives the native allocation that {@code event} is at. */
  static void nativeAllocation(ChunkReader event, SampleSink sink) {
    memory(event, SampledEvent.NATIVE_ALLOCATIONS, sink);
  }

  private static void memory(ChunkReader event, String name, SampleSink sink) {
    sink.eventSample(
        event.nanosAt(event.number(0)) - event.number(1),
        event.number(2),
        name,
        event.number(3),
        event.number(4),
        (int) event.number(5),
        event.number(6));
  }

  /** Gives the blocked thread that {@code event} is at. */
  static void blocked(ChunkReader event, SampleSink sink) {
    long start = event.nanosAt(event.number(0));
    sink.blocked(
        start,
        event.nanosAt(event.number(0) + event.number(1)) - start,
        event.number(2),
        (int) event.number(3),
        event.number(4),
        (int) event.number(5),
        event.number(6) != 0,
        event.number(7),
        (int) event.number(8),
        event.number(9),
        event.number(10));
  }

  /** Gives the sample of schema 2 that {@code event} is at. */
  static void stackSample(ChunkReader event, SampleSink sink) {
    sink.stackSample(
        event.nanosAt(event.number(0)),
        event.number(1),
        event.number(2),
        event.number(3),
        event.number(4));
  }

  /** Gives the event of a shape of {@link #ALL} that {@code event} is at. */
  static void event(int shape, ChunkReader event, EventSink sink)
      throws IOException, RecordingException {
    switch (shape) {
      case SAMPLE -> sample(event, sink);
      case STACK_SAMPLE -> stackSample(event, sink);
      case WALL_SAMPLE -> wallSample(event, sink);
      case EVENT_SAMPLE -> eventSample(event, sink);
      case NATIVE_MEMORY -> nativeMemory(event, sink);
      case NATIVE_ALLOCATION -> nativeAllocation(event, sink);
      case BLOCKED -> blocked(event, sink);
      case FRAME -> {
        sink.frame(
            event.number(0),
            event.number(1),
            event.number(2),
            (int) event.number(3),
            (int) event.number(4),
            event.number(5));
        if (event.number(6) != 0) {
          sink.found(event.number(0), (int) event.number(6));
        }
      }
      case METHOD -> {
        if (!sink.hasMethod(event.number(0))) {
          sink.method(
              event.number(0),
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
          sink.thread(
              event.number(0),
              new StackThread(
                  event.text(1),
                  event.number(2),
                  event.number(3),
                  event.number(4) != 0,
                  event.number(5)));
      case MODULE -> sink.module(event.number(0), module(event));
      case SESSION ->
          sink.session(
              new SessionFacts(
                  event.text(0),
                  event.number(1),
                  Instant.ofEpochMilli(event.number(2)),
                  (int) event.number(3),
                  event.text(4),
                  event.text(5),
                  event.text(6)),
              event.text(7),
              event.text(8),
              event.text(9),
              event.text(10),
              event.text(11),
              event.text(12));
      case STATUS -> sink.status(figures(event));
      case BLOCK -> block(event, sink);
      case CONTEXT -> sink.context(event.number(0), event.text(1), event.text(2), event.text(3));
      default -> throw new IllegalArgumentException("shape " + shape);
    }
  }

  private static SampledModule module(ChunkReader event) throws IOException {
    String path = event.text(1);
    return new SampledModule(
        path,
        LibraryName.of(path),
        event.text(2),
        event.number(3),
        event.number(4),
        event.text(5),
        event.text(6),
        event.number(7),
        event.text(8),
        false);
  }

  private static SamplerFigures figures(ChunkReader status) throws IOException {
    int field = 3;
    Counters counters = new Counters();
    for (Counter counter : COUNTERS) {
      counters.set(counter, status.number(field++));
    }
    Map<Breakdown, Map<String, Long>> breakdowns = new EnumMap<>(Breakdown.class);
    for (Breakdown breakdown : BREAKDOWNS) {
      breakdowns.put(breakdown, Breakdown.parse(status.text(field++)));
    }
    return new SamplerFigures(status.text(0), status.text(1), status.text(2), counters, breakdowns);
  }
}
