package stackweave.agent.cli.jvm;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.Plain;
import stackweave.agent.cli.process.TargetJvm;

/**
 * The command {@code status PID}: prints the agent's status, read from the JVM's agent properties.
 */
@Command(
    name = "status",
    description = {
      "What the agent in a JVM does: engine and why this one, samples, losses, cost.",
      "Loads nothing into the JVM; the figures are up to a second old."
    })
public final class StatusCommand implements Callable<Integer> {

  @Mixin private TargetOption target;

  @Override
  public Integer call() throws FailedException {
    try (TargetJvm jvm = TargetJvm.open(target.pid())) {
      String status = jvm.status();
      if (status == null) {
        throw target.hasNoAgent();
      }
      Output.toStandardOutput(out -> out.append(Plain.report(status)).append('\n'));
      return 0;
    }
  }
}
