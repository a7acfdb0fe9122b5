package stackweave.maps;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.tukaani.xz.XZInputStream;
import stackweave.maps.ElfFormatException.Reason;

/** Compressed content of ELF sections, unpacked into heap buffers of bounded size. */
final class Compression {
  private static final int CHDR_SIZE = 24;
  private static final int ELFCOMPRESS_ZLIB = 1;
  private static final int XZ_MEMORY_KIB = 64 << 10;

  private Compression() {}

  /**
   * The content of a section with SHF_COMPRESSED: an Elf64_Chdr (method, reserved, size, alignment)
   * and the compressed bytes.
   */
  static ByteBuffer inflateSection(ByteBuffer section, long offset) throws ElfFormatException {
    if (section.limit() < CHDR_SIZE) {
      throw new ElfFormatException(Reason.BAD_COMPRESSION, offset);
    }
    if (section.getInt(0) != ELFCOMPRESS_ZLIB) {
      throw new ElfFormatException(Reason.UNSUPPORTED_COMPRESSION, offset);
    }
    long size = section.getLong(8);
    if (size < 0 || size > ImageBytes.MAX_COPY) {
      throw new ElfFormatException(Reason.TOO_LARGE, offset);
    }
    byte[] content = new byte[(int) size];
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(section.slice(CHDR_SIZE, section.limit() - CHDR_SIZE));
      int filled = 0;
      while (filled < content.length) {
        int n = inflater.inflate(content, filled, content.length - filled);
        if (n == 0) {
          throw new ElfFormatException(Reason.BAD_COMPRESSION, offset);
        }
        filled += n;
      }
    } catch (DataFormatException e) {
      throw new ElfFormatException(Reason.BAD_COMPRESSION, offset);
    } finally {
      inflater.end();
    }
    return ByteBuffer.wrap(content);
  }

  /** The content of an XZ file. */
  static ByteBuffer unpackXz(ByteBuffer packed) throws ElfFormatException {
    try (XZInputStream in = new XZInputStream(stream(packed), XZ_MEMORY_KIB)) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] chunk = new byte[1 << 16];
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        out.write(chunk, 0, n);
        if (out.size() > ImageBytes.MAX_COPY) {
          throw new ElfFormatException(Reason.TOO_LARGE, 0);
        }
      }
      return ByteBuffer.wrap(out.toByteArray());
    } catch (IOException e) {
      throw new ElfFormatException(Reason.BAD_COMPRESSION, 0);
    }
  }

  private static InputStream stream(ByteBuffer bytes) {
    ByteBuffer rest = bytes.duplicate();
    return new InputStream() {
      @Override
      public int read() {
        return rest.hasRemaining() ? rest.get() & 0xff : -1;
      }

      @Override
      public int read(byte[] target, int offset, int length) {
        int n = Math.min(length, rest.remaining());
        if (n == 0 && length > 0) {
          return -1;
        }
        rest.get(target, offset, n);
        return n;
      }
    };
  }
}
