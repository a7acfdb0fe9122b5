package stackweave.agent.cli.toggle;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import stackweave.agent.cli.common.FailedException;

/** The command {@code on}: removes the switch files. */
@Command(
    name = "on",
    description = {
      "Takes back what off did: recordings that ask for samples get them again.",
      "Starts no recording."
    },
    customSynopsis = "java -jar stackweave-agent.jar on [--user USER | --pid PID]")
public final class OnCommand implements Callable<Integer> {

  @Mixin private SwitchOption whose;

  @Override
  public Integer call() throws FailedException {
    return whose.turn(false);
  }
}
