package stackweave.agent.cli.jvm;

import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;

/** The PID parameter of the commands on a running JVM. */
public final class TargetOption {

  @Parameters(index = "0", paramLabel = "PID", description = "The JVM's process id.")
  private long pid;

  /** The process id as given, unchecked. */
  public long pid() {
    return pid;
  }

  FailedException hasNoAgent() {
    return new FailedException(
        "no Stackweave agent in process %s: %s puts one there",
        pid, OwnCommand.line("attach", pid));
  }
}
