package stackweave.fleet.ingest;

import java.io.IOException;
import java.io.UncheckedIOException;
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
 * The samples of one recording, summed by minute and by all that the table tells apart. Memory
 * grows with the distinct stacks; the sums are in a file. Not thread-safe.
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

  /** As events are called whose weight is time. */
  static final String CPU = "cpu";

  static final String WAITING = "waiting";

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final long SECONDS_OF_MINUTE = 60;
  private static final long MILLIS_OF_MINUTE = 60_000;

  /** Sums that the reader holds at a time. */
  private static final int MOST_SUMS = 1 << 17;

  private final String source;
  private final Map<String, Origin> origins;
  private final ThreadGroups threads;
  private final StackRows stackRows = new StackRows();
  private final Index<String> stackIds = new Index<>(0);
  private final List<SampledFrame[]> stacks = new ArrayList<>();
  private final Index<Key> keys = new Index<>(0);
  private final SumFile sums = new SumFile();
  private long samples;

  /**
   * Sums up.
   *
   * @param source id of the recording in the tables
   * @param origins whose samples they are, by session
   */
  RecordingSums(SampledRecording recording, String source, Map<String, Origin> origins)
      throws IOException, RecordingException {
    this.source = source;
    this.origins = origins;
    this.threads = new ThreadGroups(recording);
    try {
      recording.forEachCellSum(MINUTE, MOST_SUMS, this::add);
      sums.rewind();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void add(Instant start, SampleSum sum) {
    samples += sum.count();
    String id = stackRows.id(sum.frames());
    int stack = stackIds.of(id);
    if (stack == stacks.size()) {
      stacks.add(sum.frames().toArray(SampledFrame[]::new));
    }
    Map<String, String> labels = sum.context().labels();
    Key key =
        new Key(
            sum.session(),
            origins.getOrDefault(sum.session().uuid(), Origin.UNKNOWN).with(labels),
            threads.folded(sum.thread()),
            sum.state(),
            event(sum),
            labels,
            sum.end(),
            stack);
    try {
      int minute = (int) Math.floorDiv(start.getEpochSecond(), SECONDS_OF_MINUTE);
      sums.write(keys.of(key), minute, sum.count(), sum.weightNanos(), sum.squares());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String event(SampleSum sum) {
    return switch (sum.kind()) {
      case CPU -> CPU;
      case WAITING -> WAITING;
      case EVENT -> sum.event();
    };
  }

  /** All samples that were counted. */
  long samples() {
    return samples;
  }

  /** The rows of {@link Table#SAMPLES}, once. */
  Iterator<Row> sampleRows() {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        if (!sums.hasNext()) {
          close();
        }
        return sums.hasNext();
      }

      @Override
      public Row next() {
        try {
          sums.read();
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        return sampleRow();
      }
    };
  }

  private Row sampleRow() {
    Key key = keys.get(sums.key);
    Timestamp minute = new Timestamp(sums.minute * MILLIS_OF_MINUTE);
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
        isCpu ? sums.weight : 0L,
        isTime ? sums.weight : 0L,
        isTime ? 0L : sums.weight,
        sums.count,
        sums.squares,
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

  private void close() {
    try {
      sums.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
