package stackweave.maps.elf;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.zip.InflaterInputStream;
import org.tukaani.xz.XZInputStream;
import stackweave.maps.elf.ElfFormatException.Reason;
import stackweave.unwind.TableMemory;

/** Decompresses contents of ELF sections into buffers of bounded size. Stateless. */
public final class Compression {
  private static final int CHDR_SIZE = 24;
  private static final int ELFCOMPRESS_ZLIB = 1;
  private static final int XZ_MEMORY_KIB = 64 << 10;
  private static final int FIRST_BYTES = 256 << 10;

  private Compression() {}

  /**
   * Decompresses a section with SHF_COMPRESSED: an Elf64_Chdr (method, reserved, size, alignment)
   * and the compressed bytes.
   */
  static ByteBuffer inflateSection(ByteBuffer section, long offset, TableMemory tables)
      throws ElfFormatException {
    if (section.limit() < CHDR_SIZE) {
      throw new ElfFormatException(Reason.BAD_COMPRESSION, offset);
    }
    if (section.getInt(0) != ELFCOMPRESS_ZLIB) {
      throw new ElfFormatException(Reason.UNSUPPORTED_COMPRESSION, offset);
    }
    long size = section.getLong(8);
    ByteBuffer packed = section.slice(CHDR_SIZE, section.limit() - CHDR_SIZE);
    ByteBuffer content = unpack(() -> new InflaterInputStream(stream(packed)), offset, tables);
    if (content.limit() != size) {
      tables.release(content);
      throw new ElfFormatException(Reason.BAD_COMPRESSION, offset);
    }
    return content;
  }

  /**
   * Decompresses an XZ file into {@code tables}; the decoder uses heap besides, at most a fraction
   * of its maximum.
   *
   * @throws ElfFormatException if it is malformed or larger than {@link ImageBytes#MAX_COPY}
   */
  public static ByteBuffer unpackXz(ByteBuffer packed, TableMemory tables)
      throws ElfFormatException {
    return unpack(() -> new XZInputStream(stream(packed), xzMemoryKib()), 0, tables);
  }

  /** Opens a stream of decompressed bytes. */
  @FunctionalInterface
  private interface Unpacked {
    InputStream open() throws IOException;
  }

  private static ByteBuffer unpack(Unpacked unpacked, long offset, TableMemory tables)
      throws ElfFormatException {
    ByteBuffer out = tables.allocate(FIRST_BYTES);
    int size = 0;
    try (InputStream in = unpacked.open()) {
      byte[] chunk = new byte[ImageBytes.PIECE];
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        if (size + n > ImageBytes.MAX_COPY) {
          throw new ElfFormatException(Reason.TOO_LARGE, offset);
        }
        if (size + n > out.capacity()) {
          ByteBuffer larger = tables.allocate(2 * out.capacity());
          larger.put(0, out, 0, size);
          tables.release(out);
          out = larger;
        }
        out.put(size, chunk, 0, n);
        size += n;
      }
      return out.limit(size);
    } catch (ElfFormatException e) {
      tables.release(out);
      throw e;
    } catch (IOException e) {
      tables.release(out);
      throw new ElfFormatException(Reason.BAD_COMPRESSION, offset);
    }
  }

  private static int xzMemoryKib() {
    return (int) Math.min(XZ_MEMORY_KIB, Runtime.getRuntime().maxMemory() >> 10 + 5);
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
