package stackweave.agent.cli.sframe;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFault;

/**
 * The command {@code sframe verify FILE}: prints everything that is malformed in the SFrame
 * sections.
 */
@Command(
    name = "verify",
    description = {
      "All that is wrong in an SFrame section, a line for each: offset, function, reason. Where a"
          + " file has several, the address of the section stands before.",
      "Exit code 0 when there is nothing, 1 when there is."
    })
final class SFrameVerifyCommand implements Callable<Integer> {

  @Mixin private SFrameOptions options;

  @Override
  public Integer call() throws FailedException {
    List<Section> sections = options.open().sections();
    StringBuilder text = new StringBuilder();
    for (Section section : sections) {
      for (SFrameFault fault : SFrameVerifier.verify(section)) {
        if (sections.size() > 1) {
          text.append("section at " + Long.toHexString(section.address()) + ": ");
        }
        text.append(fault.text()).append('\n');
      }
    }
    Output.toStandardOutput(out -> out.append(text));
    return text.isEmpty() ? 0 : 1;
  }
}
