package stackweave.jfr.weave;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkReader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.chunk.ConstantPools;
import stackweave.jfr.chunk.EventShape;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.chunk.ValueType;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.SamplerStatus;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.weave.format.Separator;
import stackweave.jfr.weave.format.TraceLayout;
import stackweave.jfr.weave.format.WovenMark;

/**
 * The facts of a chunk that a merge needs: its session, whether its samples are woven already, and
 * when it has samples. Read in one pass over its events; small.
 */
final class ChunkScan {
  private static final int SAMPLE = 0;
  private static final int STACK_SAMPLE = 1;
  private static final int SESSION = 2;
  private static final int STATUS = 3;
  private static final int JVM = 4;

  private static final List<EventShape> SHAPES =
      List.of(
          EventShape.of(NativeSample.NAME, "startTime weight age"),
          EventShape.of(StackSample.NAME, "startTime weight"),
          EventShape.of(Session.NAME, "uuid schemaVersion agentVersion jdk pid jvmStart"),
          EventShape.of(SamplerStatus.NAME, "startTime taken interval"),
          EventShape.of("jdk.JVMInformation", "pid jvmStartTime jvmVersion"));

  /** A chunk has fewer statuses: one is written every two seconds. */
  private static final int MOST_STATUSES = 1 << 20;

  /** The number of its file. */
  final int input;

  final ChunkHeader header;

  /** The id of its session; empty if it has no event of ours. */
  String session = "";

  int schema;
  String agentVersion = "";

  /** The version of its JVM, for people; empty if unknown. */
  String jdk = "";

  /** Equal for chunks of one JVM only: process and start, by JFR's own event; empty without it. */
  String jvm = "";

  /** Its process, and when that started, in ms since 1970; by the session, a little earlier. */
  long pid;

  long startMillis;

  /** Whether it was written by JFR, and so has the types of JFR's own samples. */
  boolean hasJfrTypes;

  /** The mark of the samples woven into it; null for none. */
  WovenMark mark;

  long samples;
  long firstNanos = Long.MAX_VALUE;
  long lastNanos = Long.MIN_VALUE;

  /** The shortest interval of sampling; Long.MAX_VALUE if unknown. */
  long shortestInterval = Long.MAX_VALUE;

  final WeightSpread weights = new WeightSpread();

  /**
   * The time of each status, in nanoseconds since 1970; its complement if no sample was taken since
   * the one before it.
   */
  final List<Long> statuses = new ArrayList<>();

  /** Whether it is a {@link Separator} of an earlier merge. */
  boolean isSeparator;

  /** Whether a separator precedes it. */
  boolean isSeparated;

  /** Names of the types whose constants are pooled, by their ids. */
  TreeMap<Long, String> pooledTypes = new TreeMap<>();

  private ChunkScan(int input, ChunkHeader header) {
    this.input = input;
    this.header = header;
  }

  /**
   * Reads a chunk.
   *
   * @param input the number of the file that it is in
   * @param source that file
   * @param like the chunk before it in that file, or null: equal data is shared with it
   * @throws IOException if it is damaged
   */
  static ChunkScan of(int input, ChunkSource source, ChunkHeader header, ChunkScan like)
      throws IOException {
    ChunkScan scan = new ChunkScan(input, header);
    ChunkReader reader = new ChunkReader(source, header, SHAPES);
    for (int shape = reader.next(); shape >= 0; shape = reader.next()) {
      scan.event(shape, reader);
    }
    ConstantPools.readLast(
        source,
        header,
        (type, key, value) -> {
          if (!type.isText()) {
            return false;
          }
          WovenMark found = WovenMark.parse(value.readText());
          scan.mark = found == null ? scan.mark : found;
          return true;
        });
    Metadata metadata = source.metadata(header);
    scan.isSeparator = Separator.isIt(metadata);
    scan.pooledTypes = pooledTypes(metadata);
    scan.hasJfrTypes =
        scan.mark == null
            && metadata.types().values().stream()
                .anyMatch(type -> type.name().equals(TraceLayout.EXECUTION_SAMPLE));
    scan.isSeparated = like != null && like.isSeparator;
    if (like != null && like.pooledTypes.equals(scan.pooledTypes)) {
      scan.pooledTypes = like.pooledTypes;
    }
    if (scan.session.isEmpty() && scan.mark != null) {
      scan.session = scan.mark.session();
    }
    return scan;
  }

  /** How long it lasted, in ns, also if another chunk of the time has that in its header. */
  long durationNanos() {
    long ofHeader = header.durationNanos();
    return samples == 0 ? ofHeader : Math.max(ofHeader, lastNanos - header.startNanos());
  }

  private static TreeMap<Long, String> pooledTypes(Metadata metadata) throws IOException {
    TreeMap<Long, String> pooled = new TreeMap<>();
    for (ValueType type : metadata.types().values()) {
      for (ValueType.Field field : type.fields()) {
        if (field.isKey()) {
          pooled.put(field.typeId(), field.type().name());
        }
      }
    }
    return pooled;
  }

  private void event(int shape, ChunkReader event) throws IOException {
    switch (shape) {
      case SAMPLE -> sample(event.nanosAt(event.number(0)) - event.number(2), event.number(1));
      case STACK_SAMPLE -> sample(event.nanosAt(event.number(0)), event.number(1));
      case SESSION -> {
        if (session.isEmpty()) {
          session = event.text(0);
          agentVersion = event.text(2);
          jdk = event.text(3);
          pid = event.number(4);
          startMillis = event.number(5);
        }
        schema = Math.max(schema, (int) event.number(1));
      }
      case STATUS -> {
        status(event.nanosAt(event.number(0)), event.number(1) > 0);
        long interval = event.number(2);
        shortestInterval = interval > 0 ? Math.min(shortestInterval, interval) : shortestInterval;
      }
      case JVM -> {
        jvm = event.number(0) + " " + event.number(1);
        pid = event.number(0);
        startMillis = event.number(1);
        jdk = jdk.isEmpty() ? event.text(2) : jdk;
      }
      default -> throw new IllegalArgumentException("shape " + shape);
    }
  }

  private void sample(long nanos, long weight) {
    samples++;
    firstNanos = Math.min(firstNanos, nanos);
    lastNanos = Math.max(lastNanos, nanos);
    weights.add(weight);
  }

  private void status(long nanos, boolean hasTaken) throws IOException {
    if (statuses.size() == MOST_STATUSES) {
      throw new IOException("it has more than " + MOST_STATUSES + " statuses");
    }
    statuses.add(hasTaken ? nanos : ~nanos);
  }
}
