package stackweave.agent.cli.output;

import java.nio.file.Path;
import java.util.List;
import stackweave.agent.cli.common.CommandMessages;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.jvm.OwnCommand;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.weave.MergeOptions;
import stackweave.jfr.weave.RecordingMerge;

/** Adds samples as JFR's own events to a recording that was saved. Stateless. */
public final class Weaving {
  private Weaving() {}

  /** Replaces the recording at the end; a failure leaves it unchanged, and is said. */
  public static void weave(Path file) {
    try {
      RecordingMerge merge =
          RecordingMerge.of(List.of(file), MergeOptions.DEFAULT, ReadingProgress.NONE);
      // Ctrl-C, which ends many recordings, waits for this as for the recording itself.
      Output.privately(file, true, merge::writeTo);
    } catch (FailedException e) {
      sayUnwoven(file, FailedException.worded(e));
    } catch (RecordingException | RuntimeException | OutOfMemoryError e) {
      sayUnwoven(file, String.valueOf(e.getMessage()));
    }
  }

  /** Says that a recording does not have them, and why. */
  public static void sayUnwoven(Path file, String why) {
    CommandMessages.say(
        "%s has no jdk.ExecutionSample events of the samples: %s; %s adds them",
        file, why, OwnCommand.line("merge", OwnCommand.file(file)));
  }
}
