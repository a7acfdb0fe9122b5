package stackweave.jfr.read.jdk;

import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.EventConstants;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.chunk.ValueType;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.Timespans;
import stackweave.jfr.read.choice.JdkEvent;

/**
 * What one chunk says of the events with stack traces in it: how many there are, the settings that
 * they were recorded with, and the JVM. Events behind damage are missing. Immutable after reading.
 */
final class JdkChunk {
  private static final String ACTIVE_RECORDING = "jdk.ActiveRecording";

  /** The state that async-profiler gives samples of CPU time, from 3.0 on. */
  private static final String NO_STATE = "STATE_DEFAULT";

  /** async-profiler's event of wall-clock time, and the setting of its interval. */
  private static final String WALL = "wall";

  /** Events of async-profiler whose interval is CPU time. */
  private static final Set<String> CLOCKS = Set.of("cpu", "cpu-clock", "ctimer", "itimer");

  /** async-profiler's intervals where none was given, in ns. */
  private static final long USUAL_INTERVAL = 10_000_000;

  private static final long USUAL_WALL_INTERVAL = 50_000_000;

  private static final int SETTING = 0;
  private static final int JVM = 1;
  private static final int SESSION = 2;
  private static final int LOST = 3;

  private static final List<EventShape> FACTS =
      List.of(
          EventShape.of("jdk.ActiveSetting", "id name value"),
          EventShape.of("jdk.JVMInformation", "pid jvmStartTime jvmName jvmVersion"),
          EventShape.of(Session.NAME, "uuid pid jvmStart schemaVersion jdk abi agentVersion"),
          EventShape.of("jdk.CPUTimeSamplesLost", "lostSamples"));

  /** By event and name of the setting, with # between. */
  private final Map<String, String> settings = new HashMap<>();

  private final Map<String, Long> counts = new HashMap<>();

  /** The number of execution samples by the key of their state. */
  private final Map<Long, Long> states = new HashMap<>();

  /**
   * The waits of threads that parked, by the key of the object's class: after reading, on queues.
   */
  private final Map<Long, Waits> queues = new HashMap<>();

  private final Map<Long, String> stateNames;
  private final boolean hasFunctions;
  private final Map<Long, ValueType> types;

  /** Samples of CPU time that JFR could not keep. */
  long lost;

  /** Waits, and the ns that they took. */
  record Waits(long count, long nanos) {
    static final Waits NONE = new Waits(0, 0);

    Waits plus(Waits other) {
      return new Waits(count + other.count, nanos + other.nanos);
    }
  }

  private JdkProcess ofSession = JdkProcess.UNKNOWN;
  private JdkProcess ofJvm = JdkProcess.UNKNOWN;

  /**
   * Reads a chunk.
   *
   * @param events those that are counted
   * @throws IOException if nothing of it can be read
   */
  JdkChunk(ChunkSource source, ChunkHeader header, List<JdkEvent> events) throws IOException {
    ChunkReader reader = new ChunkReader(source, header, JdkSamples.shapes(FACTS, events));
    types = source.metadata(header).types();
    try {
      for (int shape = reader.next(); shape >= 0; shape = reader.next()) {
        take(shape, reader, events);
      }
    } catch (IOException e) {
      // Whoever reads the samples says it.
    }
    EventConstants constants = new EventConstants(source, header);
    hasFunctions = constants.texts("jdk.types.FrameType", "description").containsValue("Kernel");
    stateNames = hasFunctions ? constants.texts("jdk.types.ThreadState", "name") : Map.of();
    Map<Long, String> classes = constants.classNames(queues.keySet());
    queues.keySet().removeIf(key -> !JdkEvent.isQueue(classes.getOrDefault(key, "")));
  }

  private void take(int shape, ChunkReader event, List<JdkEvent> events) throws IOException {
    switch (shape) {
      case SETTING -> {
        ValueType type = types.get(event.number(0));
        settings.put((type == null ? "" : type.name()) + "#" + event.text(1), event.text(2));
      }
      case JVM -> {
        String version = event.text(3);
        int open = version.indexOf('(');
        int close = version.indexOf(')', open + 1);
        String brief = open < 0 || close < 0 ? version : version.substring(open + 1, close);
        ofJvm =
            JdkProcess.ofJvm(
                event.number(0),
                Instant.ofEpochMilli(event.number(1)),
                (event.text(2) + " " + brief).strip());
      }
      case SESSION ->
          ofSession =
              new JdkProcess(
                  event.text(0),
                  event.number(1),
                  Instant.ofEpochMilli(event.number(2)),
                  (int) event.number(3),
                  event.text(4),
                  event.text(5),
                  event.text(6));
      case LOST -> lost += event.number(0);
      default -> {
        String name = events.get(shape - FACTS.size()).name();
        counts.merge(name, 1L, Long::sum);
        if (name.equals(JdkEvent.EXECUTION_SAMPLE.name())) {
          states.merge(event.number(JdkSamples.STATE), 1L, Long::sum);
        } else if (name.equals(JdkEvent.THREAD_PARK.name())) {
          Waits wait = new Waits(1, event.nanosOf(event.number(JdkSamples.AMOUNT)));
          queues.merge(event.number(JdkSamples.CLASS), wait, Waits::plus);
        }
      }
    }
  }

  /** The process, by the agent's session if there is one. */
  JdkProcess process() {
    return ofSession.uuid().isEmpty() ? ofJvm : ofSession;
  }

  /** The same for all chunks of a process, with a session or not; empty if it is not known. */
  String processId() {
    return ofJvm.uuid().isEmpty() ? ofSession.uuid() : ofJvm.uuid();
  }

  /** How many events of a name there are, which must be one of those that are counted. */
  long count(JdkEvent event) {
    return counts.getOrDefault(event.name(), 0L);
  }

  /** Whether an event is a wait on a queue, by the key of its object's class. */
  boolean isOnQueue(JdkEvent event, long classKey) {
    return event.equals(JdkEvent.THREAD_PARK) && queues.containsKey(classKey);
  }

  /** All waits on queues. */
  Waits queueWaits() {
    return queues.values().stream().reduce(Waits.NONE, Waits::plus);
  }

  /** The value of a setting; empty if the chunk does not have it. */
  String setting(String event, String name) {
    return settings.getOrDefault(event + "#" + name, "");
  }

  /** Whether async-profiler wrote it, from its version 2.0 on: JFR has no such setting. */
  boolean isAsyncProfilers() {
    return !setting(ACTIVE_RECORDING, "version").isEmpty();
  }

  /** Whether stacks may have native functions: async-profiler's and woven ones, but not JFR's. */
  boolean hasFunctions() {
    return hasFunctions;
  }

  /** Who wrote it, for people. */
  String writer() {
    return isAsyncProfilers() ? "async-profiler " + setting(ACTIVE_RECORDING, "version") : "JFR";
  }

  /** What async-profiler sampled, such as cpu; empty for nothing. */
  String asyncEvent() {
    return setting(ACTIVE_RECORDING, "event");
  }

  /**
   * Whether an execution sample of this state is one of wall-clock time: async-profiler writes
   * those of a thread that sleeps or runs, and gives samples of CPU time no state. Before 3.0 it
   * had one event at a time, and gave samples of CPU time the state of a thread that runs.
   */
  boolean isOfWall(long state) {
    return isAsyncProfilers()
        && (stateNames.containsValue(NO_STATE)
            ? !stateNames.getOrDefault(state, "").equals(NO_STATE)
            : asyncEvent().equals(WALL));
  }

  /** Whether the thread of a sample of wall-clock time ran. */
  boolean isRunning(long state) {
    return stateNames.getOrDefault(state, "").equals("STATE_RUNNABLE");
  }

  /** Execution samples that are of wall-clock time, or those that are not. */
  long executionSamples(boolean isOfWall) {
    long count = 0;
    for (Map.Entry<Long, Long> each : states.entrySet()) {
      count += isOfWall(each.getKey()) == isOfWall ? each.getValue() : 0;
    }
    return count;
  }

  /** Execution samples without jdk.CPUTimeSample, which was off. */
  long samplesWithoutCpuTime() {
    boolean hasCpuTime =
        count(JdkEvent.CPU_TIME_SAMPLE) > 0
            || setting(JdkEvent.CPU_TIME_SAMPLE.name(), "enabled").equals("true");
    return hasCpuTime ? 0 : executionSamples(false) + count(JdkEvent.NATIVE_METHOD_SAMPLE);
  }

  /** The CPU time of an execution sample in ns; 0 if it is not known. */
  long interval() {
    return isAsyncProfilers() && CLOCKS.contains(asyncEvent())
        ? asyncInterval("interval").orElse(USUAL_INTERVAL)
        : 0;
  }

  /** The interval of async-profiler's samples of wall-clock time in ns. */
  long wallInterval() {
    OptionalLong own = asyncInterval(WALL);
    OptionalLong only = asyncEvent().equals(WALL) ? asyncInterval("interval") : own;
    return own.orElse(only.orElse(USUAL_WALL_INTERVAL));
  }

  private OptionalLong asyncInterval(String name) {
    return Timespans.parse(setting(JdkEvent.EXECUTION_SAMPLE.name(), name) + "ns");
  }
}
