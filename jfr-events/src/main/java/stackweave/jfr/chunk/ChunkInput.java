package stackweave.jfr.chunk;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import stackweave.unwind.text.ModifiedUtf8;

/**
 * Bytes of a recording, read through a window. Nothing is read behind {@link #end}, which is set to
 * the end of the event or chunk at hand, so that a damaged length causes an {@link IOException}
 * before it is used. Not thread-safe.
 */
public final class ChunkInput {
  /** More than JFR's longest string: it leaves out events that do not fit into its buffers. */
  private static final int MAX_TEXT = 16 << 20;

  /** Null if all bytes are in the window. */
  private final RandomAccessFile file;

  private final byte[] window;

  /** The position in the file of the window's first byte. */
  private long base;

  /** Bytes in the window. */
  private int filled;

  /** The next byte's place in the window. */
  private int next;

  /** End of what may be read in the window: the lesser of {@link #filled} and {@link #end}. */
  private int limit;

  private long end;

  /** The end of all that may ever be read. */
  private final long fileEnd;

  /** What is at {@code position} and later; {@link #end} is the file's. */
  ChunkInput(RandomAccessFile file, int windowBytes, long position, long fileEnd) {
    this.file = file;
    this.window = new byte[windowBytes];
    this.fileEnd = fileEnd;
    this.end = fileEnd;
    this.base = position;
  }

  /** All of {@code bytes}. */
  public ChunkInput(byte[] bytes) {
    this.file = null;
    this.window = bytes;
    this.filled = bytes.length;
    this.limit = bytes.length;
    this.end = bytes.length;
    this.fileEnd = bytes.length;
  }

  /** Where the next byte is. */
  long position() {
    return base + next;
  }

  /** Moves to {@code position}, and allows reading up to {@code end}. */
  void range(long position, long end) throws IOException {
    if (position < 0 || position > end || end > fileEnd) {
      throw new IOException("the bytes " + position + " to " + end + " are not in the chunk");
    }
    if (position >= base && position <= base + filled) {
      next = (int) (position - base);
    } else {
      base = position;
      next = 0;
      filled = 0;
    }
    this.end = end;
    limit = (int) Math.min(filled, end - base);
  }

  /** Bytes up to the end. */
  long left() {
    return end - position();
  }

  byte readByte() throws IOException {
    if (next == limit) {
      refill();
    }
    return window[next++];
  }

  /** A compressed number: seven bits a byte, the low ones first; a ninth byte is whole. */
  public long readLong() throws IOException {
    long value = 0;
    for (int shift = 0; shift < 56; shift += 7) {
      byte b = readByte();
      value |= (b & 0x7fL) << shift;
      if (b >= 0) {
        return value;
      }
    }
    return value | (long) readByte() << 56;
  }

  /** Reads a count of things that follow, each of at least one byte. */
  public int readCount() throws IOException {
    long count = readLong();
    if (count < 0 || count > left() || count > Integer.MAX_VALUE) {
      throw new IOException(
          "at " + position() + " there can't be " + count + " elements in " + left() + " bytes");
    }
    return (int) count;
  }

  void skip(long bytes) throws IOException {
    if (bytes < 0 || bytes > left()) {
      throw new IOException("at " + position() + " there are only " + left() + " bytes");
    }
    range(position() + bytes, end);
  }

  /** A string that is in no pool; "" for none. */
  public String readText() throws IOException {
    return readText(null);
  }

  /**
   * A string; "" for none.
   *
   * @param pool has the strings that are given by key; null where none may be
   */
  String readText(StringPool pool) throws IOException {
    byte encoding = readByte();
    if (encoding == 2 && pool != null) {
      return pool.text(readLong());
    }
    return switch (encoding) {
      case 0, 1 -> "";
      case 3 -> utf8();
      case 4 -> characters();
      case 5 -> new String(readBytes(readLength()), StandardCharsets.ISO_8859_1);
      default -> throw new IOException("at " + position() + " a string of encoding " + encoding);
    };
  }

  void skipText() throws IOException {
    byte encoding = readByte();
    switch (encoding) {
      case 0, 1 -> {}
      case 2 -> readLong();
      case 3, 5 -> skip(readCount());
      case 4 -> {
        for (int left = readCount(); left > 0; left--) {
          readLong();
        }
      }
      default -> throw new IOException("at " + position() + " a string of encoding " + encoding);
    }
  }

  /** UTF-8; the VM writes its names in the modified form. */
  private String utf8() throws IOException {
    byte[] bytes = readBytes(readLength());
    String text = ModifiedUtf8.text(bytes, 0, bytes.length);
    return text != null ? text : new String(bytes, StandardCharsets.UTF_8);
  }

  private String characters() throws IOException {
    char[] characters = new char[readLength()];
    for (int i = 0; i < characters.length; i++) {
      characters[i] = (char) readLong();
    }
    return new String(characters);
  }

  private int readLength() throws IOException {
    int length = readCount();
    if (length > MAX_TEXT) {
      throw new IOException("at " + position() + " a string of " + length + " bytes");
    }
    return length;
  }

  /** Reads {@code length} bytes, of which the caller knows that they are not too many. */
  byte[] readBytes(int length) throws IOException {
    if (length > left()) {
      throw new IOException("at " + position() + " there are only " + left() + " bytes");
    }
    byte[] bytes = new byte[length];
    int done = 0;
    while (done < length) {
      if (next == limit) {
        refill();
      }
      int count = Math.min(length - done, limit - next);
      System.arraycopy(window, next, bytes, done, count);
      next += count;
      done += count;
    }
    return bytes;
  }

  /** Moves the window to the next byte. */
  private void refill() throws IOException {
    long position = position();
    if (position >= end || file == null) {
      throw new IOException("at " + position + " something ends behind what it is part of");
    }
    base = position;
    next = 0;
    filled = 0;
    limit = 0;
    file.seek(position);
    int count = file.read(window, 0, (int) Math.min(window.length, fileEnd - position));
    if (count <= 0) {
      throw new IOException("ended while it was read");
    }
    filled = count;
    limit = (int) Math.min(filled, end - base);
  }
}
