package stackweave.fleet.answer;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count_distinct;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.sum;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.ParseException;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.Manifest;
import stackweave.fleet.store.Table;
import stackweave.fleet.store.TableDirectory;
import stackweave.fleet.store.TableFrames;
import stackweave.jfr.export.Texts;
import stackweave.jfr.read.FoundWay;
import stackweave.jfr.read.Profile;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SessionFacts;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.read.StackThread;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.read.choice.WeightUnit;
import stackweave.jfr.read.context.SampledContext;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/**
 * Chooses samples of the tables by a predicate of SQL. The sums are made by Spark's executors; the
 * driver holds at most {@link #MOST} of them, those with the most weight, and one of all others.
 * Not thread-safe.
 */
public final class TableQuery {
  /** The predicate of all samples. */
  public static final String ALL = "true";

  /** Sums that a page can show anyway. */
  private static final int MOST = 50_000;

  private static final StackEnd COMPLETE = new StackEnd("", true);

  /** Sums are over all processes. */
  private static final SessionFacts MANY = new SessionFacts("", 0, Instant.EPOCH, 0, "", "", "");

  private final SparkSession spark;
  private final TableDirectory directory;
  private final Manifest manifest;
  private final SampleChoice choice;

  /**
   * A query of what a directory has now.
   *
   * @param choice CPU time, wall-clock time or an event, without states and labels
   * @throws FleetException if there are no tables; one line for users
   */
  public TableQuery(SparkSession spark, TableDirectory directory, SampleChoice choice)
      throws IOException, FleetException {
    this.spark = spark;
    this.directory = directory;
    this.manifest = directory.existing();
    this.choice = choice;
  }

  /** What samples of a predicate are called in headings. */
  public static String title(String where) {
    return where.equals(ALL) ? "all samples" : where;
  }

  /**
   * The chosen samples.
   *
   * @param where a predicate of SQL on the columns of {@link Table#SAMPLES}
   * @throws FleetException if it is none, or chooses nothing; one line for users
   */
  public Profile profile(String where) throws FleetException {
    Dataset<Row> chosen = chosen(where);
    Row all =
        chosen
            .agg(min("minute"), max("minute"), sum("count"), sum(weight()), sum("squares"))
            .head();
    if (all.isNullAt(0)) {
      throw new FleetException(
          "there are no samples of %s for: %s; Query 'SELECT DISTINCT service, version, date, event FROM"
              + " samples' shows what there is",
          choice.time(), title(where));
    }
    List<SampleSum> sums = new ArrayList<>();
    List<SessionFacts> sessions = new ArrayList<>();
    Dataset<Row> sources =
        directory
            .read(spark, manifest, Table.SOURCES)
            .join(chosen.select("source").distinct(), "source")
            .cache();
    Row recorded = sources.agg(min("first"), max("last")).head();
    SamplerFigures figures = figures(sources, sessions);
    sources.unpersist();
    addSums(chosen, sums);
    addRest(all, sums);
    return new TableProfile(
        choice,
        sessions,
        later(all.getInstant(0), recorded.getInstant(0)),
        earlier(all.getInstant(1).plus(Duration.ofMinutes(1)), recorded.getInstant(1)),
        figures,
        List.of(),
        sums);
  }

  /** Samples know their minute, and recordings their first and last sample. */
  private static Instant later(Instant ofMinute, Instant ofRecordings) {
    return ofRecordings == null || ofMinute.isAfter(ofRecordings) ? ofMinute : ofRecordings;
  }

  private static Instant earlier(Instant ofMinute, Instant ofRecordings) {
    return ofRecordings == null || ofMinute.isBefore(ofRecordings) ? ofMinute : ofRecordings;
  }

  private Dataset<Row> chosen(String where) throws FleetException {
    Dataset<Row> samples = directory.read(spark, manifest, Table.SAMPLES);
    try {
      return samples.where(where).where(ofChoice());
    } catch (Exception e) { // Spark throws checked exceptions that its methods do not declare
      if (e instanceof AnalysisException || e instanceof ParseException) {
        throw new FleetException(
            "'%s' is no predicate on samples: %s", where, FleetException.firstLine(e));
      }
      throw e;
    }
  }

  private Column ofChoice() {
    Column event = col("event");
    if (choice.isEvent()) {
      return event.equalTo(choice.type());
    }
    Column cpu = event.equalTo(SampleChoice.CPU.type());
    return choice.isWall() ? cpu.or(event.equalTo("waiting")) : cpu;
  }

  private Column weight() {
    String column = choice.isEvent() ? "weight" : choice.isWall() ? "wall_ns" : "cpu_ns";
    return col(column).cast("double"); // a sum of numbers may be larger than any number
  }

  private void addSums(Dataset<Row> chosen, List<SampleSum> sums) {
    Dataset<Row> largest =
        chosen
            .groupBy("stack_id", "thread", "state", "event", "end_reason", "complete")
            .agg(sum("count").as("count"), sum(weight()).as("weight"), sum("squares").as("squares"))
            .where(isKept())
            .orderBy(col("weight").desc(), col("stack_id"))
            .limit(MOST)
            .cache();
    Map<String, List<SampledFrame>> stacks =
        stacks(
            directory
                .read(spark, manifest, Table.STACKS)
                .join(largest.select("stack_id").distinct(), "stack_id")
                .select("stack_id", "frames"));
    for (Row row : largest.collectAsList()) {
      sums.add(
          new SampleSum(
              MANY,
              new StackThread(row.getString(1), 0, 0, false, 0),
              kind(row.getString(3)),
              choice.isEvent() ? row.getString(3) : "",
              row.getString(2),
              SampledContext.NONE,
              new StackEnd(row.getString(4), row.getBoolean(5)),
              stacks.getOrDefault(row.getString(0), List.of()),
              row.getLong(6),
              (long) row.getDouble(7),
              row.getDouble(8)));
    }
    largest.unpersist();
  }

  /** Stacks by their ids. Equal frames are one object, and rows are seen one by one. */
  private static Map<String, List<SampledFrame>> stacks(Dataset<Row> wanted) {
    TableFrames frames = new TableFrames();
    wanted
        .select(explode(col("frames")).as("frame"))
        .where("frame.library IS NOT NULL")
        .select("frame.library", "frame.build_id")
        .distinct()
        .collectAsList()
        .forEach(row -> frames.learn(row.getString(0), row.getString(1)));
    Map<String, List<SampledFrame>> stacks = new HashMap<>();
    wanted
        .toLocalIterator()
        .forEachRemaining(row -> stacks.put(row.getString(0), frames.frames(row.getList(1))));
    return stacks;
  }

  /** As of a recording: memory that was given back has no growth. */
  private Column isKept() {
    return choice.unit() == WeightUnit.BYTES ? col("weight").gt(0) : lit(true);
  }

  private SampleKind kind(String event) {
    return choice.isEvent()
        ? SampleKind.EVENT
        : event.equals("waiting") ? SampleKind.WAITING : SampleKind.CPU;
  }

  /** Adds what the largest sums lack, as a stack of a marker. */
  private void addRest(Row all, List<SampleSum> sums) {
    if (sums.size() < MOST) {
      return;
    }
    long count = all.getLong(2);
    long weight = (long) all.getDouble(3);
    double squares = all.getDouble(4);
    for (SampleSum sum : sums) {
      count -= sum.count();
      weight -= sum.weightNanos();
      squares -= sum.squares();
    }
    SampledMethod marker =
        new SampledMethod(
            null, "", Texts.of("[all but the %,d largest stacks]", MOST), "", 0, "", 0);
    sums.add(
        new SampleSum(
            MANY,
            new StackThread("[all others]", 0, 0, false, 0),
            choice.isEvent() ? SampleKind.EVENT : SampleKind.CPU,
            choice.isEvent() ? choice.type() : "",
            "",
            SampledContext.NONE,
            COMPLETE,
            List.of(new SampledFrame(marker, SampledFrame.MARKER, 0, 0, FoundWay.TABLES)),
            count,
            weight,
            Math.max(0, squares)));
  }

  /** The figures of all recordings that chosen samples are of, and their JVMs. */
  private static SamplerFigures figures(Dataset<Row> sources, List<SessionFacts> sessions) {
    for (Row jdk :
        sources.groupBy("jdk").agg(count_distinct(col("session")).as("sessions")).collectAsList()) {
      SessionFacts facts =
          new SessionFacts("", 0, Instant.EPOCH, 0, String.valueOf(jdk.get(0)), "", "");
      sessions.addAll(Collections.nCopies((int) jdk.getLong(1), facts));
    }
    Counters counters = new Counters();
    Map<String, Row> byName = new HashMap<>();
    sources
        .select(explode(col("figures")))
        .groupBy("key")
        .agg(sum("value"), max("value"))
        .collectAsList()
        .forEach(row -> byName.put(row.getString(0), row));
    for (Counter counter : Counter.values()) {
      Row row = byName.get(counter.field());
      if (row != null) {
        boolean isSum = counter.adding() == Counter.Adding.SUM;
        counters.set(counter, row.getLong(isSum ? 1 : 2));
      }
    }
    return SamplerFigures.NONE.with(counters);
  }
}
