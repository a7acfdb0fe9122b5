package stackweave.agent.cli.sframe;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts a hexadecimal address, with or without 0x. Stateless. */
final class Hex implements ITypeConverter<Long> {
  @Override
  public Long convert(String text) {
    String digits = text.replaceFirst("^0[xX]", "");
    if (!digits.matches("[0-9a-fA-F]{1,16}")) {
      throw new TypeConversionException("'" + text + "' is no hexadecimal address");
    }
    return Long.parseUnsignedLong(digits, 16);
  }
}
