package stackweave.fleet.ingest;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.struct;

import java.io.IOException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.Manifest;
import stackweave.fleet.store.Table;
import stackweave.fleet.store.TableDirectory;

/**
 * One run of Ingest: reads recordings, writes a batch of all tables, makes it visible. Runs on the
 * driver. Not thread-safe.
 */
public final class IngestRun {
  /**
   * What is asked for.
   *
   * @param inputs files, directories, patterns
   * @param patterns facts in paths
   * @param partial whether what can be read of damaged recordings is taken
   * @param maxBytes of an unpacked recording
   */
  public record Request(
      List<String> inputs, List<PathPattern> patterns, boolean partial, long maxBytes) {
    /** Copies the lists. */
    public Request {
      inputs = List.copyOf(inputs);
      patterns = List.copyOf(patterns);
    }
  }

  /**
   * What came of it.
   *
   * @param read recordings that are in the tables now
   * @param known files that earlier runs have read or rejected
   * @param rejects files that were not read, with the reason of each
   */
  public record Outcome(long read, long known, Map<String, String> rejects) {}

  private static final String REFUSED = "refused";

  /** Tasks per core: enough that none waits long for another. */
  private static final int TASKS_PER_CORE = 4;

  /** Bytes of recordings of a task, above which there are more tasks. */
  private static final long TASK_BYTES = 64L << 20;

  private final SparkSession spark;
  private final TableDirectory directory;
  private final Request request;
  private final Instant now = Instant.now();
  private final String batch = TableDirectory.newBatch(now);

  /** Prepares a run. */
  public IngestRun(SparkSession spark, TableDirectory directory, Request request) {
    this.spark = spark;
    this.directory = directory;
    this.request = request;
  }

  /**
   * Runs.
   *
   * @throws FleetException if nothing was changed; one line for users
   */
  public Outcome run() throws Exception {
    List<InputFile> all =
        InputList.of(
            request.inputs(), directory.path(), spark.sparkContext().hadoopConfiguration());
    AutoCloseable lock = directory.lock();
    try {
      return locked(all);
    } finally {
      lock.close();
    }
  }

  private Outcome locked(List<InputFile> all) throws IOException, FleetException {
    directory.clean(now);
    Manifest manifest = directory.manifest();
    List<InputFile> files = newOnes(all, manifest);
    if (files.isEmpty()) {
      return new Outcome(0, all.size(), Map.of());
    }
    readAll(files, earlier(files, manifest));
    Outcome outcome = write(manifest, files, all.size() - files.size());
    directory.deleteTemporary(batch);
    return outcome;
  }

  /** Those that no run has read or rejected for good. */
  private List<InputFile> newOnes(List<InputFile> all, Manifest manifest) {
    Column isForGood =
        col("sha256")
            .isNotNull()
            .or(col("reason").equalTo(RecordingReader.tooLarge(request.maxBytes())));
    if (request.partial()) {
      isForGood = isForGood.and(not(col("reason").endsWith(RecordingReader.PARTIAL_TAKES)));
    }
    Dataset<Row> known =
        directory
            .read(spark, manifest, Table.SOURCES)
            .select("path", "size", "modified")
            .union(
                directory
                    .read(spark, manifest, Table.REJECTS)
                    .where(isForGood)
                    .select("path", "size", "modified"));
    Map<Integer, InputFile> byNumber = new HashMap<>();
    all.forEach(file -> byNumber.put(file.number(), file));
    return rows(all)
        .join(known, columns("path", "size", "modified"), "left_anti")
        .select("number")
        .orderBy("number")
        .collectAsList()
        .stream()
        .map(row -> byNumber.get(row.getInt(0)))
        .toList();
  }

  private Dataset<Row> rows(List<InputFile> files) {
    List<Row> rows = new ArrayList<>();
    for (InputFile file : files) {
      rows.add(
          RowFactory.create(
              file.number(), file.path(), file.size(), new Timestamp(file.modified())));
    }
    return spark.createDataFrame(
        rows,
        new StructType()
            .add("number", DataTypes.IntegerType)
            .add("path", DataTypes.StringType)
            .add("size", DataTypes.LongType)
            .add("modified", DataTypes.TimestampType));
  }

  /** What earlier runs have read at the paths of these files. */
  private Map<String, List<RecordingReader.Earlier>> earlier(
      List<InputFile> files, Manifest manifest) {
    Map<String, List<RecordingReader.Earlier>> earlier = new HashMap<>();
    directory
        .read(spark, manifest, Table.SOURCES)
        .join(rows(files).select("path"), "path")
        .select("path", "bytes", "sha256")
        .collectAsList()
        .forEach(
            row ->
                earlier
                    .computeIfAbsent(row.getString(0), any -> new ArrayList<>())
                    .add(new RecordingReader.Earlier(row.getLong(1), row.getString(2))));
    return earlier;
  }

  private String rawPlace() {
    return directory.temporary(batch).toString();
  }

  private void readAll(List<InputFile> files, Map<String, List<RecordingReader.Earlier>> earlier) {
    RecordingReader reader =
        new RecordingReader(
            new RecordingReader.Settings(
                earlier,
                request.patterns(),
                request.partial(),
                request.maxBytes(),
                directory.isOfMachine(),
                now),
            new SerializableConfiguration(spark.sparkContext().hadoopConfiguration()));
    JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
    long bytes = files.stream().mapToLong(InputFile::size).sum();
    long wanted =
        Math.max((long) TASKS_PER_CORE * context.defaultParallelism(), bytes / TASK_BYTES);
    int most = (int) Math.min(wanted, files.size());
    List<List<InputFile>> tasks = InputList.tasks(files, most);
    spark
        .createDataFrame(
            context.parallelize(tasks, tasks.size()).flatMap(List::iterator).mapPartitions(reader),
            RawRows.columns())
        .write()
        .parquet(rawPlace());
  }

  private Outcome write(Manifest manifest, List<InputFile> files, long known)
      throws IOException, FleetException {
    Dataset<Row> raw = spark.read().schema(RawRows.columns()).parquet(rawPlace());
    Map<Integer, String> copies = copies(raw, manifest);
    Dataset<Row> own =
        raw.join(
            refused(raw, copies.keySet()),
            raw.col(RawRows.INPUT).equalTo(col(REFUSED)),
            "left_anti");
    write(Table.SAMPLES, samples(own));
    write(Table.STACKS, newStacks(own, manifest));
    write(Table.SOURCES, of(own, Table.SOURCES).coalesce(1));
    write(Table.REJECTS, of(raw, Table.REJECTS).union(rejected(files, copies)).coalesce(1));
    Outcome outcome = outcome(known);
    directory.commit(manifest.with(batch, List.of(Table.values())));
    return outcome;
  }

  /** The numbers of files of which nothing counts, in the column {@link #REFUSED}. */
  private Dataset<Row> refused(Dataset<Row> raw, Set<Integer> copies) {
    List<Row> rows = copies.stream().map(RowFactory::create).toList();
    return raw.where(col(Table.REJECTS.label()).isNotNull())
        .select(col(RawRows.INPUT).as(REFUSED))
        .union(spark.createDataFrame(rows, new StructType().add(REFUSED, DataTypes.IntegerType)))
        .distinct();
  }

  private static Dataset<Row> of(Dataset<Row> raw, Table table) {
    return raw.where(col(table.label()).isNotNull()).select(table.label() + ".*");
  }

  /** Files with the same content as one of an earlier run, or of this one, with the reason. */
  private Map<Integer, String> copies(Dataset<Row> raw, Manifest manifest) {
    Map<Integer, String> copies = new HashMap<>();
    Dataset<Row> sources =
        raw.where(col("sources").isNotNull()).select("input", "sources.path", "sources.sha256");
    Dataset<Row> known =
        directory
            .read(spark, manifest, Table.SOURCES)
            .select(col("path").as("other"), col("sha256"));
    sources
        .join(known, "sha256")
        .select("input", "other")
        .collectAsList()
        .forEach(row -> copies.put(row.getInt(0), "has been read already, as " + row.getString(1)));
    Map<String, String> first = new HashMap<>();
    for (Row source : sources.orderBy("input").collectAsList()) {
      String other = first.putIfAbsent(source.getString(2), source.getString(1));
      if (other != null) {
        copies.putIfAbsent(source.getInt(0), "has the same content as " + other);
      }
    }
    return copies;
  }

  private Dataset<Row> rejected(List<InputFile> files, Map<Integer, String> copies) {
    List<Row> rows = new ArrayList<>();
    for (InputFile file : files) {
      String reason = copies.get(file.number());
      if (reason != null) {
        rows.add(
            RowFactory.create(
                file.path(),
                file.size(),
                new Timestamp(file.modified()),
                "", // it is that of the other
                Timestamp.from(now),
                reason));
      }
    }
    return spark.createDataFrame(rows, Table.REJECTS.columns());
  }

  /** Rows of a day and service side by side, and in these those of a stack: they pack best so. */
  private static Dataset<Row> samples(Dataset<Row> raw) {
    return of(raw, Table.SAMPLES)
        .hint("rebalance", col("service"), col("date"))
        .sortWithinPartitions("service", "date", "event", "source", "stack_id", "minute");
  }

  /**
   * The stacks that no batch has, each once, of several with more or less names the best named.
   * Which they are is found without their frames, which are most of all bytes and go through one
   * shuffle.
   */
  private Dataset<Row> newStacks(Dataset<Row> raw, Manifest manifest) {
    Dataset<Row> all =
        raw.where(col(Table.STACKS.label()).isNotNull())
            .select(RawRows.INPUT, Table.STACKS.label() + ".*");
    Dataset<Row> best =
        all.groupBy("stack_id")
            .agg(max(struct(col(RawRows.NAMED), col(RawRows.INPUT), col(RawRows.PIECE))).as("best"))
            .join(
                directory.read(spark, manifest, Table.STACKS).select("stack_id"),
                columns("stack_id"),
                "left_anti")
            .select("stack_id", "best.*");
    return all.join(
            best.hint("shuffle_hash"),
            columns("stack_id", RawRows.NAMED, RawRows.INPUT, RawRows.PIECE),
            "left_semi")
        .select("stack_id", "frames")
        .hint("rebalance")
        .sortWithinPartitions("stack_id");
  }

  private static Seq<String> columns(String... names) {
    return CollectionConverters.asScala(List.of(names)).toSeq();
  }

  private void write(Table table, Dataset<Row> rows) {
    var writer = rows.write();
    if (table == Table.SAMPLES) {
      writer = writer.partitionBy("service", "date");
    }
    writer.parquet(directory.place(table, batch));
  }

  private Outcome outcome(long known) {
    Map<String, String> reasons = new TreeMap<>();
    spark
        .read()
        .schema(Table.REJECTS.columns())
        .parquet(directory.place(Table.REJECTS, batch))
        .collectAsList()
        .forEach(row -> reasons.put(row.getString(0), row.getString(5)));
    long read =
        spark
            .read()
            .schema(Table.SOURCES.columns())
            .parquet(directory.place(Table.SOURCES, batch))
            .count();
    return new Outcome(read, known, reasons);
  }
}
