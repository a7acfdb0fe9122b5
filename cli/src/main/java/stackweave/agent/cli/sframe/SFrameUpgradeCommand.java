package stackweave.agent.cli.sframe;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;

/** The command {@code sframe upgrade FILE -o OUT}: rewrites an SFrame section as version 3. */
@Command(
    name = "upgrade",
    description = {
      "The SFrame section of a linked file, or a raw one, as a raw section of version 3.",
      "The rows stay what they are. Functions without rows, which say nothing before version 3, are"
          + " left out: there, they would say that the stack ends."
    })
final class SFrameUpgradeCommand implements Callable<Integer> {

  @Mixin private SFrameOptions options;

  @Mixin private SFrameMergeOutput output;

  @Option(
      names = "--output-address",
      paramLabel = "HEX",
      converter = SFrameOptions.Hex.class,
      description = "Where OUT will be loaded. Default: where the section is.")
  private Long outputAddress;

  @Override
  public Integer call() throws FailedException {
    output.mustNotBe(options.file());
    SFrameInput input = options.open();
    output.add(input);
    long own = input.sections().get(0).address();
    output.write(outputAddress == null ? own : outputAddress);
    return 0;
  }
}
