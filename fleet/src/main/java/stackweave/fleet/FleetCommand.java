package stackweave.fleet;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.concurrent.Callable;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import stackweave.fleet.store.FleetException;
import stackweave.jfr.export.Names;
import stackweave.jfr.read.RecordingException;

/** What the commands have in common: Spark's session, and one line for each failure. */
abstract class FleetCommand implements Callable<Integer> {
  private static final int FAILED = 2;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help and exits.")
  private boolean help;

  /**
   * Runs a command and ends the JVM where that failed, so that spark-submit ends with 2.
   *
   * @param arguments of the command line
   */
  static void run(FleetCommand command, String... arguments) {
    int code = execute(command, arguments);
    if (code != 0) {
      System.exit(code);
    }
  }

  /** Runs a command, and returns its exit code: 0, or 2 after one line on stderr. */
  static int execute(FleetCommand command, String... arguments) {
    return new CommandLine(command)
        .setParameterExceptionHandler(
            (e, all) -> failed(e.getMessage() + " (--help lists options)"))
        .setExecutionExceptionHandler((e, line, parsed) -> failed(text(e)))
        .execute(arguments);
  }

  private static int failed(String message) {
    System.err.println("stackweave-fleet: " + Names.printable(message.strip()));
    return FAILED;
  }

  private static String text(Exception e) {
    if (e instanceof FleetException || e instanceof RecordingException) {
      return e.getMessage();
    }
    if (e instanceof FileSystemException file && file.getReason() == null) {
      return e.toString(); // its message is only the file's name
    }
    if (e instanceof IOException || e instanceof AnalysisException) {
      return FleetException.firstLine(e);
    }
    if (e instanceof SparkThrowable) {
      Throwable cause = e;
      while (cause.getCause() != null) {
        cause = cause.getCause();
      }
      return "Spark's job failed, and no table was changed: " + FleetException.firstLine(cause);
    }
    return "unexpected: " + e.getClass().getName() + ": " + FleetException.firstLine(e);
  }

  /** Spark's session, as spark-submit configures it. */
  static SparkSession spark(String name) {
    SparkSession spark = SparkSession.builder().appName("stackweave " + name).getOrCreate();
    spark.conf().set("spark.sql.session.timeZone", "UTC"); // dates and minutes are UTC
    // Else rows have times that print themselves in the time zone of this machine.
    spark.conf().set("spark.sql.datetime.java8API.enabled", true);
    spark.conf().set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS");
    spark.conf().set("spark.sql.parquet.compression.codec", "zstd");
    return spark;
  }
}
