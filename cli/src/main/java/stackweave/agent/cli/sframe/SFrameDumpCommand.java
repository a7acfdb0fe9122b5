package stackweave.agent.cli.sframe;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.sframe.tools.SFrameListing;
import stackweave.sframe.tools.SFrameText;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameSection;

/** The command {@code sframe dump FILE}: prints every function and row of an SFrame section. */
@Command(
    name = "dump",
    description = {
      "Every function and row of an SFrame section.",
      "CFA, frame pointer (fp) and return address (ra) of a row: sp+8 register plus offset; *(fp-8)"
          + " what memory holds there; c-16 in memory at CFA - 16; u unchanged; f at the offset that"
          + " the header fixes; U padding."
    })
final class SFrameDumpCommand implements Callable<Integer> {

  private enum Format {
    TEXT,
    TSV
  }

  @Mixin private SFrameOptions options;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text, or tsv: func start size rowpc cfa fp ra flags. Default: text.")
  private Format format = Format.TEXT;

  @Override
  public Integer call() throws FailedException {
    SFrameSection section = options.open().read();
    List<SFrameFault> faults = new ArrayList<>();
    Output.toStandardOutput(
        out ->
            faults.addAll(
                format == Format.TSV
                    ? SFrameText.write(section, out)
                    : SFrameListing.write(section, out)));
    if (section.trailingFault() != null) {
      throw new FailedException(
          options.file() + ": dumped up to " + section.trailingFault().getMessage());
    }
    if (!faults.isEmpty()) {
      throw new FailedException(
          options.file()
              + ": dumped without what is malformed ("
              + faults.size()
              + (faults.size() == 1 ? " function); " : " functions); ")
              + faults.get(0).text());
    }
    return 0;
  }
}
