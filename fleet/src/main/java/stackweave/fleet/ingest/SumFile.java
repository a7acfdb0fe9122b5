package stackweave.fleet.ingest;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Sums on disk, since a long recording has more of them than the memory of an executor holds. They
 * are written first and read once then, in the same order. The file has no name, so that nothing is
 * left of it when its process ends. Not thread-safe.
 */
final class SumFile implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final FileChannel channel;
  private final DataOutputStream out;
  private DataInputStream in;
  private long left;

  /** What was read last: the number of its key, and the minute since 1970. */
  int key;

  int minute;
  long count;
  long weight;
  double squares;

  SumFile() throws IOException {
    Path file = LocalCopy.temporaryFile(".sums");
    channel =
        FileChannel.open(
            file,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
    out =
        new DataOutputStream(
            new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES));
  }

  void write(int ofKey, int ofMinute, long ofCount, long ofWeight, double ofSquares)
      throws IOException {
    out.writeInt(ofKey);
    out.writeInt(ofMinute);
    out.writeLong(ofCount);
    out.writeLong(ofWeight);
    out.writeDouble(ofSquares);
    left++;
  }

  /** All sums are written, and are read from the first one on. */
  void rewind() throws IOException {
    out.flush();
    channel.position(0);
    in =
        new DataInputStream(
            new BufferedInputStream(Channels.newInputStream(channel), BUFFER_BYTES));
  }

  boolean hasNext() {
    return left > 0;
  }

  /** Reads the next sum. */
  void read() throws IOException {
    left--;
    key = in.readInt();
    minute = in.readInt();
    count = in.readLong();
    weight = in.readLong();
    squares = in.readDouble();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
