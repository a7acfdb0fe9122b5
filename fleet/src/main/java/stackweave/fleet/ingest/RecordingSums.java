package stackweave.fleet.ingest;

import java.sql.Date;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import scala.jdk.javaapi.CollectionConverters;
import stackweave.fleet.store.FrameRows;
import stackweave.fleet.store.Table;
import stackweave.jfr.export.Index;
import stackweave.jfr.export.thread.ThreadGroups;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.read.choice.SampleKind;

/**
 * The samples of a recording or a piece of one, summed by minute and by all that the table tells
 * apart. Not thread-safe.
 */
final class RecordingSums {
  /** What samples of a minute are told apart by. */
  private record Key(
      SessionFacts session,
      Origin origin,
      String thread,
      String state,
      SampleKind kind,
      String event,
      Map<String, String> labels,
      StackEnd end,
      int stack) {}

  /** A sum of samples of a minute since 1970. */
  private record Sum(Key key, int minute, long count, long weight, double squares) {}

  /** As events are called whose weight is time. */
  static final String CPU = "cpu";

  static final String WAITING = "waiting";

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final long SECONDS_OF_MINUTE = 60;
  private static final long MILLIS_OF_MINUTE = 60_000;

  /** What the stacks of a piece may have of frames together; real ones have some 100,000. */
  private static final int MOST_FRAMES = 8_000_000;

  /** Services that the labels of a piece may name; samples of others are of the JVM's own. */
  private static final int MOST_SERVICES = 100;

  /** Days that the samples of a piece may be of. */
  private static final int MOST_DAYS = 400;

  /** The largest sum that is not a lie: 13 days in ns within a minute, or a PiB. */
  private static final long MOST_WEIGHT = 1L << 50;

  /** Sums that the reader holds at a time. */
  private static final int MOST_SUMS = 1 << 17;

  private final String source;
  private final Function<SessionFacts, Origin> origins;
  private final ThreadGroups threads;
  private final StackRows stackRows = new StackRows();
  private final Index<String> stackIds = new Index<>(0);
  private final List<SampledFrame[]> stacks = new ArrayList<>();
  private final Index<Key> keys = new Index<>(0);
  private final List<Sum> sums = new ArrayList<>();
  private final Set<String> services = new HashSet<>();
  private final Set<Instant> days = new HashSet<>();
  private long frames;
  private String refusal = "";

  /**
   * Sums up.
   *
   * @param source id of the recording in the tables
   * @param origins whose samples they are, by session
   */
  RecordingSums(SampledRecording recording, String source, Function<SessionFacts, Origin> origins)
      throws RecordingException {
    this.source = source;
    this.origins = origins;
    this.threads = new ThreadGroups(recording);
    recording.forEachCellSum(MINUTE, MOST_SUMS, this::add);
    if (!refusal.isEmpty()) {
      throw new RecordingException(refusal);
    }
  }

  private void add(Instant start, SampleSum sum) {
    if (!refusal.isEmpty()) {
      return;
    }
    String id = stackRows.id(sum.frames());
    int stack = stackIds.of(id);
    if (stack == stacks.size()) {
      stacks.add(sum.frames().toArray(SampledFrame[]::new));
      frames += sum.frames().size();
    }
    days.add(start.truncatedTo(ChronoUnit.DAYS));
    refusal = refusal(sum);
    Map<String, String> labels = sum.context().labels();
    Key key =
        new Key(
            sum.session(),
            origin(origins.apply(sum.session()), labels),
            threads.folded(sum.thread()),
            sum.state(),
            sum.kind(),
            event(sum),
            labels,
            sum.end(),
            stack);
    int minute = (int) Math.floorDiv(start.getEpochSecond(), SECONDS_OF_MINUTE);
    sums.add(
        new Sum(keys.get(keys.of(key)), minute, sum.count(), sum.weightNanos(), sum.squares()));
  }

  /** Why no program can have made such a recording; empty if one can. */
  private String refusal(SampleSum sum) {
    if (frames > MOST_FRAMES) {
      return "its stacks have more than " + MOST_FRAMES + " frames together";
    }
    if (days.size() > MOST_DAYS) {
      return "its samples are of more than " + MOST_DAYS + " days";
    }
    return Math.abs(sum.weightNanos()) > MOST_WEIGHT || sum.weightNanos() == Long.MIN_VALUE
        ? "a sample of it stands for more than there is: " + sum.weightNanos()
        : "";
  }

  private Origin origin(Origin ofJvm, Map<String, String> labels) {
    Origin labelled = ofJvm.with(labels);
    if (labelled.service().equals(ofJvm.service()) || services.contains(labelled.service())) {
      return labelled;
    }
    if (services.size() == MOST_SERVICES) {
      return new Origin(ofJvm.service(), labelled.version(), labelled.host());
    }
    services.add(labelled.service());
    return labelled;
  }

  private static String event(SampleSum sum) {
    return switch (sum.kind()) {
      case CPU -> CPU;
      case WAITING -> WAITING;
      case EVENT -> sum.event();
    };
  }

  /** The services that samples are of. */
  Set<String> services() {
    return sums.stream().map(sum -> sum.key.origin.service()).collect(Collectors.toSet());
  }

  /** The rows of {@link Table#SAMPLES}. */
  Iterator<Row> sampleRows() {
    return sums.stream().map(this::sampleRow).iterator();
  }

  private Row sampleRow(Sum sum) {
    Key key = sum.key;
    Timestamp minute = new Timestamp(sum.minute * MILLIS_OF_MINUTE);
    boolean isCpu = key.kind == SampleKind.CPU;
    boolean isTime = key.kind != SampleKind.EVENT;
    return RowFactory.create(
        textOrNull(key.origin.version()),
        textOrNull(key.origin.host()),
        key.session.pid(),
        key.session.uuid(),
        source,
        minute,
        key.thread,
        key.state,
        key.event,
        CollectionConverters.asScala(key.labels),
        stackIds.get(key.stack),
        key.end.label(),
        key.end.isComplete(),
        isCpu ? sum.weight : 0L,
        isTime ? sum.weight : 0L,
        isTime ? 0L : sum.weight,
        sum.count,
        sum.squares,
        key.origin.service(),
        Date.valueOf(LocalDate.ofInstant(minute.toInstant(), ZoneOffset.UTC)));
  }

  /**
   * The rows of {@link Table#STACKS} that are new.
   *
   * @param piece number of the piece
   */
  Iterator<Row> stackRows(GivenStacks given, int piece) {
    return IntStream.range(0, stacks.size())
        .mapToObj(
            i -> {
              String id = stackIds.get(i);
              List<SampledFrame> frames = List.of(stacks.get(i));
              int named = (int) frames.stream().filter(FrameRows::isNamed).count();
              return given.isNew(id, named) ? stackRows.row(id, frames, named, piece) : null;
            })
        .filter(Objects::nonNull)
        .iterator();
  }

  static String textOrNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
