package stackweave.agent.cli.sframe;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.sframe.tools.SFrameText;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameSection;

/** The command {@code sframe lookup FILE PC…}: prints the row that covers each address. */
@Command(
    name = "lookup",
    description = {
      "The row that holds at each address: pc start size rowpc cfa fp ra flags, as sframe dump"
          + " --format tsv has them.",
      "A return address is not looked up itself, but the address before it."
    })
final class SFrameLookupCommand implements Callable<Integer> {

  @Mixin private SFrameOptions options;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "PC",
      converter = SFrameOptions.Hex.class,
      description = "ELF virtual addresses, hexadecimal.")
  private List<Long> addresses;

  @Override
  public Integer call() throws FailedException {
    SFrameSection section = options.open().read();
    Output.toStandardOutput(
        out -> {
          out.append(SFrameText.HEADER.replace("#func", "#pc")).append('\n');
          for (long address : addresses) {
            out.append(Long.toHexString(address)).append('\t').append(line(section, address));
            out.append('\n');
          }
        });
    return 0;
  }

  private static String line(SFrameSection section, long address) {
    SFrameFunction function = new SFrameFunction();
    SFrameRow row = new SFrameRow();
    try {
      boolean found = section.find(address, function, row);
      if (!found && !section.findFunction(address, function)) {
        return "no function";
      }
      String place = Long.toHexString(function.start()) + "\t" + function.size() + "\t";
      if (found) {
        return place + SFrameText.line(function, row);
      }
      return place + (function.rowCount() == 0 ? SFrameText.lineWithoutRows(function) : "no row");
    } catch (MalformedSectionException e) {
      return "malformed: " + FailedException.worded(e);
    }
  }
}
