package stackweave.agent.cli.switching;

import picocli.CommandLine.Command;

/** The command {@code on}: removes the switch files. */
@Command(
    name = "on",
    description = {
      "Takes back what off did: recordings that ask for samples get them again.",
      "Starts no recording."
    },
    customSynopsis = "java -jar stackweave-agent.jar on [--user USER | --pid PID]")
public final class OnCommand extends SwitchCommand {
  OnCommand() {
    super(false);
  }
}
