package stackweave.agent.cli.sframe;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;
import stackweave.agent.cli.common.FailedException;

/**
 * The command {@code sframe merge FILE… -o OUT}: writes one section from those of several files.
 */
@Command(
    name = "merge",
    description = {
      "One raw SFrame section, version 3, sorted, of all sections and elements of linked files or"
          + " raw sections, whatever their versions.",
      "They must be of one ABI, and their functions must not overlap."
    })
final class SFrameMergeCommand implements Callable<Integer> {

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE[@HEX]",
      description = "Linked ELF files, or raw sections with where they are loaded. Default: @0.")
  private List<String> files;

  @Mixin private SFrameMergeOutput output;

  @Option(
      names = "--output-address",
      paramLabel = "HEX",
      converter = SFrameOptions.Hex.class,
      description = "Where OUT will be loaded. Default: 0.")
  private long outputAddress;

  @Override
  public Integer call() throws FailedException {
    for (String file : files) {
      SFrameInput input = open(file);
      output.mustNotBe(input.file());
      output.add(input);
    }
    output.mustNotOverlap();
    output.write(outputAddress);
    return 0;
  }

  /** Splits FILE@HEX at the last @, unless a file of the whole name exists. */
  private static SFrameInput open(String text) throws FailedException {
    int at = text.lastIndexOf('@');
    if (at < 0 || Files.exists(Path.of(text))) {
      return SFrameInput.open(Path.of(text), null);
    }
    Path file = Path.of(text.substring(0, at));
    SFrameInput.mustBeFile(file);
    try {
      return SFrameInput.open(file, new SFrameOptions.Hex().convert(text.substring(at + 1)));
    } catch (TypeConversionException e) {
      throw new FailedException(text + ": " + e.getMessage());
    }
  }
}
