package stackweave.unwind;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import stackweave.unwind.section.Section;
import stackweave.unwind.table.UnwindSections;

/** As much of an ELF file as the tests need: its sections, both byte orders. */
public final class Elf {
  private static final int SHT_NOBITS = 8;
  private static final int SHT_GNU_SFRAME = 0x6fff_fff4;

  public record Header(
      String name, int type, long flags, long address, long offset, long size, int link, int info) {
    public boolean isLoaded() {
      return (flags & 2) != 0 && type != SHT_NOBITS;
    }
  }

  public final ByteBuffer bytes;
  public final Architecture architecture;
  public final int type;
  public final List<Header> sections = new ArrayList<>();

  private Elf(ByteBuffer bytes) {
    this.bytes = bytes;
    bytes.order(bytes.get(5) == 2 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    type = bytes.getShort(16);
    architecture =
        switch (bytes.getShort(18)) {
          case 62 -> Architecture.X86_64;
          case 183 -> Architecture.AARCH64;
          case 22 -> Architecture.S390X;
          default -> throw new IllegalArgumentException("machine " + bytes.getShort(18));
        };
    int table = (int) bytes.getLong(40);
    int count = bytes.getShort(60) & 0xffff;
    int names = bytes.getShort(62) & 0xffff;
    int namesAt = (int) bytes.getLong(table + names * 64 + 24);
    for (int i = 0; i < count; i++) {
      int at = table + i * 64;
      sections.add(
          new Header(
              string(namesAt + bytes.getInt(at)),
              bytes.getInt(at + 4),
              bytes.getLong(at + 8),
              bytes.getLong(at + 16),
              bytes.getLong(at + 24),
              bytes.getLong(at + 32),
              bytes.getInt(at + 40),
              bytes.getInt(at + 44)));
    }
  }

  public static Elf read(Path file) throws IOException {
    return new Elf(ByteBuffer.wrap(Files.readAllBytes(file)));
  }

  String string(int at) {
    StringBuilder text = new StringBuilder();
    for (int i = at; bytes.get(i) != 0; i++) {
      text.append((char) bytes.get(i));
    }
    return text.toString();
  }

  public Header header(String name) {
    return sections.stream().filter(s -> s.name().equals(name)).findFirst().orElse(null);
  }

  /** The section of that name, or null. */
  public Section section(String name) {
    Header header = header(name);
    return header == null || header.type() == SHT_NOBITS ? null : section(header);
  }

  public Section section(Header header) {
    ByteBuffer slice = bytes.slice((int) header.offset(), (int) header.size()).order(bytes.order());
    return new Section(slice, header.address());
  }

  public Section sframe() {
    return sections.stream()
        .filter(s -> s.type() == SHT_GNU_SFRAME || s.name().equals(".sframe"))
        .findFirst()
        .map(this::section)
        .orElse(null);
  }

  /** All that can be used for unwinding. */
  public UnwindSections unwindSections() {
    return new UnwindSections(
        sframe(),
        section(".eh_frame_hdr"),
        section(".eh_frame"),
        section(".debug_frame"),
        architecture);
  }

  /** The same without .sframe. */
  public UnwindSections ehFrameOnly() {
    return new UnwindSections(
        null, section(".eh_frame_hdr"), section(".eh_frame"), null, architecture);
  }

  /** Only .sframe. */
  public UnwindSections sframeOnly() {
    return new UnwindSections(sframe(), null, null, null, architecture);
  }
}
