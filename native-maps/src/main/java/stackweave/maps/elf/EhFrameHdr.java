package stackweave.maps.elf;

import java.nio.ByteBuffer;
import stackweave.maps.elf.ElfFormatException.Reason;

/**
 * Reads the address of .eh_frame from .eh_frame_hdr, for images without section headers. Source:
 * Linux Standard Base, "The .eh_frame_hdr section" and "DWARF Exception Header Encoding".
 * Stateless.
 */
final class EhFrameHdr {
  private static final int PCREL = 0x10;
  private static final int DATAREL = 0x30;

  private EhFrameHdr() {}

  static long ehFrameAddress(ByteBuffer hdr, long address) throws ElfFormatException {
    if (hdr.limit() < 8 || hdr.get(0) != 1) {
      throw new ElfFormatException(Reason.BAD_EH_FRAME_HDR, address);
    }
    int encoding = hdr.get(1) & 0xff;
    int format = encoding & 0x0f;
    boolean wide = format == 0x00 || format == 0x04 || format == 0x0c;
    if (wide && hdr.limit() < 12) {
      throw new ElfFormatException(Reason.BAD_EH_FRAME_HDR, address);
    }
    long value =
        switch (format) {
          case 0x00, 0x04, 0x0c -> hdr.getLong(4);
          case 0x03 -> hdr.getInt(4) & 0xffffffffL;
          case 0x0b -> hdr.getInt(4);
          default -> throw new ElfFormatException(Reason.BAD_EH_FRAME_HDR, address + 1);
        };
    return switch (encoding & 0xf0) {
      case 0 -> value;
      case PCREL -> address + 4 + value;
      case DATAREL -> address + value;
      default -> throw new ElfFormatException(Reason.BAD_EH_FRAME_HDR, address + 1);
    };
  }
}
