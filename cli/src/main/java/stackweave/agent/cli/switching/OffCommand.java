package stackweave.agent.cli.switching;

import picocli.CommandLine.Command;

/** The command {@code off}: creates the switch files, which stop sampling. */
@Command(
    name = "off",
    description = {
      "Switches sampling off in all JVMs of a user, or in one, until the command on is run.",
      "Leaves a file where the agent looks every second; prints which JVMs have stopped."
    })
public final class OffCommand extends SwitchCommand {
  OffCommand() {
    super(true);
  }
}
