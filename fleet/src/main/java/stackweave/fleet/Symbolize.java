package stackweave.fleet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import stackweave.fleet.store.FleetException;
import stackweave.fleet.store.TableDirectory;
import stackweave.fleet.symbols.SymbolizeRun;
import stackweave.jfr.export.Names;

/** {@code spark-submit --class stackweave.fleet.Symbolize stackweave-fleet.jar OUT DIR...}. */
@Command(
    name = "spark-submit --class stackweave.fleet.Symbolize stackweave-fleet.jar",
    description =
        "Names native functions of the tables from debug files with the build ids of their"
            + " libraries, with lines and inlined functions where the files have them.")
public final class Symbolize extends FleetCommand {
  @Parameters(index = "0", paramLabel = "OUT", description = "The directory of the tables.")
  private String directory;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "DIR",
      description =
          "Directories of the driver's machine with debug files below them, such as"
              + " /usr/lib/debug or ~/.cache/debuginfod_client.")
  private List<Path> debugFiles;

  /** Runs it. */
  public static void main(String[] arguments) {
    run(new Symbolize(), arguments);
  }

  @Override
  public Integer call() throws Exception {
    for (Path each : debugFiles) {
      if (!Files.isDirectory(each)) {
        throw new FleetException("%s is no directory of this machine", each);
      }
    }
    SparkSession spark = spark("symbolize");
    TableDirectory tables =
        TableDirectory.open(directory, spark.sparkContext().hadoopConfiguration());
    SymbolizeRun.Outcome outcome = new SymbolizeRun(spark, tables, debugFiles).run();
    System.out.printf(
        "%,d native places looked up, %,d named or with lines now%n",
        outcome.frames(), outcome.changed());
    outcome.notes().forEach(note -> System.out.println("  " + Names.printable(note)));
    return 0;
  }
}
