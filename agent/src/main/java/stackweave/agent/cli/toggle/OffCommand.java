package stackweave.agent.cli.toggle;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import stackweave.agent.cli.common.FailedException;

/** The command {@code off}: creates the switch files, which stop sampling. */
@Command(
    name = "off",
    description = {
      "Switches sampling off in all JVMs of a user, or in one, until on is said.",
      "Leaves a file where the agent looks every second; says which JVMs have stopped."
    },
    customSynopsis = "java -jar stackweave-agent.jar off [--user USER | --pid PID]")
public final class OffCommand implements Callable<Integer> {

  @Mixin private SwitchOption whose;

  @Override
  public Integer call() throws FailedException {
    return whose.turn(true);
  }
}
