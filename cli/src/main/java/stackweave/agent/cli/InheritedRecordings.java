package stackweave.agent.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import stackweave.agent.cli.common.CommandMessages;

/**
 * Recordings that a service's environment starts in a command's own JVM: options in
 * JAVA_TOOL_OPTIONS apply to every JVM that is started there. At its exit JFR would write the
 * command's recording over the service's file. Stateless.
 *
 * <p>JFR empties the file before any class of the command is loaded, unless the variable has this
 * agent, too ({@code stackweave.agent.boot.Boot}).
 */
final class InheritedRecordings {
  private static final List<String> VARIABLES =
      List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  private static final String OPTION = "-XX:StartFlightRecording";

  private InheritedRecordings() {}

  /** Ends them without writing a file, and reports those that had one. */
  static void end() {
    for (String variable : VARIABLES) {
      String options = System.getenv(variable);
      if (options != null
          && options.contains(OPTION)
          && FlightRecorder.isAvailable()
          && FlightRecorder.isInitialized()) {
        FlightRecorder.getFlightRecorder().getRecordings().forEach(each -> end(variable, each));
      }
    }
  }

  private static void end(String variable, Recording recording) {
    Path file = recording.getDestination();
    try {
      recording.setDestination(null);
      recording.setDumpOnExit(false);
      recording.close();
    } catch (IOException | IllegalStateException e) {
      return; // it has ended by itself
    }
    if (file != null) {
      CommandMessages.say(
          "%1$s starts a recording in the JVM of this command, too, and JFR has emptied its file %2$s"
              + " before the command began: run commands with env -u %1$s",
          variable, file);
    }
  }
}
