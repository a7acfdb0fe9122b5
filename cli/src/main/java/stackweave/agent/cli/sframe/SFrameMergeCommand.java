package stackweave.agent.cli.sframe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.OutputFile;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.sframe.writer.SFrameMerge;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFault;

/** Commands that write one SFrame section from the sections of files. */
abstract class SFrameMergeCommand implements Callable<Integer> {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "OUT",
      required = true,
      description = "The file to write.")
  private Path output;

  @Option(
      names = "--output-address",
      paramLabel = "HEX",
      converter = Hex.class,
      description = "Where OUT will be loaded. Default: of upgrade where the section is, else 0.")
  Long outputAddress;

  final SFrameMerge merge = new SFrameMerge();

  /**
   * Adds all functions of a file. Refuses a relocatable object, whose functions have no addresses
   * yet.
   */
  SFrameInput add(Path file, Long address) throws FailedException {
    SFrameInput.mustBeFile(file);
    Output.mustNotBe(output, "the file to read", file);
    SFrameInput input = SFrameInput.open(file, address);
    if (input.elf() != null && input.elf().relocatable()) {
      throw new FailedException(
          file + ": relocatable object: functions have no addresses before it is linked");
    }
    try {
      merge.add(input.read());
    } catch (MalformedSectionException e) {
      throw new FailedException(file + ": .sframe: " + FailedException.worded(e));
    }
    return input;
  }

  /**
   * Writes the section.
   *
   * @param usual where it will be loaded if no option says so
   */
  int write(long usual) throws FailedException {
    byte[] bytes = merge.write(outputAddress == null ? usual : outputAddress);
    try {
      OutputFile.write(output, out -> out.write(bytes));
    } catch (IOException e) {
      throw Output.cantWrite(output, e);
    }
    System.out.printf(
        Locale.ROOT,
        "%s: SFrame V3, %,d bytes, %,d functions, %,d rows%s%n",
        output,
        bytes.length,
        merge.functionCount(),
        merge.rowCount(),
        merge.leftOut() == 0
            ? ""
            : String.format(Locale.ROOT, "; %,d functions without rows left out", merge.leftOut()));
    return 0;
  }

  /** The command {@code sframe upgrade FILE -o OUT}: rewrites an SFrame section as version 3. */
  @Command(
      name = "upgrade",
      description = {
        "The SFrame section of a linked file, or a raw one, as a raw section of version 3.",
        "The rows stay what they are. Functions without rows, which say nothing before version 3,"
            + " are left out: there, they would say that the stack ends."
      })
  static final class Upgrade extends SFrameMergeCommand {
    @Parameters(paramLabel = "FILE", description = "An ELF file of any kind, or a raw section.")
    private Path file;

    @Option(
        names = "--address",
        paramLabel = "HEX",
        converter = Hex.class,
        description = "Where a raw section is loaded. Default: 0.")
    private Long address;

    @Override
    public Integer call() throws FailedException {
      return write(add(file, address).sections().get(0).address());
    }
  }

  /** The command {@code sframe merge FILE… -o OUT}: writes one section from those of several. */
  @Command(
      name = "merge",
      description = {
        "One raw SFrame section, version 3, sorted, of all sections and elements of linked files or"
            + " raw sections, whatever their versions.",
        "They must be of one ABI, and their functions must not overlap."
      })
  static final class Merge extends SFrameMergeCommand {
    @Parameters(
        arity = "1..*",
        paramLabel = "FILE[@HEX]",
        description = "Linked ELF files, or raw sections with where they are loaded. Default: @0.")
    private List<String> files;

    @Override
    public Integer call() throws FailedException {
      for (String file : files) {
        add(file);
      }
      mustNotOverlap();
      return write(0);
    }

    /** Splits FILE@HEX at the last @, unless a file of the whole name exists. */
    private void add(String text) throws FailedException {
      int at = text.lastIndexOf('@');
      if (at < 0 || Files.exists(Path.of(text))) {
        add(Path.of(text), null);
        return;
      }
      Path file = Path.of(text.substring(0, at));
      SFrameInput.mustBeFile(file);
      try {
        add(file, new Hex().convert(text.substring(at + 1)));
      } catch (TypeConversionException e) {
        throw new FailedException(text + ": " + e.getMessage());
      }
    }

    /** Fails if functions overlap, so that the files can't be of one image. */
    private void mustNotOverlap() throws FailedException {
      ByteBuffer bytes = ByteBuffer.wrap(merge.write(0));
      for (SFrameFault fault : SFrameVerifier.verify(new Section(bytes, 0))) {
        if (fault.reason() == Reason.OVERLAP || fault.reason() == Reason.DUPLICATE_START) {
          throw new FailedException(
              "the files are not of one image: of the merged section, " + fault.text());
        }
      }
    }
  }
}
