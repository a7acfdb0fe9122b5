package stackweave.agent.cli.sframe;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.tools.SFrameVerifier;

/** {@code sframe verify FILE}. */
@Command(
    name = "verify",
    description = {
      "All that is wrong in an SFrame section, a line for each: offset, function, reason.",
      "Exit code 0 when there is nothing, 1 when there is."
    },
    customSynopsis = "java -jar stackweave-agent.jar sframe verify FILE [--address HEX]")
final class SFrameVerifyCommand implements Callable<Integer> {

  @Mixin private SFrameOptions options;

  @Override
  public Integer call() throws FailedException {
    List<SFrameFault> faults = SFrameVerifier.verify(options.open().section());
    Output.toStandardOutput(
        out -> {
          for (SFrameFault fault : faults) {
            out.append(fault.text()).append('\n');
          }
        });
    return faults.isEmpty() ? 0 : 1;
  }
}
