package stackweave.packaging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The directory of a jar in the form in which the agent's class loader searches it at start:
 * sorted, and nothing to be decoded. Its reader, {@code stackweave.agent.boot.InnerJar}, describes
 * the format.
 */
public final class InnerIndex {

  /** APPNOTE.TXT 4.3.16, the end of central directory record; we write no comment behind it. */
  private static final int END = 22;

  private static final int END_SIGNATURE = 0x06054b50;
  private static final int END_ENTRIES = 10;
  private static final int END_DIRECTORY_POSITION = 16;

  /** APPNOTE.TXT 4.3.12, one file header of the central directory. */
  private static final int FILE = 46;

  private static final int FILE_SIGNATURE = 0x02014b50;
  private static final int FILE_METHOD = 10;
  private static final int FILE_COMPRESSED_SIZE = 20;
  private static final int FILE_SIZE = 24;
  private static final int FILE_NAME_LENGTH = 28;
  private static final int FILE_EXTRA_LENGTH = 30;
  private static final int FILE_COMMENT_LENGTH = 32;
  private static final int FILE_HEADER_POSITION = 42;

  private static final int DEFLATED = 8;

  private record Entry(int hash, int headerPosition, int compressedSize, int size) {}

  private InnerIndex() {}

  /**
   * The index of a jar.
   *
   * @param jar all of its bytes; every entry deflated, no comment at its end
   */
  public static byte[] of(byte[] jar) throws IOException {
    List<Entry> entries = entries(ByteBuffer.wrap(jar).order(ByteOrder.LITTLE_ENDIAN));
    entries.sort(Comparator.comparingInt(Entry::hash));
    ByteBuffer index = ByteBuffer.allocate(entries.size() * 4 * Integer.BYTES);
    for (Entry entry : entries) {
      index.putInt(entry.hash);
      index.putInt(entry.headerPosition);
      index.putInt(entry.compressedSize);
      index.putInt(entry.size);
    }
    return index.array();
  }

  private static List<Entry> entries(ByteBuffer jar) throws IOException {
    int end = jar.capacity() - END;
    require(jar.getInt(end) == END_SIGNATURE, "the jar has no end record at its end");
    int count = Short.toUnsignedInt(jar.getShort(end + END_ENTRIES));
    int at = jar.getInt(end + END_DIRECTORY_POSITION);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      require(jar.getInt(at) == FILE_SIGNATURE, "the jar's directory ends early");
      int nameLength = Short.toUnsignedInt(jar.getShort(at + FILE_NAME_LENGTH));
      byte[] name = new byte[nameLength];
      jar.get(at + FILE, name);
      String text = new String(name, StandardCharsets.UTF_8);
      require(jar.getShort(at + FILE_METHOD) == DEFLATED, text + " is not deflated");
      entries.add(
          new Entry(
              text.hashCode(),
              jar.getInt(at + FILE_HEADER_POSITION),
              jar.getInt(at + FILE_COMPRESSED_SIZE),
              jar.getInt(at + FILE_SIZE)));
      at +=
          FILE
              + nameLength
              + Short.toUnsignedInt(jar.getShort(at + FILE_EXTRA_LENGTH))
              + Short.toUnsignedInt(jar.getShort(at + FILE_COMMENT_LENGTH));
    }
    return entries;
  }

  private static void require(boolean holds, String otherwise) throws IOException {
    if (!holds) {
      throw new IOException(otherwise);
    }
  }
}
