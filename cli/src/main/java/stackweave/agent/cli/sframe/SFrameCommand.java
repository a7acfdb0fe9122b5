package stackweave.agent.cli.sframe;

import picocli.CommandLine.Command;

/** The command {@code sframe}, parent of the commands on SFrame sections. */
@Command(
    name = "sframe",
    description = "SFrame sections: reads, checks and makes them.",
    subcommands = {
      SFrameReadCommand.Dump.class,
      SFrameReadCommand.Verify.class,
      SFrameStatCommand.class,
      SFrameReadCommand.Lookup.class,
      SFrameGenerateCommand.class,
      SFrameMergeCommand.Upgrade.class,
      SFrameMergeCommand.Merge.class
    })
public final class SFrameCommand {}
