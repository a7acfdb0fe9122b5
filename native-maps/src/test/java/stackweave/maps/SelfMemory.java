package stackweave.maps;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** The own memory through /proc/self/mem, which fails where nothing is mapped. */
public final class SelfMemory implements MemoryReader, AutoCloseable {
  private final FileChannel channel;

  public SelfMemory() throws IOException {
    channel = FileChannel.open(Path.of("/proc/self/mem"), StandardOpenOption.READ);
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    byte[] bytes = new byte[8];
    read(address, bytes, 0, 8);
    return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong();
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    ByteBuffer buffer = ByteBuffer.wrap(target, offset, length);
    try {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, address + buffer.position() - offset) <= 0) {
          throw UnreadableMemoryException.UNREADABLE;
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      throw UnreadableMemoryException.UNREADABLE;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
