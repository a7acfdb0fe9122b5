package stackweave.jfr.read.jdk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventConstants;
import stackweave.jfr.chunk.EventConstants.EventThread;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.chunk.StackTraces;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.block.DefinitionReceiver;
import stackweave.jfr.read.choice.JdkEvent;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;
import stackweave.unwind.hash.LongIndex;

/**
 * The samples of a recording that JFR itself or another profiler took: which events they are, what
 * each stands for, and their stacks as definitions of a session. Stacks of a chunk are defined
 * before its samples are read. Not thread-safe.
 */
public final class JdkSamples {
  /** The legend of the kinds of frames, as of a session. */
  public static final String KINDS = JdkDefinitions.KINDS;

  /** The legend of the ends of stacks. */
  public static final String ENDS = JdkDefinitions.ENDS;

  /** The codes of those that reached a thread's first frame, as far as JFR shows frames. */
  public static final String COMPLETE_ENDS = JdkDefinitions.COMPLETE_ENDS;

  // The places of fields in the shapes of events.
  private static final int START = 0;
  private static final int SAMPLED_THREAD = 1;
  private static final int EVENT_THREAD = 2;
  private static final int STACK = 3;
  static final int STATE = 4;
  private static final int SPAN = 5;
  static final int AMOUNT = 6;
  static final int CLASS = 7;

  private static final List<String> FIELDS =
      List.of("startTime", "sampledThread", "eventThread", "stackTrace", "state", "timeSpan");

  /** What constants of a chunk are in the definitions of its session. */
  private static final class Ids {
    private final LongIndex stacks = new LongIndex(64);
    private final LongIndex classes = new LongIndex(64);
    private final LongIndex threads = new LongIndex(64);

    /** Stacks with a class, by the places of both. */
    private final LongIndex pairs = new LongIndex(64);

    /** By the place of a stack; one that is missing has an id that is not defined. */
    private long[] stackIds;

    private int[] ends;

    /** By the place of a pair. */
    private long[] pairIds;

    /** By the place of a thread; 0 for one that is missing. */
    private long[] threadKeys;
  }

  /** The id of a stack that its chunk lacks. */
  private static final long LOST_STACK = -1;

  private final SampleChoice choice;
  private final List<JdkEvent> events;
  private final List<EventShape> shapes;
  private final JdkSurvey survey;

  /** By the session's number. */
  private final Map<Integer, JdkDefinitions> definitions = new HashMap<>();

  /** By the chunk's number. */
  private final Map<Integer, Ids> ids = new HashMap<>();

  /**
   * Finds out what a recording has.
   *
   * @param asked samples of time, of which these are the substitute, or of JFR's events
   */
  public JdkSamples(ChunkSource source, List<ChunkHeader> headers, SampleChoice asked) {
    this.survey = new JdkSurvey(source, headers, JdkEvent.of(asked.type()));
    this.events = events(asked);
    this.choice =
        asked.isEvent() || asked.isWall() || isTimed()
            ? asked
            : asked.withEvent(JdkEvent.EXECUTION_SAMPLES);
    this.shapes = shapes(List.of(), events);
  }

  private List<JdkEvent> events(SampleChoice asked) {
    List<JdkEvent> execution = List.of(JdkEvent.EXECUTION_SAMPLE, JdkEvent.NATIVE_METHOD_SAMPLE);
    if (asked.isWall()) {
      return List.of(JdkEvent.WALL_CLOCK_SAMPLE, JdkEvent.EXECUTION_SAMPLE);
    } else if (!asked.isEvent()) {
      boolean hasCpuTime = survey.count(JdkEvent.CPU_TIME_SAMPLE) > 0;
      return hasCpuTime ? List.of(JdkEvent.CPU_TIME_SAMPLE) : execution;
    }
    return switch (asked.type()) {
      case JdkEvent.EXECUTION_SAMPLES -> execution;
      case JdkEvent.ALLOCATIONS ->
          survey.count(JdkEvent.ALLOCATION_SAMPLE) > 0
              ? List.of(JdkEvent.ALLOCATION_SAMPLE)
              : JdkEvent.TLAB_ALLOCATIONS;
      case JdkEvent.LOCK_WAITS -> JdkEvent.LOCKS;
      default -> List.of(JdkEvent.of(asked.type()));
    };
  }

  /** Whether the CPU time of all samples is known. */
  private boolean isTimed() {
    return events.contains(JdkEvent.CPU_TIME_SAMPLE)
        || survey.sum(chunk -> chunk.executionSamples(false)) > 0
            && survey.count(JdkEvent.NATIVE_METHOD_SAMPLE) == 0
            && survey.readable().stream()
                .allMatch(chunk -> chunk.executionSamples(false) == 0 || chunk.interval() > 0);
  }

  static List<EventShape> shapes(List<EventShape> first, List<JdkEvent> events) {
    List<EventShape> shapes = new ArrayList<>(first);
    for (JdkEvent event : events) {
      List<String> fields = new ArrayList<>(FIELDS);
      fields.add(event.amount());
      fields.add(event.objectClass());
      shapes.add(new EventShape(event.name(), List.copyOf(fields)));
    }
    return List.copyOf(shapes);
  }

  /**
   * Which samples they are: of CPU time only if the time of all is known, else they are counted.
   */
  public SampleChoice choice() {
    return choice;
  }

  /** What is read of a chunk; a place in it is that for {@link #sample}. */
  public List<EventShape> shapes() {
    return shapes;
  }

  /**
   * The process of a chunk: an id that is the same in all its chunks, empty if that is not known.
   *
   * @throws IOException if nothing of the chunk can be read
   */
  public String processId(int chunk) throws IOException {
    return survey.chunk(chunk).processId();
  }

  /**
   * What a chunk says of its process.
   *
   * @throws IOException if nothing of the chunk can be read
   */
  public JdkProcess process(int chunk) throws IOException {
    return survey.chunk(chunk).process();
  }

  /**
   * Defines stacks and threads of a chunk, each once for a session.
   *
   * @param receiver has the definitions of the session
   * @throws IOException if nothing of the chunk can be read
   */
  public void define(
      int chunk, ChunkSource source, ChunkHeader header, int session, DefinitionReceiver receiver)
      throws IOException {
    Ids of = new Ids();
    ids.put(chunk, of);
    find(of, new ChunkReader(source, header, shapes));
    JdkDefinitions all = definitions.computeIfAbsent(session, any -> new JdkDefinitions(receiver));
    StackTraces traces = new StackTraces(source, header);
    boolean hasFunctions = survey.chunk(chunk).hasFunctions();
    of.stackIds = new long[of.stacks.count()];
    of.ends = new int[of.stacks.count()];
    Arrays.fill(of.stackIds, LOST_STACK);
    traces.forEach(
        key -> key != 0 && of.stacks.find(key) >= 0,
        (key, isTruncated, frames) -> {
          int place = of.stacks.find(key);
          of.stackIds[place] = all.stack(frames, hasFunctions);
          of.ends[place] = isTruncated ? JdkDefinitions.TRUNCATED : JdkDefinitions.COMPLETE;
        });
    int none = of.stacks.find(0);
    if (none >= 0) {
      of.stackIds[none] = 0;
      of.ends[none] = JdkDefinitions.NOT_READ;
    }
    of.pairIds = new long[of.pairs.count()];
    for (int i = 0; i < of.pairIds.length; i++) {
      long stack = of.stackIds[(int) (of.pairs.key(i) >>> Integer.SIZE)];
      String className = traces.className(of.classes.key((int) of.pairs.key(i)));
      of.pairIds[i] =
          stack == LOST_STACK || className.isEmpty() ? stack : all.withClass(stack, className);
    }
    Set<Long> keys = new HashSet<>();
    for (int i = 0; i < of.threads.count(); i++) {
      keys.add(of.threads.key(i));
    }
    Map<Long, EventThread> threads = new EventConstants(source, header).threads(keys);
    of.threadKeys = new long[of.threads.count()];
    for (int i = 0; i < of.threadKeys.length; i++) {
      EventThread thread = threads.get(of.threads.key(i));
      of.threadKeys[i] = thread == null ? 0 : all.thread(thread);
    }
  }

  /** Finds the constants that samples name, up to damage, if there is some. */
  private static void find(Ids of, ChunkReader reader) {
    try {
      while (reader.next() >= 0) {
        int stack = of.stacks.add(reader.number(STACK));
        int objectClass = of.classes.add(reader.number(CLASS));
        of.pairs.add((long) stack << Integer.SIZE | objectClass);
        of.threads.add(thread(reader));
      }
    } catch (IOException e) {
      // Whoever reads the samples says it.
    }
  }

  private static long thread(ChunkReader event) {
    long sampled = event.number(SAMPLED_THREAD);
    return sampled != 0 ? sampled : event.number(EVENT_THREAD);
  }

  /**
   * The sample that {@code event} is at, of a chunk whose stacks are defined; null if it is none of
   * the chosen ones.
   *
   * @throws IOException if nothing of the chunk can be read
   */
  public SampleRecord sample(int chunk, int shape, ChunkReader event) throws IOException {
    JdkEvent type = events.get(shape);
    JdkChunk facts = survey.chunk(chunk);
    long stateKey = event.number(STATE);
    if (type.equals(JdkEvent.EXECUTION_SAMPLE)
        && !choice.takesEvent(type.name())
        && facts.isOfWall(stateKey) != choice.isWall()) {
      return null;
    }
    if (choice.takesEvent(JdkEvent.LOCK_WAITS) && facts.isOnQueue(type, event.number(CLASS))) {
      return null;
    }
    Ids of = ids.get(chunk);
    int stack = of.stacks.find(event.number(STACK));
    int objectClass = of.classes.find(event.number(CLASS));
    int pair = of.pairs.find((long) stack << Integer.SIZE | objectClass);
    int thread = of.threads.find(thread(event));
    if (stack < 0 || objectClass < 0 || pair < 0 || thread < 0) {
      throw new IOException("the recording changed while it was read");
    }
    boolean isWaiting = choice.isWall() && !facts.isRunning(stateKey);
    return new SampleRecord()
        .begin(
            choice.isEvent()
                ? SampleRecord.Kind.EVENT
                : isWaiting ? SampleRecord.Kind.WALL : SampleRecord.Kind.CPU,
            event.nanosAt(event.number(START) + event.number(SPAN)),
            weight(type, facts, event))
        .stack(of.threadKeys[thread], of.pairIds[pair], of.ends[stack], 0)
        .state(
            choice.isEvent()
                ? state(type, facts)
                : (isWaiting ? ThreadState.BLOCKED : ThreadState.ON_CPU).code())
        .of(choice.type());
  }

  /** The execution samples of JFR alone are of threads in Java code. */
  private static int state(JdkEvent type, JdkChunk facts) {
    return facts.hasFunctions() && type.equals(JdkEvent.EXECUTION_SAMPLE)
        ? JdkEvent.NO_STATE
        : type.state();
  }

  private long weight(JdkEvent type, JdkChunk facts, ChunkReader event) {
    long amount = event.number(AMOUNT);
    if (choice.isWall()) {
      return facts.wallInterval() * (type.amount().isEmpty() ? 1 : amount);
    } else if (!choice.isEvent() && type.equals(JdkEvent.EXECUTION_SAMPLE)) {
      return facts.interval();
    } else if (type.equals(JdkEvent.WALL_CLOCK_SAMPLE)) {
      return facts.wallInterval() * amount;
    }
    return switch (type.unit()) {
      case EVENTS -> 1;
      case BYTES -> amount;
      case NANOSECONDS -> event.nanosOf(amount);
    };
  }

  /** Who took them, which events they are, and the interval of their time if it is one. */
  public SamplerFigures figures() {
    Set<String> writers = new TreeSet<>();
    Set<Long> intervals = new HashSet<>();
    for (JdkChunk chunk : chosen()) {
      writers.add(chunk.writer());
      intervals.add(choice.isWall() ? chunk.wallInterval() : chunk.interval());
    }
    String names =
        events.stream()
            .filter(event -> survey.count(event) > 0)
            .map(JdkEvent::name)
            .collect(Collectors.joining(", "));
    Counters counters = new Counters();
    if (!choice.isEvent() && intervals.size() == 1) {
      Counter interval = choice.isWall() ? Counter.WALL_INTERVAL : Counter.INTERVAL;
      counters.set(interval, intervals.iterator().next());
    }
    String engine = String.join(", ", writers) + " (" + names + ")";
    return new SamplerFigures(engine, "", "", counters, Map.of());
  }

  /** The chunks that have such events. */
  private List<JdkChunk> chosen() {
    return survey.readable().stream()
        .filter(chunk -> events.stream().anyMatch(event -> chunk.count(event) > 0))
        .toList();
  }

  /** What readers should know of the samples, one line each; empty for nothing. */
  public List<String> notes() {
    List<String> notes = new ArrayList<>();
    if (events.contains(JdkEvent.EXECUTION_SAMPLE) && choice.isEvent()) {
      Set<String> ways = new TreeSet<>();
      chosen().stream()
          .filter(chunk -> chunk.interval() == 0)
          .forEach(chunk -> ways.add(howTaken(chunk)));
      if (!ways.isEmpty()) {
        notes.add(
            "The samples are counted, as the CPU time that they stand for is not known: "
                + String.join("; ", ways)
                + ".");
      }
    }
    long lost = survey.sum(chunk -> chunk.lost);
    if (lost > 0 && events.contains(JdkEvent.CPU_TIME_SAMPLE)) {
      notes.add(String.format(Locale.ROOT, "%,d samples of CPU time were lost by JFR.", lost));
    }
    long others = survey.sum(JdkChunk::samplesWithoutCpuTime);
    if (others > 0 && events.contains(JdkEvent.CPU_TIME_SAMPLE) && !choice.isEvent()) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d execution samples are left out, of parts of the recording without"
                  + " jdk.CPUTimeSample: --event execution-samples shows them.",
              others));
    }
    JdkChunk.Waits queues = queueWaits();
    if (queues.count() > 0) {
      notes.add(
          String.format(
              Locale.ROOT,
              "%,d waits on queues and conditions (%s), as pools wait for work, are left out:"
                  + " --event %s shows them.",
              queues.count(),
              Timespans.spoken(queues.nanos()),
              JdkEvent.THREAD_PARK.name()));
    }
    return notes;
  }

  /** The waits that are left out of those for locks. */
  private JdkChunk.Waits queueWaits() {
    return choice.takesEvent(JdkEvent.LOCK_WAITS)
        ? survey.readable().stream()
            .map(JdkChunk::queueWaits)
            .reduce(JdkChunk.Waits.NONE, JdkChunk.Waits::plus)
        : JdkChunk.Waits.NONE;
  }

  /** How the execution samples of a chunk were taken. */
  private static String howTaken(JdkChunk chunk) {
    if (chunk.isAsyncProfilers()) {
      return "they are async-profiler's of the event " + chunk.asyncEvent();
    } else if (chunk.hasFunctions()) {
      return "a merged recording does not have it";
    }
    String inJava = period(chunk, JdkEvent.EXECUTION_SAMPLE);
    String inNative = period(chunk, JdkEvent.NATIVE_METHOD_SAMPLE);
    return "JFR takes them of at most five threads in Java code"
        + inJava
        + (chunk.count(JdkEvent.NATIVE_METHOD_SAMPLE) == 0
            ? ""
            : " and of one in native code"
                + inNative
                + ", whether it runs or waits (--state 'in Java code' leaves it out)");
  }

  private static String period(JdkChunk chunk, JdkEvent event) {
    String period = chunk.setting(event.name(), "period");
    OptionalLong nanos = Timespans.parse(period); // of programs it is a number of ns
    return period.isEmpty()
        ? ""
        : " every " + (nanos.isPresent() ? Timespans.format(nanos.getAsLong()) : period);
  }

  /** Why the recording has none, for people, with what would record them. */
  public String whyNone() {
    boolean isAsyncProfilers = survey.readable().stream().anyMatch(JdkChunk::isAsyncProfilers);
    StringBuilder why = new StringBuilder();
    if (choice.isWall()) {
      why.append("none of async-profiler's of wall-clock time");
    } else if (!choice.isEvent() || choice.takesEvent(JdkEvent.EXECUTION_SAMPLES)) {
      long ofWall =
          survey.count(JdkEvent.WALL_CLOCK_SAMPLE)
              + survey.sum(chunk -> chunk.executionSamples(true));
      why.append(
          ofWall > 0
              ? "none of CPU time, but async-profiler's of wall-clock time: --wall shows them"
              : "none of JFR's own of running threads");
    } else if (choice.takesEvent(JdkEvent.ALLOCATIONS)) {
      why.append("no allocations; ")
          .append(
              isAsyncProfilers
                  ? "async-profiler records them with -e alloc, and beside other events with"
                      + " --alloc 512k"
                  : "JFR records them with jdk.ObjectAllocationSample#enabled=true, which is in its"
                      + " settings default and profile: jcmd PID JFR.start settings=profile");
    } else if (choice.takesEvent(JdkEvent.LOCK_WAITS)) {
      why.append("no waits for locks");
      if (queueWaits().count() > 0) {
        why.append(", but on queues and conditions, as pools wait for work");
      }
      why.append("; ")
          .append(
              isAsyncProfilers
                  ? "async-profiler records them with -e lock, and beside other events with"
                      + " --lock 1ms"
                  : "JFR records those above a threshold, usually 20 ms; shorter ones, too: jcmd PID"
                      + " JFR.start jdk.JavaMonitorEnter#threshold=1ms"
                      + " jdk.ThreadPark#threshold=1ms");
    } else {
      why.append("no events ").append(choice.type()).append(" with stack traces");
    }
    Map<String, Long> counts = survey.counts();
    if (!counts.isEmpty()) {
      why.append("; --event shows ");
      why.append(
          counts.entrySet().stream()
              .map(each -> String.format(Locale.ROOT, "%s (%,d)", each.getKey(), each.getValue()))
              .collect(Collectors.joining(", ")));
    }
    return why.toString();
  }
}
