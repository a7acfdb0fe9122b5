package stackweave.agent.cli.sframe;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.sframe.tools.SFrameListing;
import stackweave.sframe.tools.SFrameText;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFault;
import stackweave.unwind.sframe.SFrameFunction;
import stackweave.unwind.sframe.SFrameRow;
import stackweave.unwind.sframe.SFrameSection;

/** Commands that print the content of the SFrame sections of one file. */
abstract class SFrameReadCommand implements Callable<Integer> {
  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "An ELF file of any kind, or a raw section.")
  Path file;

  @Option(
      names = "--address",
      paramLabel = "HEX",
      converter = Hex.class,
      description = "Where a raw section is loaded. Default: 0.")
  private Long address;

  SFrameInput open() throws FailedException {
    return SFrameInput.open(file, address);
  }

  /** The command {@code sframe dump FILE}: prints every function and row of an SFrame section. */
  @Command(
      name = "dump",
      description = {
        "Every function and row of an SFrame section.",
        "CFA, frame pointer (fp) and return address (ra) of a row: sp+8 register plus offset;"
            + " *(fp-8) what memory holds there; c-16 in memory at CFA - 16; u unchanged; f at the"
            + " offset that the header fixes; U padding."
      })
  static final class Dump extends SFrameReadCommand {
    private enum Format {
      TEXT,
      TSV
    }

    @Option(
        names = "--format",
        paramLabel = "FORMAT",
        description = "text, or tsv: func start size rowpc cfa fp ra flags. Default: text.")
    private Format format = Format.TEXT;

    @Override
    public Integer call() throws FailedException {
      SFrameSection section = open().read();
      List<SFrameFault> faults = new ArrayList<>();
      Output.toStandardOutput(
          out ->
              faults.addAll(
                  format == Format.TSV
                      ? SFrameText.write(section, out)
                      : SFrameListing.write(section, out)));
      if (section.trailingFault() != null) {
        throw new FailedException(file + ": dumped up to " + section.trailingFault().getMessage());
      }
      if (!faults.isEmpty()) {
        throw new FailedException(
            file
                + ": dumped without what is malformed ("
                + faults.size()
                + (faults.size() == 1 ? " function); " : " functions); ")
                + faults.get(0).text());
      }
      return 0;
    }
  }

  /** The command {@code sframe lookup FILE PC…}: prints the row that covers each address. */
  @Command(
      name = "lookup",
      description = {
        "The row that holds at each address: pc start size rowpc cfa fp ra flags, as sframe dump"
            + " --format tsv has them.",
        "A return address is not looked up itself, but the address before it."
      })
  static final class Lookup extends SFrameReadCommand {
    @Parameters(
        index = "1..*",
        arity = "1..*",
        paramLabel = "PC",
        converter = Hex.class,
        description = "ELF virtual addresses, hexadecimal.")
    private List<Long> addresses;

    @Override
    public Integer call() throws FailedException {
      SFrameSection section = open().read();
      Output.toStandardOutput(
          out -> {
            out.append(SFrameText.HEADER.replace("#func", "#pc")).append('\n');
            for (long pc : addresses) {
              out.append(Long.toHexString(pc)).append('\t').append(line(section, pc)).append('\n');
            }
          });
      return 0;
    }

    private static String line(SFrameSection section, long pc) {
      SFrameFunction function = new SFrameFunction();
      SFrameRow row = new SFrameRow();
      try {
        boolean found = section.find(pc, function, row);
        if (!found && !section.findFunction(pc, function)) {
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

  /** The command {@code sframe verify FILE}: prints all defects of SFrame sections. */
  @Command(
      name = "verify",
      description = {
        "All that is wrong in an SFrame section, a line for each: offset, function, reason. Where a"
            + " file has several, the address of the section stands before.",
        "Exit code 0 when there is nothing, 1 when there is."
      })
  static final class Verify extends SFrameReadCommand {
    @Override
    public Integer call() throws FailedException {
      List<Section> sections = open().sections();
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
}
