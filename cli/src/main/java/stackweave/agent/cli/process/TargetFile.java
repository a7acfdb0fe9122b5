package stackweave.agent.cli.process;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import stackweave.linux.Descriptor;
import stackweave.linux.FileFacts;

/**
 * An open file that the target wrote. It stays readable after its name or the process is gone. Used
 * to read recordings; the target controls its content. Not thread-safe.
 */
public final class TargetFile implements AutoCloseable {
  private static final int BUFFER = 1 << 18;

  /** Time limit of {@link #copy}: this long, plus {@link #SLOWEST_NANOS_PER_BYTE} for each byte. */
  private static final long SLOW_NANOS = 60_000_000_000L;

  private static final long SLOWEST_NANOS_PER_BYTE = 1_000;

  private final TargetProcess target;
  private final String seen;
  private final Descriptor file;

  private TargetFile(TargetProcess target, String seen, Descriptor file) {
    this.target = target;
    this.seen = seen;
    this.file = file;
  }

  /**
   * Opens a file of the target; call inside {@link TargetProcess#act}.
   *
   * @param seen its path as the target sees it
   * @throws FileSystemException if it is not a regular file of the target's user without a second
   *     link: a symbolic link, a FIFO, a device, another user's file mounted there
   */
  static TargetFile open(TargetProcess target, Descriptor directory, String name, String seen)
      throws IOException {
    try (Descriptor found = directory.look(name)) {
      mustBeItsOwn(target, seen, found);
      return new TargetFile(target, seen, found.readable());
    }
  }

  private static void mustBeItsOwn(TargetProcess target, String seen, Descriptor file)
      throws IOException {
    FileFacts facts = file.facts();
    String problem =
        !facts.isRegular()
            ? "is no regular file"
            : facts.uid() != target.uid()
                ? "belongs to another user"
                : facts.links() > 1 ? "has a second name" : null;
    if (problem != null) {
      throw new FileSystemException(seen, null, "the file " + seen + " " + problem);
    }
  }

  /** Its absolute path as the target sees it. */
  public String seen() {
    return seen;
  }

  /** Its present size in bytes. */
  public long size() throws IOException {
    return target.act(file::facts).size();
  }

  /** Reads up to {@code length} bytes; fewer at its end. */
  public byte[] read(long offset, int length) throws IOException {
    // Opened and closed here: closing a channel waits for a thread that reads it, perhaps for ever.
    return target.act(
        () -> {
          ByteBuffer bytes = ByteBuffer.allocate(length);
          try (FileChannel channel = FileChannel.open(file.path())) {
            while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) > 0) {
              // Reads until all is there, or the file ends.
            }
          }
          return Arrays.copyOf(bytes.array(), bytes.position());
        });
  }

  /**
   * Copies the bytes from {@code from} to {@code to}.
   *
   * @throws IOException also if other users can now access it, if it became shorter, or if reading
   *     is slower than 1 MiB/s
   */
  public void copy(long from, long to, OutputStream out) throws IOException {
    target.act(
        () -> {
          mustBeItsOwn(target, seen, file);
          return null;
        });
    long nanos = 0;
    for (long at = from; at < to; ) {
      long start = System.nanoTime();
      byte[] bytes = read(at, (int) Math.min(BUFFER, to - at));
      nanos += System.nanoTime() - start;
      if (nanos - SLOW_NANOS > (at - from) * SLOWEST_NANOS_PER_BYTE) {
        throw new IOException("reading is slower than a MiB a second");
      }
      if (bytes.length == 0) {
        throw new IOException("the recording became shorter while it was read");
      }
      out.write(bytes);
      at += bytes.length;
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
