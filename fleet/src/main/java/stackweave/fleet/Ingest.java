package stackweave.fleet;

import java.util.List;
import java.util.Map;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;
import stackweave.fleet.ingest.IngestRun;
import stackweave.fleet.ingest.PathPattern;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.TableDirectory;
import stackweave.jfr.export.Names;

/** {@code spark-submit --class stackweave.fleet.Ingest stackweave-fleet.jar IN... OUT}. */
@Command(
    name = "spark-submit --class stackweave.fleet.Ingest stackweave-fleet.jar",
    description =
        "Reads recordings that no run has read before, and adds their samples to the tables in OUT.")
public final class Ingest extends FleetCommand {
  private static final int MOST_REASONS = 20;

  @Parameters(
      paramLabel = "IN... OUT",
      arity = "2..*",
      description =
          "Recordings (.jfr, .jfr.gz), directories with recordings below them, or patterns, of any"
              + " file system that Hadoop reads; and the directory of the tables, of file, hdfs, or"
              + " an s3a store with conditional writes.")
  private List<String> paths;

  @Option(
      names = "--service-from",
      paramLabel = "PATTERN",
      converter = PatternConverter.class,
      description =
          "Facts in the recordings' paths, where neither labels nor the JVM's properties and"
              + " environment have them: 'path:/*/{service}/{host}-*.jfr', with {service}, {version}"
              + " and {host}. May stand more than once.")
  private List<PathPattern> patterns = List.of();

  @Option(
      names = "--partial",
      description =
          "Also takes what can be read of recordings that were cut short or are damaged. Only for"
              + " files that nobody writes any more.")
  private boolean partial;

  @Option(
      names = "--max-size",
      paramLabel = "MIB",
      defaultValue = "8192",
      description =
          "Recordings larger than this, unpacked, are rejected. Default: ${DEFAULT-VALUE}.")
  private long maxMebibytes;

  /** Runs it. */
  public static void main(String[] arguments) {
    run(new Ingest(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    if (maxMebibytes < 1 || maxMebibytes > Long.MAX_VALUE >> 20) {
      throw new FleetException("--max-size must be 1 or more, not %d", maxMebibytes);
    }
    int last = paths.size() - 1;
    IngestRun.Request request =
        new IngestRun.Request(paths.subList(0, last), patterns, partial, maxMebibytes << 20);
    SparkSession spark = spark("ingest");
    TableDirectory directory =
        TableDirectory.open(paths.get(last), spark.sparkContext().hadoopConfiguration());
    say(new IngestRun(spark, directory, request).run());
    return 0;
  }

  private static void say(IngestRun.Outcome outcome) {
    System.out.printf(
        "%,d recordings read, %,d rejected, %,d known before%n",
        outcome.read(), outcome.rejects().size(), outcome.known());
    int said = 0;
    for (Map.Entry<String, String> reject : outcome.rejects().entrySet()) {
      if (++said > MOST_REASONS) {
        System.out.println("more in the table rejects");
        break;
      }
      System.out.println(Names.printable("  " + reject.getKey() + ": " + reject.getValue()));
    }
  }

  private static final class PatternConverter implements ITypeConverter<PathPattern> {
    @Override
    public PathPattern convert(String text) {
      try {
        return PathPattern.parse(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }
}
