package stackweave.agent.cli.sframe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.Option;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.common.Output;
import stackweave.agent.cli.common.OutputFile;
import stackweave.sframe.tools.SFrameVerifier;
import stackweave.sframe.writer.SFrameMerge;
import stackweave.unwind.section.MalformedSectionException;
import stackweave.unwind.section.MalformedSectionException.Reason;
import stackweave.unwind.section.Section;
import stackweave.unwind.sframe.SFrameFault;

/** The section that {@code sframe upgrade} and {@code sframe merge} write. */
final class SFrameMergeOutput {

  @Option(
      names = {"-o", "--output"},
      paramLabel = "OUT",
      required = true,
      description = "The file to write.")
  private Path output;

  private final SFrameMerge merge = new SFrameMerge();

  void mustNotBe(Path file) throws FailedException {
    SFrameInput.mustBeFile(file);
    Output.mustNotBe(output, "the file to read", file);
  }

  /**
   * Adds all functions of a file. Refuses a relocatable object, whose functions have no addresses
   * yet.
   */
  void add(SFrameInput input) throws FailedException {
    if (input.elf() != null && input.elf().relocatable()) {
      throw new FailedException(
          input.file() + ": relocatable object: functions have no addresses before it is linked");
    }
    try {
      merge.add(input.read());
    } catch (MalformedSectionException e) {
      throw new FailedException(input.file() + ": .sframe: " + FailedException.worded(e));
    }
  }

  /** Fails if functions overlap, so that the files can't be of one image. */
  void mustNotOverlap() throws FailedException {
    ByteBuffer bytes = ByteBuffer.wrap(merge.write(0));
    for (SFrameFault fault : SFrameVerifier.verify(new Section(bytes, 0))) {
      if (fault.reason() == Reason.OVERLAP || fault.reason() == Reason.DUPLICATE_START) {
        throw new FailedException(
            "the files are not of one image: of the merged section, " + fault.text());
      }
    }
  }

  void write(long address) throws FailedException {
    byte[] bytes = merge.write(address);
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
  }
}
