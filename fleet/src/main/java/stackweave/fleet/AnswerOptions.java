package stackweave.fleet;

import java.io.IOException;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.fleet.answer.TableQuery;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.TableDirectory;
import stackweave.jfr.read.choice.SampleChoice;

/** The tables, and which sort of samples of them. */
final class AnswerOptions {
  @Parameters(index = "0", paramLabel = "OUT", description = "The directory of the tables.")
  private String directory;

  @Option(
      names = "--wall",
      description = "Wall-clock time, on a CPU and waiting, instead of CPU time.")
  private boolean wall;

  @Option(
      names = "--event",
      paramLabel = "NAME",
      description = "The samples of an event, such as page-faults, instead of CPU time.")
  private String event = "";

  TableQuery query(SparkSession spark) throws IOException, FleetException {
    if (wall && !event.isEmpty()) {
      throw new FleetException("--wall and --event are of different samples: give one of them");
    }
    SampleChoice choice =
        wall
            ? SampleChoice.WALL
            : event.isEmpty() ? SampleChoice.CPU : SampleChoice.ofEvent(event.strip());
    return new TableQuery(
        spark, TableDirectory.open(directory, spark.sparkContext().hadoopConfiguration()), choice);
  }
}
