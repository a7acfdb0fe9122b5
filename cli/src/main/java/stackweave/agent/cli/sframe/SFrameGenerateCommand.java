package stackweave.agent.cli.sframe;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.OutputFile;
import stackweave.agent.cli.common.UsageException;
import stackweave.maps.elf.ElfFormatException;
import stackweave.maps.elf.ElfUnwindSections;
import stackweave.sframe.elf.SFrameElfCopy;
import stackweave.sframe.writer.SFrameConversion;
import stackweave.sframe.writer.SFrameWriter;

/**
 * The command {@code sframe generate ELF -o OUT}: converts .eh_frame or .debug_frame to an SFrame
 * section.
 */
@Command(
    name = "generate",
    description = {
      "An SFrame section made of a linked ELF file's .eh_frame (or .debug_frame).",
      "OUT is the raw section, or with --add a copy of the file with the section added, which loads"
          + " and runs as the file does. Strip the file before, not the copy."
    })
final class SFrameGenerateCommand implements Callable<Integer> {

  @Parameters(paramLabel = "ELF", description = "An executable or shared object.")
  private Path file;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "OUT",
      required = true,
      description = "The file to write.")
  private Path output;

  @Option(names = "--add", description = "OUT is a copy of ELF with .sframe and PT_GNU_SFRAME.")
  private boolean add;

  @Option(
      names = "--section-version",
      paramLabel = "N",
      description = "Version of SFrame, 3 or 2. Default: 3.")
  private int version = 3;

  @Option(
      names = "--address",
      paramLabel = "HEX",
      converter = Hex.class,
      description = "Where the raw section will be loaded. Default: 0.")
  private Long address;

  @Override
  public Integer call() throws FailedException {
    if (version != 2 && version != 3) {
      throw new UsageException("--section-version is 2 or 3");
    }
    if (add && address != null) {
      throw new UsageException("--add chooses the address itself");
    }
    SFrameInput.mustBeFile(file);
    Output.mustNotBe(output, "the ELF file", file);
    try {
      ElfUnwindSections elf = ElfUnwindSections.readLinked(file);
      SFrameConversion made = add ? addTo(elf) : raw(elf);
      int refused = 0;
      for (int count : made.refusals()) {
        refused += count;
      }
      System.out.printf(
          Locale.ROOT,
          "%s: SFrame V%d, %,d bytes, %,d functions, %,d rows%s%n",
          output,
          version,
          made.bytes().length,
          made.written(),
          made.rows(),
          refused == 0 ? "" : String.format(Locale.ROOT, "; %,d functions not wholly", refused));
      return 0;
    } catch (ElfFormatException e) {
      throw SFrameInput.failed(file, e);
    } catch (ArithmeticException e) {
      throw new FailedException(
          file + ": functions more than 2 GiB away from the section: only version 3 can do that");
    }
  }

  private SFrameConversion raw(ElfUnwindSections elf) throws FailedException {
    SFrameConversion made =
        SFrameWriter.convert(elf.sections(), version, elf.order(), address == null ? 0 : address);
    mustHaveFunctions(made);
    try {
      OutputFile.write(output, out -> out.write(made.bytes()));
    } catch (IOException e) {
      throw Output.cantWrite(output, e);
    }
    return made;
  }

  private SFrameConversion addTo(ElfUnwindSections elf) throws FailedException, ElfFormatException {
    mustHaveFunctions(SFrameWriter.convert(elf.sections(), 3, elf.order(), 0));
    try {
      return SFrameElfCopy.write(file, version, output);
    } catch (IOException e) {
      throw Output.cantWrite(output, e);
    }
  }

  private void mustHaveFunctions(SFrameConversion made) throws FailedException {
    if (made.functions() == 0) {
      throw new FailedException(file + ": no functions in .eh_frame or .debug_frame");
    }
  }
}
