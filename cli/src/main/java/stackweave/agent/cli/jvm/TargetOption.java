package stackweave.agent.cli.jvm;

import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.process.NamedJvm;

/** The PID parameter of the commands on a running JVM. Not thread-safe. */
public final class TargetOption {
  /** What is said of the parameter. */
  public static final String DESCRIPTION =
      "The JVM's process id; or a part of the name of its main class or jar, if only one JVM has"
          + " it, and it is yours.";

  @Parameters(index = "0", paramLabel = "PID", description = DESCRIPTION)
  private String named;

  /** 0 before it is found. */
  private long pid;

  /**
   * The process id, unchecked.
   *
   * @throws FailedException if a name was given that does not fit one JVM only
   */
  public long pid() throws FailedException {
    if (pid == 0) {
      pid = NamedJvm.pid(named);
    }
    return pid;
  }

  FailedException hasNoAgent() throws FailedException {
    return new FailedException(
        "no Stackweave agent in process %s: %s puts one there",
        pid(), OwnCommand.line("attach", pid()));
  }
}
