package stackweave.fleet.ingest;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import scala.jdk.javaapi.CollectionConverters;
import stackweave.fleet.store.Table;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;

/** What {@link Table#SOURCES} has of a recording, collected from its pieces. Not thread-safe. */
final class SourceFacts {
  /** Digits of a hash that name a recording in the tables. */
  private static final int SOURCE_DIGITS = 16;

  private final InputFile input;
  private final String sha256;
  private final long bytes;
  private final Instant readAt;
  private final Set<String> sessions = new HashSet<>();
  private final List<String> losses = new ArrayList<>();

  /** Of the first session; null before the first piece with samples. */
  private SessionFacts session;

  private Origin origin;
  private Instant first = Instant.MAX;
  private Instant last = Instant.MIN;
  private long samples;
  private long unresolved;
  private SamplerFigures figures = SamplerFigures.NONE;

  /** Of a recording of which nothing has been read yet. */
  SourceFacts(InputFile input, LocalCopy copy, Instant readAt) {
    this.input = input;
    this.sha256 = copy.sha256();
    this.bytes = copy.bytes();
    if (!copy.damage().isEmpty()) {
      losses.add(copy.damage());
    }
    this.readAt = readAt;
  }

  /** The recording's id in the tables. */
  String source() {
    return sha256.substring(0, SOURCE_DIGITS);
  }

  /** Whether no piece had samples. */
  boolean isEmpty() {
    return session == null;
  }

  /** Adds a piece. */
  void add(SampledRecording piece, Function<SessionFacts, Origin> origins) {
    for (SessionFacts each : piece.sessions()) {
      sessions.add(each.uuid());
    }
    if (session == null) {
      session = piece.sessions().get(0);
      origin = origins.apply(session);
    }
    first = piece.first().isBefore(first) ? piece.first() : first;
    last = piece.last().isAfter(last) ? piece.last() : last;
    samples += piece.samples();
    unresolved += piece.unresolved();
    losses.addAll(piece.losses());
    figures = figures.plus(piece.figures());
  }

  /** The row. */
  Row row() {
    Map<String, Long> byName = new TreeMap<>();
    for (Counter counter : Counter.values()) {
      byName.put(counter.field(), figures.get(counter));
    }
    return RowFactory.create(
        source(),
        input.path(),
        input.size(),
        new Timestamp(input.modified()),
        sha256,
        bytes,
        Timestamp.from(readAt),
        origin.service(),
        RecordingSums.textOrNull(origin.version()),
        RecordingSums.textOrNull(origin.host()),
        session.pid(),
        session.uuid(),
        sessions.size(),
        session.jdk(),
        session.agentVersion(),
        Timestamp.from(first),
        Timestamp.from(last),
        samples,
        unresolved,
        figures.get(Counter.LOST),
        figures.get(Counter.CPU_USED),
        figures.get(Counter.CPU_COVERED),
        figures.get(Counter.CPU_MISSED),
        RecordingSums.textOrNull(String.join("; ", losses)),
        CollectionConverters.asScala(byName));
  }
}
