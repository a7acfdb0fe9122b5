package stackweave.lab.phases;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import stackweave.samples.work.Round;

/**
 * Files written, read, listed and deleted, pipes, and the JDK's own native code for compression.
 */
final class InputOutput implements Round {
  private final byte[] bytes = new byte[50_000];
  private final byte[] packed = new byte[60_000];

  InputOutput() {
    Random random = new Random(3);
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) random.nextInt(8);
    }
  }

  @Override
  public long run() {
    try {
      Path file = Files.createTempFile("phase", ".bytes");
      try {
        return stored(file) + atRandom(file) + piped() + compressed();
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (DataFormatException e) {
      throw new IllegalStateException(e);
    }
  }

  private long stored(Path file) throws IOException {
    Files.write(file, bytes);
    long names = 0;
    try (var entries = Files.newDirectoryStream(Path.of("/proc/self/ns"))) {
      for (Path entry : entries) {
        names += entry.getFileName().toString().length();
      }
    }
    return names + Files.readAllBytes(file).length + Files.size(file);
  }

  private static long atRandom(Path file) throws IOException {
    long sum = 0;
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "r")) {
      for (int i = 0; i < 50; i++) {
        access.seek(i * 900L);
        sum += access.readInt();
      }
    }
    return sum;
  }

  private long piped() throws IOException {
    Pipe pipe = Pipe.open();
    try (var sink = pipe.sink();
        var source = pipe.source()) {
      ByteBuffer buffer = ByteBuffer.allocateDirect(4_096);
      sink.write(ByteBuffer.wrap(bytes, 0, 4_096));
      return source.read(buffer);
    }
  }

  private long compressed() throws DataFormatException {
    Deflater deflater = new Deflater();
    Inflater inflater = new Inflater();
    try {
      deflater.setInput(bytes);
      deflater.finish();
      int length = deflater.deflate(packed);
      inflater.setInput(packed, 0, length);
      return inflater.inflate(new byte[bytes.length]) + length;
    } finally {
      deflater.end();
      inflater.end();
    }
  }
}
