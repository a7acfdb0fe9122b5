package stackweave.agent.cli.switching;

import picocli.CommandLine.Command;

/** The command {@code on}: removes the switch files. */
@Command(
    name = "on",
    description = {
      "Undoes the command off: recordings that ask for samples get them again.",
      "Starts no recording."
    })
public final class OnCommand extends SwitchCommand {
  OnCommand() {
    super(false);
  }
}
