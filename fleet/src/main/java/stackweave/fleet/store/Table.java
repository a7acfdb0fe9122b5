package stackweave.fleet.store;

import java.util.Locale;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** The tables of a fleet, with the columns of each; docs/fleet.md says what they mean. */
public enum Table {
  /** Sums of samples by minute. Service and date are directories, not in the files. */
  SAMPLES(
      new StructType()
          .add("version", DataTypes.StringType)
          .add("host", DataTypes.StringType)
          .add("pid", DataTypes.LongType)
          .add("session", DataTypes.StringType)
          .add("source", DataTypes.StringType)
          .add("minute", DataTypes.TimestampType)
          .add("thread", DataTypes.StringType)
          .add("state", DataTypes.StringType)
          .add("event", DataTypes.StringType)
          .add("labels", DataTypes.createMapType(DataTypes.StringType, DataTypes.StringType))
          .add("stack_id", DataTypes.StringType)
          .add("end_reason", DataTypes.StringType)
          .add("complete", DataTypes.BooleanType)
          .add("cpu_ns", DataTypes.LongType)
          .add("wall_ns", DataTypes.LongType)
          .add("weight", DataTypes.LongType)
          .add("count", DataTypes.LongType)
          .add("squares", DataTypes.DoubleType)
          .add("service", DataTypes.StringType)
          .add("date", DataTypes.DateType)),

  /** Each distinct stack. */
  STACKS(
      new StructType()
          .add("stack_id", DataTypes.StringType)
          .add(
              "frames",
              DataTypes.createArrayType(
                  new StructType()
                      .add("kind", DataTypes.StringType)
                      .add("class", DataTypes.StringType)
                      .add("function", DataTypes.StringType)
                      .add("descriptor", DataTypes.StringType)
                      .add("library", DataTypes.StringType)
                      .add("path", DataTypes.StringType)
                      .add("build_id", DataTypes.StringType)
                      .add("offset", DataTypes.LongType)
                      .add("file", DataTypes.StringType)
                      .add("line", DataTypes.IntegerType)
                      .add("inlined", DataTypes.BooleanType)
                      .add("guessed", DataTypes.BooleanType)
                      .add("found", DataTypes.StringType)
                      .add("text", DataTypes.StringType)))),

  /** The recordings that were read. */
  SOURCES(
      new StructType()
          .add("source", DataTypes.StringType)
          .add("path", DataTypes.StringType)
          .add("size", DataTypes.LongType)
          .add("modified", DataTypes.TimestampType)
          .add("sha256", DataTypes.StringType)
          .add("bytes", DataTypes.LongType)
          .add("read_at", DataTypes.TimestampType)
          .add("service", DataTypes.StringType)
          .add("version", DataTypes.StringType)
          .add("host", DataTypes.StringType)
          .add("pid", DataTypes.LongType)
          .add("session", DataTypes.StringType)
          .add("sessions", DataTypes.IntegerType)
          .add("jdk", DataTypes.StringType)
          .add("agent_version", DataTypes.StringType)
          .add("first", DataTypes.TimestampType)
          .add("last", DataTypes.TimestampType)
          .add("samples", DataTypes.LongType)
          .add("unresolved", DataTypes.LongType)
          .add("lost", DataTypes.LongType)
          .add("cpu_used_ns", DataTypes.LongType)
          .add("cpu_covered_ns", DataTypes.LongType)
          .add("cpu_missed_ns", DataTypes.LongType)
          .add("losses", DataTypes.StringType)
          .add("figures", DataTypes.createMapType(DataTypes.StringType, DataTypes.LongType))),

  /** The files that were not read. */
  REJECTS(
      new StructType()
          .add("path", DataTypes.StringType)
          .add("size", DataTypes.LongType)
          .add("modified", DataTypes.TimestampType)
          .add("sha256", DataTypes.StringType)
          .add("read_at", DataTypes.TimestampType)
          .add("reason", DataTypes.StringType));

  /** The partition column that all tables have: which run wrote a row. */
  public static final String BATCH = "batch";

  private final StructType columns;

  Table(StructType columns) {
    this.columns = columns;
  }

  /** Its columns, in the order of rows. */
  public StructType columns() {
    return columns;
  }

  /** The name in SQL, and that of its directory. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The directory of a batch, relative to that of all tables. */
  public String directory(String batch) {
    return label() + "/" + BATCH + "=" + batch;
  }
}
