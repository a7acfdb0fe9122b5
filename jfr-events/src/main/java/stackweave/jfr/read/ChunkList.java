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
import stackweave.jfr.chunk.ChunkHeader;

/**
 * The chunks of a recording, from their headers alone: which can be read, and which bytes are left
 * at the end of a recording that was cut short. A chunk that a crash left open is read up to its
 * last flush, which its header names.
 *
 * @hidden no part of the API
 */
public final class ChunkList {
  private final Path file;
  private final List<ChunkHeader> chunks = new ArrayList<>();
  private final List<String> losses = new ArrayList<>();

  private ChunkList(Path file) {
    this.file = file;
  }

  /**
   * Finds the chunks of {@code file}.
   *
   * @throws RecordingException if it is missing, unreadable, no regular file, or no recording
   */
  public static ChunkList scan(Path file) throws RecordingException {
    ChunkList list = new ChunkList(file);
    if (Files.isDirectory(file)) {
      throw new RecordingException(file + ": is a directory, not a JFR recording");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new RecordingException(
          file
              + ": is a pipe or device, and a recording is read from a file alone: write it to a file"
              + " first, and read that");
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

  /** An exception's message in one line. */
  public static String oneLine(Throwable e) {
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
    ByteBuffer header = ByteBuffer.allocate(ChunkHeader.BYTES);
    long position = 0;
    while (position < fileSize) {
      long left = fileSize - position;
      header.clear();
      while (header.hasRemaining() && channel.read(header, position + header.position()) > 0) {
        // Until the header is whole or the file ends.
      }
      boolean hasMagic = ChunkHeader.hasMagic(header);
      if (position == 0 && !hasMagic) {
        throw new RecordingException(file + ": not a JFR recording (it does not begin with FLR)");
      }
      if (position == 0 && left < ChunkHeader.BYTES) {
        throw new RecordingException(
            file + ": cut short within its header (" + left + " bytes): nothing can be read");
      }
      if (!hasMagic || left < ChunkHeader.BYTES) {
        losses.add(left + " bytes after the last chunk are not JFR's and were not read");
        return;
      }
      ChunkHeader chunk = ChunkHeader.of(header, position);
      long size = chunk.size();
      if (!chunk.fitsInto(left)) {
        losses.add(
            "the recording was cut short: its last chunk ("
                + left
                + " of "
                + (size > left ? size : "an unknown number of")
                + " bytes) can't be read");
        return;
      }
      chunks.add(chunk);
      position += size;
      if (!chunk.isFinished()) {
        losses.add("the recording was cut short: what followed its last flush is lost");
        return;
      }
    }
  }

  /** The readable chunks, in their order. */
  public List<ChunkHeader> chunks() {
    return chunks;
  }

  /** What can't be read, one line each. */
  public List<String> losses() {
    return losses;
  }

  /** Whether the file is nothing but finished chunks. */
  boolean isWhole() {
    return losses.isEmpty();
  }

  /** The first position behind all chunks. */
  long end() {
    return chunks.get(chunks.size() - 1).end();
  }
}
