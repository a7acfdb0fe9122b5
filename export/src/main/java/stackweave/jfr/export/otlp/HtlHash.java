package stackweave.jfr.export.otlp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import stackweave.jfr.read.SampledModule;

/**
 * The build id {@code process.executable.build_id.htlhash}: the first 16 bytes of the SHA-256 of a
 * file's first and last 4,096 bytes and its length. Source:
 * opentelemetry.io/docs/specs/otel/profiles/mappings. Stateless.
 *
 * <p>Recordings do not have it, so it is computed from the library's file, if that is on this
 * machine and has the GNU build id of the recording. Nothing else of what a recording names is
 * read.
 */
final class HtlHash {
  private static final int PAGE = 4_096;
  private static final int HASH_BYTES = 16;

  private static final int ELF_HEADER = 64;
  private static final int MAGIC = 0x464c457f; // "\177ELF", little-endian
  private static final int CLASS_64 = 2;
  private static final int LITTLE_ENDIAN = 1;
  private static final int PROGRAM_HEADER = 56;
  private static final int MAX_PROGRAM_HEADERS = 1_024;
  private static final int PT_NOTE = 4;
  private static final int MAX_NOTES = 1 << 16;
  private static final int NT_GNU_BUILD_ID = 3;
  private static final int GNU = 0x00554e47; // "GNU\0"

  private HtlHash() {}

  /** The hash in hexadecimal; empty if the file is not here, or is another one. */
  static Optional<String> of(SampledModule module) {
    if (module.buildId().isEmpty() || !module.path().startsWith("/")) {
      return Optional.empty();
    }
    try {
      Path file = Path.of(module.path());
      // Not what reading could block on or change: pipes, devices, /proc.
      if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !Files.isSymbolicLink(file)) {
        return Optional.empty();
      }
      Path real = file.toRealPath();
      if (real.startsWith("/proc") || real.startsWith("/sys") || !Files.isRegularFile(real)) {
        return Optional.empty();
      }
      try (SeekableByteChannel channel = Files.newByteChannel(real)) {
        return hasBuildId(channel, module.buildId())
            ? Optional.of(hash(channel))
            : Optional.empty();
      }
    } catch (IOException | InvalidPathException e) {
      return Optional.empty(); // the build id of the recording remains
    }
  }

  /** The hash of a file, in hexadecimal. */
  static String hash(SeekableByteChannel file) throws IOException {
    long size = file.size();
    int part = (int) Math.min(PAGE, size);
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(read(file, 0, part));
      digest.update(read(file, size - part, part));
      digest.update(ByteBuffer.allocate(Long.BYTES).putLong(size).flip());
      return HexFormat.of().formatHex(digest.digest(), 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  private static ByteBuffer read(SeekableByteChannel file, long position, int length)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    file.position(position);
    while (bytes.hasRemaining() && file.read(bytes) >= 0) {
      continue;
    }
    if (bytes.hasRemaining()) {
      throw new IOException("the file is too short");
    }
    return bytes.flip();
  }

  private static boolean hasBuildId(SeekableByteChannel file, String buildId) throws IOException {
    ByteBuffer header = read(file, 0, ELF_HEADER);
    if (header.getInt(0) != MAGIC || header.get(4) != CLASS_64 || header.get(5) != LITTLE_ENDIAN) {
      return false;
    }
    long table = header.getLong(32);
    int count = Math.min(MAX_PROGRAM_HEADERS, Short.toUnsignedInt(header.getShort(56)));
    if (table < 0 || Short.toUnsignedInt(header.getShort(54)) != PROGRAM_HEADER) {
      return false;
    }
    ByteBuffer segments = read(file, table, count * PROGRAM_HEADER);
    for (int at = 0; at < count * PROGRAM_HEADER; at += PROGRAM_HEADER) {
      long offset = segments.getLong(at + 8);
      long size = segments.getLong(at + 32);
      if (segments.getInt(at) == PT_NOTE && offset >= 0 && size >= 0 && size <= MAX_NOTES) {
        int alignment = segments.getLong(at + 48) == 8 ? 8 : 4;
        if (buildId.equalsIgnoreCase(buildId(read(file, offset, (int) size), alignment))) {
          return true;
        }
      }
    }
    return false;
  }

  /** The build id among notes; empty if there is none. */
  private static String buildId(ByteBuffer notes, int alignment) {
    while (notes.remaining() >= 12) {
      int begin = notes.position();
      long nameSize = Integer.toUnsignedLong(notes.getInt());
      long size = Integer.toUnsignedLong(notes.getInt());
      int type = notes.getInt();
      long data = aligned(begin + 12 + nameSize, alignment);
      long next = aligned(data + size, alignment);
      if (data + size > notes.limit()) {
        return "";
      }
      if (type == NT_GNU_BUILD_ID && nameSize == 4 && notes.getInt(begin + 12) == GNU) {
        byte[] id = new byte[(int) size];
        notes.get((int) data, id);
        return HexFormat.of().formatHex(id);
      }
      notes.position((int) Math.min(next, notes.limit()));
    }
    return "";
  }

  private static long aligned(long position, int alignment) {
    return (position + alignment - 1) / alignment * alignment;
  }
}
