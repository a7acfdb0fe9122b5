package stackweave.fleet.symbols;

import static org.apache.spark.sql.functions.array;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.collect_list;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.posexplode;
import static org.apache.spark.sql.functions.size;
import static org.apache.spark.sql.functions.sort_array;
import static org.apache.spark.sql.functions.struct;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.FrameRows;
import stackweave.fleet.store.Manifest;
import stackweave.fleet.store.Table;
import stackweave.fleet.store.TableDirectory;
import stackweave.fleet.store.TableFrames;
import stackweave.jfr.export.symbols.NativeNames;
import stackweave.jfr.read.SampledFrame;

/**
 * One run of Symbolize: looks up the distinct native frames of all stacks in debug files of the
 * driver's machine, and writes all stacks anew. Ids stay, since they do not depend on names. Not
 * thread-safe.
 */
public final class SymbolizeRun {
  /**
   * What came of it.
   *
   * @param frames distinct frames that were looked up
   * @param changed those that have another name, a line or inlined functions now
   * @param notes what was not found, one line each
   */
  public record Outcome(long frames, long changed, List<String> notes) {}

  /** Changed frames that the driver holds. */
  private static final int MOST = 50_000;

  private static final ArrayType FRAMES =
      (ArrayType) Table.STACKS.columns().apply("frames").dataType();

  /** What stands instead of a frame. */
  private static final StructType CHANGES =
      new StructType()
          .add("changed", FRAMES.elementType())
          .add("of_innermost", DataTypes.BooleanType)
          .add("instead", FRAMES);

  private final SparkSession spark;
  private final TableDirectory directory;
  private final List<Path> debugFiles;
  private final String batch = TableDirectory.newBatch(Instant.now());

  /**
   * Prepares a run.
   *
   * @param debugFiles directories of the driver's machine
   */
  public SymbolizeRun(SparkSession spark, TableDirectory directory, List<Path> debugFiles) {
    this.spark = spark;
    this.directory = directory;
    this.debugFiles = List.copyOf(debugFiles);
  }

  /**
   * Runs.
   *
   * @throws FleetException if nothing was changed; one line for users
   */
  public Outcome run() throws Exception {
    directory.existing(); // before the lock, which would make a directory of the path
    AutoCloseable lock = directory.lock();
    try {
      Manifest manifest = directory.existing();
      Dataset<Row> stacks =
          directory.read(spark, manifest, Table.STACKS).select("stack_id", "frames");
      Outcome outcome = lookUp(stacks);
      if (outcome.changed() > 0) {
        changed(stacks).write().parquet(directory.place(Table.STACKS, batch));
        directory.commit(manifest.withOnly(batch, Table.STACKS));
      }
      directory.deleteTemporary(batch);
      return outcome;
    } finally {
      lock.close();
    }
  }

  private static Dataset<Row> exploded(Dataset<Row> stacks) {
    return stacks
        .select(col("stack_id"), size(col("frames")).as("depth"), posexplode(col("frames")))
        .select(
            col("stack_id"),
            col("pos"),
            col("col").as("frame"),
            expr("pos = depth - 1").as("innermost"));
  }

  private Outcome lookUp(Dataset<Row> stacks) throws IOException {
    // A frame with a line has been looked up before, and so have those inlined into it.
    Iterator<Row> places =
        exploded(stacks)
            .where("frame.kind = 'native' AND frame.build_id IS NOT NULL AND frame.line IS NULL")
            .select("frame", "innermost")
            .distinct()
            .orderBy("frame.build_id", "frame.offset")
            .toLocalIterator();
    TableFrames frames = new TableFrames();
    FrameRows rows = new FrameRows();
    List<Row> changes = new ArrayList<>();
    long all = 0;
    long changed = 0;
    try (NativeNames names = new NativeNames(debugFiles)) {
      while (places.hasNext()) {
        Row place = places.next();
        Row row = place.getStruct(0);
        SampledFrame frame = frames.frame(row);
        List<SampledFrame> instead = names.of(frame, place.getBoolean(1));
        all++;
        if (!instead.equals(List.of(frame))) {
          changed++;
          changes.add(
              RowFactory.create(
                  row, place.getBoolean(1), instead.stream().map(rows::of).toArray()));
        }
        if (changes.size() == MOST) {
          write(changes);
        }
      }
      write(changes);
      return new Outcome(all, changed, names.notes());
    }
  }

  private void write(List<Row> changes) {
    spark
        .createDataFrame(changes, CHANGES)
        .write()
        .mode(SaveMode.Append)
        .parquet(directory.temporary(batch).toString());
    changes.clear();
  }

  private Dataset<Row> changed(Dataset<Row> stacks) {
    Dataset<Row> changes =
        spark.read().schema(CHANGES).parquet(directory.temporary(batch).toString());
    Dataset<Row> frames = exploded(stacks);
    Dataset<Row> joined =
        frames.join(
            changes,
            frames
                .col("frame")
                .eqNullSafe(changes.col("changed"))
                .and(frames.col("innermost").equalTo(changes.col("of_innermost"))),
            "left");
    Dataset<Row> whole =
        joined
            .select(
                col("stack_id"),
                struct(col("pos"), coalesce(col("instead"), array(col("frame"))).as("own"))
                    .as("part"))
            .groupBy("stack_id")
            .agg(sort_array(collect_list("part")).as("parts"))
            .select(col("stack_id"), expr("flatten(transform(parts, p -> p.own))").as("frames"));
    return whole
        .union(stacks.where(size(col("frames")).equalTo(0)))
        .hint("rebalance")
        .sortWithinPartitions("stack_id");
  }
}
