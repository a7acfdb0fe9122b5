package stackweave.fleet.ingest;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.hash;
import static org.apache.spark.sql.functions.max_by;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.struct;

import java.io.IOException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
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
    Known known = new Known(manifest);
    List<InputFile> files = all.stream().filter(known::isNew).toList();
    if (files.isEmpty()) {
      return new Outcome(0, all.size(), Map.of());
    }
    readAll(files, known);
    Outcome outcome = write(manifest, files, all.size() - files.size());
    directory.deleteTemporary(batch);
    return outcome;
  }

  /** What earlier runs have read. */
  private final class Known {
    private final Map<String, String> pathBySha256 = new HashMap<>();
    private final Map<String, RecordingReader.Earlier> byPath = new HashMap<>();
    private final Set<List<Object>> files = new HashSet<>();

    Known(Manifest manifest) {
      for (Row row : rows(directory.read(spark, manifest, Table.SOURCES))) {
        pathBySha256.put(row.getString(3), row.getString(0));
        byPath.put(row.getString(0), new RecordingReader.Earlier(row.getLong(1), row.getString(3)));
      }
      Dataset<Row> rejects = directory.read(spark, manifest, Table.REJECTS);
      rows(
          request.partial()
              ? rejects.where(not(col("reason").endsWith(RecordingReader.PARTIAL_TAKES)))
              : rejects);
    }

    private List<Row> rows(Dataset<Row> table) {
      List<Row> rows =
          table
              .select("path", "size", "modified", "sha256")
              // What could not even be copied as a whole may be so next time.
              .where(col("sha256").isNotNull())
              .collectAsList();
      for (Row row : rows) {
        files.add(List.of(row.getString(0), row.getLong(1), row.getTimestamp(2).getTime()));
      }
      return rows;
    }

    boolean isNew(InputFile file) {
      return !files.contains(List.of(file.path(), file.size(), file.modified()));
    }
  }

  private String rawPlace() {
    return directory.temporary(batch).toString();
  }

  private void readAll(List<InputFile> files, Known known) {
    Map<String, RecordingReader.Earlier> earlier = new HashMap<>();
    for (InputFile file : files) {
      RecordingReader.Earlier own = known.byPath.get(file.path());
      if (own != null) {
        earlier.put(file.path(), own);
      }
    }
    RecordingReader reader =
        new RecordingReader(
            new RecordingReader.Settings(
                known.pathBySha256,
                earlier,
                request.patterns(),
                request.partial(),
                request.maxBytes(),
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
    Map<Integer, String> copies = copies(raw);
    Dataset<Row> own =
        raw.join(
            refused(raw, copies.keySet()),
            raw.col(RawRows.INPUT).equalTo(col(REFUSED)),
            "left_anti");
    write(Table.SAMPLES, samples(own));
    write(Table.STACKS, newStacks(own, manifest));
    write(Table.SOURCES, of(own, Table.SOURCES).coalesce(1));
    write(Table.REJECTS, of(raw, Table.REJECTS).union(rejected(files, copies)).coalesce(1));
    List<Table> tables = new ArrayList<>();
    for (Table table : Table.values()) {
      tables.add(table);
    }
    Outcome outcome = outcome(known);
    directory.commit(manifest.with(batch, tables));
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

  /** Files with the same content as an earlier one of this run, with the reason. */
  private static Map<Integer, String> copies(Dataset<Row> raw) {
    Map<String, String> first = new HashMap<>();
    Map<Integer, String> copies = new HashMap<>();
    List<Row> sources =
        raw.where(col("sources").isNotNull())
            .select("input", "sources.path", "sources.sha256")
            .orderBy("input")
            .collectAsList();
    for (Row source : sources) {
      String other = first.putIfAbsent(source.getString(2), source.getString(1));
      if (other != null) {
        copies.put(source.getInt(0), "has the same content as " + other);
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

  /** The stacks that no batch has, each once, of several with more or less names the best named. */
  private Dataset<Row> newStacks(Dataset<Row> raw, Manifest manifest) {
    Column frames = col("frames");
    Dataset<Row> own =
        of(raw, Table.STACKS)
            .groupBy("stack_id")
            .agg(max_by(frames, struct(named(), hash(frames))).as("frames"));
    Dataset<Row> known = directory.read(spark, manifest, Table.STACKS).select("stack_id");
    return own.join(known, own.col("stack_id").equalTo(known.col("stack_id")), "left_anti")
        .hint("rebalance")
        .sortWithinPartitions("stack_id");
  }

  /** How many of a stack's frames have the name of a function, and not only a place. */
  private static Column named() {
    return expr("size(filter(frames, f -> f.build_id is null or not contains(f.function, '+0x')))");
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
