package stackweave.agent.cli.sframe;

import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;
import stackweave.agent.cli.common.FailedException;

/** The options of the commands that read one SFrame section. */
final class SFrameOptions {

  @Parameters(
      index = "0",
      paramLabel = "FILE",
      description = "An ELF file of any kind, or a raw section.")
  private Path file;

  @Option(
      names = "--address",
      paramLabel = "HEX",
      converter = Hex.class,
      description = "Where a raw section is loaded. Default: 0.")
  private Long address;

  SFrameInput open() throws FailedException {
    return SFrameInput.open(file, address);
  }

  Path file() {
    return file;
  }

  /** Converts a hexadecimal address, with or without 0x. */
  static final class Hex implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      String digits = text.startsWith("0x") || text.startsWith("0X") ? text.substring(2) : text;
      try {
        if (digits.startsWith("+")) {
          throw new NumberFormatException(text);
        }
        return Long.parseUnsignedLong(digits, 16);
      } catch (NumberFormatException e) {
        throw new TypeConversionException("'" + text + "' is no hexadecimal address");
      }
    }
  }
}
