package stackweave.agent.boot;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * Reads single entries of {@code inner.jar}, which is stored uncompressed in the agent jar, without
 * unpacking it. Used by {@link InnerClassLoader}. Thread-safe.
 *
 * <p>The central directory of inner.jar is not read: with 700 entries that would cost each start 7
 * ms of CPU. {@code inner.index}, written by the build, has four big-endian ints for each entry,
 * sorted by the first: {@link String#hashCode} of the name, position of the local header in
 * inner.jar, compressed size, full size.
 */
final class InnerJar {

  private static final String JAR = "inner.jar";
  private static final String INDEX = "inner.index";

  private static final int RECORD = 16;
  private static final int POSITION = 4;
  private static final int COMPRESSED_SIZE = 8;
  private static final int SIZE = 12;

  /** Bytes of the local file header without name and extra field; PKWARE APPNOTE.TXT 4.3.7. */
  private static final int HEADER = 30;

  private static final int HEADER_SIGNATURE = 0x04034b50;
  private static final int HEADER_NAME_LENGTH = 26;

  private final ZipFile outer;
  private final ZipEntry jar;
  private final ZipEntry indexEntry;

  /** Read again if the collector took its 60 KB: few classes are loaded while the agent waits. */
  private volatile SoftReference<ByteBuffer> latestIndex = new SoftReference<>(null);

  /** Null before it is first used. Guarded by {@code this}. */
  private Inflater inflater;

  private InnerJar(ZipFile outer, ZipEntry jar, ZipEntry indexEntry) {
    this.outer = outer;
    this.jar = jar;
    this.indexEntry = indexEntry;
  }

  /**
   * Opens the agent jar, which stays open as long as the JVM lives.
   *
   * @throws ZipException if it has no inner jar
   */
  static InnerJar open(File agentJar) throws IOException {
    // The class path has this file open already, and the JDK shares the parsed directory between
    // ZipFiles.
    ZipFile outer = new ZipFile(agentJar);
    boolean opened = false;
    try {
      ZipEntry jar = outer.getEntry(JAR);
      ZipEntry index = outer.getEntry(INDEX);
      if (jar == null || index == null || jar.getMethod() != ZipEntry.STORED) {
        throw new ZipException(agentJar + " lacks its inner part");
      }
      InnerJar inner = new InnerJar(outer, jar, index);
      inner.index();
      opened = true;
      return inner;
    } finally {
      if (!opened) {
        outer.close();
      }
    }
  }

  private ByteBuffer index() throws IOException {
    ByteBuffer index = latestIndex.get();
    if (index == null) {
      try (InputStream in = outer.getInputStream(indexEntry)) {
        index = ByteBuffer.wrap(in.readAllBytes());
      }
      latestIndex = new SoftReference<>(index);
    }
    return index;
  }

  /** The content of this entry, or null if there is none of this name. */
  byte[] read(String name) throws IOException {
    ByteBuffer index = index();
    int hash = name.hashCode();
    int records = index.capacity() / RECORD;
    int low = 0;
    int high = records;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (index.getInt(middle * RECORD) < hash) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (int i = low; i < records && index.getInt(i * RECORD) == hash; i++) {
      byte[] content = readIfNamed(name, index, i * RECORD);
      if (content != null) {
        return content;
      }
    }
    return null;
  }

  /**
   * Null if the record is of another name with the same hash code. In one read, which is enough for
   * an entry of this name, as the build writes no extra fields: hundreds of classes are loaded when
   * sampling starts.
   */
  private byte[] readIfNamed(String name, ByteBuffer index, int record) throws IOException {
    int compressedSize = index.getInt(record + COMPRESSED_SIZE);
    try (InputStream in = outer.getInputStream(jar)) {
      in.skipNBytes(index.getInt(record + POSITION));
      // Not by InputStream.readNBytes(int), which copies what it reads.
      byte[] entry = new byte[HEADER + name.length() + compressedSize];
      int read = in.readNBytes(entry, 0, entry.length);
      ByteBuffer header = ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN);
      if (read < entry.length || header.getInt(0) != HEADER_SIGNATURE) {
        throw new ZipException(outer.getName() + " is damaged: no entry where its index says");
      }
      String itsName = new String(entry, HEADER, name.length(), StandardCharsets.UTF_8);
      return header.getShort(HEADER_NAME_LENGTH) == name.length() && name.equals(itsName)
          ? inflate(entry, HEADER + name.length(), compressedSize, index.getInt(record + SIZE))
          : null;
    }
  }

  /** Synchronized, because all calls share one inflater, which takes 40 KB. */
  private synchronized byte[] inflate(byte[] entry, int from, int compressedSize, int size)
      throws IOException {
    if (inflater == null) {
      inflater = new Inflater(true);
    } else {
      inflater.reset();
    }
    byte[] content = new byte[size];
    inflater.setInput(entry, from, compressedSize);
    try {
      if (inflater.inflate(content) != size) {
        throw new ZipException("an entry of the inner jar is shorter than its index says");
      }
      return content;
    } catch (DataFormatException e) {
      throw new ZipException("an entry of the inner jar is damaged: " + e.getMessage());
    }
  }
}
