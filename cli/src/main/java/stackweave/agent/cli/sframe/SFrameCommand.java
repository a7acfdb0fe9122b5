package stackweave.agent.cli.sframe;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code sframe}, parent of the commands on SFrame sections. */
@Command(
    name = "sframe",
    customSynopsis = "java -jar stackweave-agent.jar sframe COMMAND ...",
    description = "SFrame sections: reads, checks and makes them.",
    mixinStandardHelpOptions = true,
    subcommands = {
      SFrameDumpCommand.class,
      SFrameVerifyCommand.class,
      SFrameStatCommand.class,
      SFrameLookupCommand.class,
      SFrameGenerateCommand.class,
      SFrameUpgradeCommand.class,
      SFrameMergeCommand.class
    })
public final class SFrameCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "no command given");
  }
}
