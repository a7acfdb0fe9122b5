package stackweave.fleet.ingest;

import java.sql.Date;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import scala.jdk.javaapi.CollectionConverters;
import stackweave.fleet.store.Table;
import stackweave.jfr.export.Index;
import stackweave.jfr.export.thread.ThreadGroups;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.StackEnd;

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
  }

  private void add(Instant start, SampleSum sum) {
    String id = stackRows.id(sum.frames());
    int stack = stackIds.of(id);
    if (stack == stacks.size()) {
      stacks.add(sum.frames().toArray(SampledFrame[]::new));
    }
    Map<String, String> labels = sum.context().labels();
    Key key =
        new Key(
            sum.session(),
            origins.apply(sum.session()).with(labels),
            threads.folded(sum.thread()),
            sum.state(),
            event(sum),
            labels,
            sum.end(),
            stack);
    int minute = (int) Math.floorDiv(start.getEpochSecond(), SECONDS_OF_MINUTE);
    sums.add(
        new Sum(keys.get(keys.of(key)), minute, sum.count(), sum.weightNanos(), sum.squares()));
  }

  private static String event(SampleSum sum) {
    return switch (sum.kind()) {
      case CPU -> CPU;
      case WAITING -> WAITING;
      case EVENT -> sum.event();
    };
  }

  /** The rows of {@link Table#SAMPLES}. */
  Iterator<Row> sampleRows() {
    return sums.stream().map(this::sampleRow).iterator();
  }

  private Row sampleRow(Sum sum) {
    Key key = sum.key;
    Timestamp minute = new Timestamp(sum.minute * MILLIS_OF_MINUTE);
    boolean isCpu = key.event.equals(CPU);
    boolean isTime = isCpu || key.event.equals(WAITING);
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

  /** The rows of {@link Table#STACKS}. */
  Iterator<Row> stackRows() {
    return IntStream.range(0, stacks.size())
        .mapToObj(i -> stackRows.row(stackIds.get(i), List.of(stacks.get(i))))
        .iterator();
  }

  static String textOrNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
