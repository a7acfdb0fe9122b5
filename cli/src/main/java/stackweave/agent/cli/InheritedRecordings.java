package stackweave.agent.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.JavaOptions;

/**
 * Recordings that a service's environment starts in a command's own JVM: an option in
 * JAVA_TOOL_OPTIONS holds for each JVM that is started there. At its exit JFR would write the
 * command's recording over the service's file. Stateless.
 *
 * <p>JFR empties the file before any class of ours is loaded, except where the variable has this
 * agent, too ({@code stackweave.agent.boot.Boot}).
 */
final class InheritedRecordings {
  private static final String OPTION = "-XX:StartFlightRecording";

  private InheritedRecordings() {}

  /**
   * Ends them without a file.
   *
   * @throws FailedException if an argument names a file that JFR has emptied for one of them
   */
  static void end(String... arguments) throws FailedException {
    for (String variable : JavaOptions.VARIABLES) {
      String options = System.getenv(variable);
      if (options != null && options.contains(OPTION)) {
        end(variable, arguments);
      }
    }
  }

  private static void end(String variable, String... arguments) throws FailedException {
    if (!FlightRecorder.isAvailable() || !FlightRecorder.isInitialized()) {
      return;
    }
    for (Recording recording : FlightRecorder.getFlightRecorder().getRecordings()) {
      Path file = recording.getDestination();
      try {
        recording.setDestination(null);
        recording.setDumpOnExit(false);
        recording.close();
      } catch (IOException | IllegalStateException e) {
        continue; // it has ended by itself
      }
      for (String argument : arguments) {
        if (file != null && isEmptied(file, argument)) {
          throw new FailedException(
              "%s: %s starts a recording to this file in the JVM of this command, too, and"
                  + " JFR has emptied it before the command began: run commands with env -u %s",
              argument, variable, variable);
        }
      }
    }
  }

  private static boolean isEmptied(Path file, String argument) {
    try {
      return Files.isSameFile(file, Path.of(argument)) && Files.size(file) == 0;
    } catch (IOException | InvalidPathException e) {
      return false; // no file
    }
  }
}
