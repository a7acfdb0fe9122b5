package stackweave.hotspot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import stackweave.unwind.Architecture;
import stackweave.unwind.section.Section;
import stackweave.unwind.table.UnwindSections;

/**
 * Just enough of ELF64 (System V gABI) for tests: sections by name, .dynsym, first load address.
 */
public final class ElfImage {
  private static final int PT_LOAD = 1;

  private final ByteBuffer file;
  private final Map<String, Integer> headers = new HashMap<>();

  ElfImage(ByteBuffer file) {
    this.file = file.order(ByteOrder.LITTLE_ENDIAN);
    long table = file.getLong(0x28);
    int count = file.getShort(0x3c) & 0xffff;
    if (table == 0 || table + 64L * count > file.limit()) {
      return;
    }
    int names = (int) file.getLong((int) table + 64 * (file.getShort(0x3e) & 0xffff) + 0x18);
    for (int i = 0; i < count; i++) {
      int header = (int) table + 64 * i;
      headers.put(string(names + file.getInt(header)), header);
    }
  }

  public static ElfImage open(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      // Not mapped: debuggers would take the mapping for the library itself.
      ByteBuffer file = ByteBuffer.allocate((int) channel.size());
      while (file.hasRemaining() && channel.read(file) >= 0) {}
      return new ElfImage(file.flip());
    }
  }

  public Section section(String name) {
    Integer header = headers.get(name);
    if (header == null) {
      return null;
    }
    int offset = (int) file.getLong(header + 0x18);
    int size = (int) file.getLong(header + 0x20);
    ByteBuffer bytes = file.slice(offset, size).order(ByteOrder.LITTLE_ENDIAN);
    return new Section(bytes, file.getLong(header + 0x10));
  }

  public UnwindSections unwindSections() {
    return new UnwindSections(
        section(".sframe"),
        section(".eh_frame_hdr"),
        section(".eh_frame"),
        null,
        Architecture.X86_64);
  }

  /** Virtual address of the page that the segment holding file offset {@code offset} maps there. */
  long addressOf(long offset) {
    int at = (int) file.getLong(0x20);
    int count = file.getShort(0x38) & 0xffff;
    for (int i = 0; i < count; i++, at += 56) {
      long from = file.getLong(at + 8);
      if (file.getInt(at) == PT_LOAD
          && offset >= (from & -4096)
          && offset < from + file.getLong(at + 0x20)) {
        return file.getLong(at + 0x10) - from + offset;
      }
    }
    return offset;
  }

  /** Defined dynamic symbols: ELF virtual addresses by name. */
  public Map<String, Long> dynamicSymbols() {
    Map<String, Long> symbols = new HashMap<>();
    ByteBuffer entries = section(".dynsym").bytes().order(ByteOrder.LITTLE_ENDIAN);
    int names = (int) file.getLong(headers.get(".dynstr") + 0x18);
    for (int at = 0; at < entries.limit(); at += 24) {
      if (entries.getShort(at + 6) != 0) {
        symbols.put(string(names + entries.getInt(at)), entries.getLong(at + 8));
      }
    }
    return symbols;
  }

  private String string(int at) {
    int end = at;
    while (file.get(end) != 0) {
      end++;
    }
    byte[] bytes = new byte[end - at];
    file.get(at, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
