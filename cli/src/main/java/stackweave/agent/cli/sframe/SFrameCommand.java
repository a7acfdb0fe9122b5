package stackweave.agent.cli.sframe;

import picocli.CommandLine.Command;

/** The command {@code sframe}, parent of the commands on SFrame sections. */
@Command(
    name = "sframe",
    description = "SFrame sections: reads, checks and makes them.",
    subcommands = {
      SFrameDumpCommand.class,
      SFrameVerifyCommand.class,
      SFrameStatCommand.class,
      SFrameLookupCommand.class,
      SFrameGenerateCommand.class,
      SFrameUpgradeCommand.class,
      SFrameMergeCommand.class
    })
public final class SFrameCommand {}
