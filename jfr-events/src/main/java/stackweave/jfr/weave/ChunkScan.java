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
import stackweave.jfr.weave.format.WovenMark;

/**
 * What must be known of a chunk before it is merged: whose it is, whether its samples are woven
 * already, when it has samples. Read in one pass over its events; small.
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
          EventShape.of(Session.NAME, "uuid schemaVersion agentVersion jdk"),
          EventShape.of(SamplerStatus.NAME, "startTime taken interval"),
          EventShape.of("jdk.JVMInformation", "pid jvmStartTime jvmVersion"));

  /** One comes every two seconds: these are more than a chunk has. */
  private static final int MOST_STATUSES = 1 << 20;

  private final int input;
  private final ChunkHeader header;

  /** Empty for a chunk without events of ours. */
  private String session = "";

  private int schema;
  private String agentVersion = "";
  private String jdk = "";

  /** Process and start of the JVM by JFR's own event; "" without it. */
  private String jvm = "";

  private WovenMark mark;
  private long samples;
  private long firstNanos = Long.MAX_VALUE;
  private long lastNanos = Long.MIN_VALUE;
  private long shortestInterval = Long.MAX_VALUE;
  private final WeightSpread weights = new WeightSpread();

  /** Time of each status; its complement if no sample was taken since the one before it. */
  private final List<Long> statuses = new ArrayList<>();

  private boolean isSeparator;

  private boolean isSeparated;

  /** Names of the types whose constants are pooled, by their ids. */
  private TreeMap<Long, String> pooledTypes = new TreeMap<>();

  private ChunkScan(int input, ChunkHeader header) {
    this.input = input;
    this.header = header;
  }

  /**
   * Reads a chunk.
   *
   * @param input the number of the file that it is in
   * @param source that file
   * @param like the chunk before it in that file, or null: what is the same is kept once
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
    scan.isSeparator = metadata.count() == 1 && Separator.isType(metadata.at(0).name());
    scan.pooledTypes = pooledTypes(metadata);
    scan.isSeparated = like != null && like.isSeparator;
    if (like != null && like.pooledTypes.equals(scan.pooledTypes)) {
      scan.pooledTypes = like.pooledTypes;
    }
    if (scan.session.isEmpty() && scan.mark != null) {
      scan.session = scan.mark.session();
    }
    return scan;
  }

  private static TreeMap<Long, String> pooledTypes(Metadata metadata) throws IOException {
    TreeMap<Long, String> pooled = new TreeMap<>();
    for (int i = 0; i < metadata.count(); i++) {
      for (ValueType.Field field : metadata.at(i).fields()) {
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

  /** The number of its file. */
  int input() {
    return input;
  }

  /** Whether it is a {@link Separator} of an earlier merge. */
  boolean isSeparator() {
    return isSeparator;
  }

  /** Whether a separator stands before it. */
  boolean isSeparated() {
    return isSeparated;
  }

  ChunkHeader header() {
    return header;
  }

  /** The id of its session; empty if it has no event of ours. */
  String session() {
    return session;
  }

  int schema() {
    return schema;
  }

  String agentVersion() {
    return agentVersion;
  }

  /** The version of its JVM, for people; empty if unknown. */
  String jdk() {
    return jdk;
  }

  /** What only chunks of the same JVM have alike, by JFR's own event; empty without it. */
  String jvm() {
    return jvm;
  }

  /** What is woven into it; null if nothing is. */
  WovenMark mark() {
    return mark;
  }

  /** The bytes that it had before anything was woven into it. */
  long originalSize() {
    return mark == null ? header.size() : mark.size();
  }

  long samples() {
    return samples;
  }

  long firstNanos() {
    return firstNanos;
  }

  long lastNanos() {
    return lastNanos;
  }

  /** The shortest interval of sampling; Long.MAX_VALUE if unknown. */
  long shortestInterval() {
    return shortestInterval;
  }

  WeightSpread weights() {
    return weights;
  }

  /** Times of statuses, in nanoseconds since 1970; complements where no samples were taken. */
  List<Long> statuses() {
    return statuses;
  }

  TreeMap<Long, String> pooledTypes() {
    return pooledTypes;
  }
}
