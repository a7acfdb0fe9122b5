package stackweave.jfr.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The chunks of a recording, from their headers alone: which can be read, and what is left over at
 * the end of a recording that was cut short.
 *
 * <p>Header (JDK: {@code jdk.jfr.internal.consumer.ChunkHeader}), big-endian: magic at 0, version
 * at 4, size at 8, position of the last checkpoint at 16, of the metadata at 24, state at 64. A
 * chunk that a crash left open says in its header what was flushed last: up to there it can be
 * read, once its state says that it is finished.
 */
final class ChunkList {
  private static final int HEADER_BYTES = 68;
  private static final int MAGIC = 0x464C5200;
  private static final int STATE_POSITION = 64;

  /**
   * A readable chunk.
   *
   * @param isFinished whether the JVM finished it
   */
  record Chunk(long position, long size, boolean isFinished) {}

  private final Path file;
  private final List<Chunk> chunks = new ArrayList<>();
  private final List<String> losses = new ArrayList<>();

  private ChunkList(Path file) {
    this.file = file;
  }

  /**
   * Finds the chunks of {@code file}.
   *
   * @throws RecordingException if it is missing, unreadable, or no recording
   */
  static ChunkList scan(Path file) throws RecordingException {
    ChunkList list = new ChunkList(file);
    if (Files.isDirectory(file)) {
      throw new RecordingException(file + ": is a directory, not a JFR recording");
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      list.scan(channel);
    } catch (NoSuchFileException e) {
      throw new RecordingException(file + ": no such file", e);
    } catch (IOException e) {
      throw new RecordingException(file + ": can't be read: " + oneLine(e), e);
    }
    return list;
  }

  /** What an exception says, on one line. */
  static String oneLine(Throwable e) {
    String message = e.getMessage();
    return message == null || message.isBlank()
        ? e.getClass().getSimpleName()
        : message.strip().replaceAll("\\s+", " ");
  }

  private void scan(FileChannel channel) throws IOException, RecordingException {
    long fileSize = channel.size();
    if (fileSize == 0) {
      throw new RecordingException(file + ": is empty: the recording was never written");
    }
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
    long position = 0;
    while (position < fileSize) {
      long left = fileSize - position;
      header.clear();
      while (header.hasRemaining() && channel.read(header, position + header.position()) > 0) {
        // Until the header is whole or the file ends.
      }
      boolean hasMagic = header.position() >= 4 && header.getInt(0) == MAGIC;
      if (position == 0 && !hasMagic) {
        throw new RecordingException(file + ": not a JFR recording (it does not begin with FLR)");
      }
      if (position == 0 && left < HEADER_BYTES) {
        throw new RecordingException(
            file + ": cut short within its header (" + left + " bytes): nothing can be read");
      }
      if (!hasMagic || left < HEADER_BYTES) {
        losses.add(left + " bytes after the last chunk are not JFR's and were not read");
        return;
      }
      long size = header.getLong(8);
      if (!canBeRead(header, left)) {
        losses.add(
            "the recording was cut short: its last chunk ("
                + left
                + " of "
                + (size > left ? size : "an unknown number of")
                + " bytes) can't be read");
        return;
      }
      boolean finished = header.get(STATE_POSITION) == 0;
      chunks.add(new Chunk(position, size, finished));
      position += size;
      if (!finished) {
        losses.add("the recording was cut short: what followed its last flush is lost");
        return;
      }
    }
  }

  private static boolean canBeRead(ByteBuffer header, long left) {
    long size = header.getLong(8);
    long checkpoint = header.getLong(16);
    long metadata = header.getLong(24);
    return size >= HEADER_BYTES
        && size <= left
        && checkpoint >= HEADER_BYTES
        && checkpoint < size
        && metadata >= HEADER_BYTES
        && metadata < size;
  }

  List<Chunk> chunks() {
    return chunks;
  }

  /** What can't be read, one line each. */
  List<String> losses() {
    return losses;
  }

  /** Whether the file is nothing but finished chunks. */
  boolean isWhole() {
    return losses.isEmpty();
  }

  /** Copies a chunk into a file of its own, which only its owner may read. */
  Path extract(Chunk chunk) throws IOException {
    Path copy = Files.createTempFile("stackweave-chunk", ".jfr");
    try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ);
        FileChannel to = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      long done = 0;
      while (done < chunk.size()) {
        long count = from.transferTo(chunk.position() + done, chunk.size() - done, to);
        if (count <= 0) {
          throw new IOException("ended while it was read");
        }
        done += count;
      }
      if (!chunk.isFinished()) {
        to.write(ByteBuffer.allocate(1), STATE_POSITION);
      }
      return copy;
    } catch (IOException e) {
      Files.deleteIfExists(copy);
      throw e;
    }
  }
}
