package stackweave.hotspot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/** This process's memory through /proc/self/mem: an unmapped address gives a short read. */
public final class ProcessMemory implements MemoryReader {
  private final FileChannel mem;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 20);
  private long reads;

  ProcessMemory() throws IOException {
    mem = FileChannel.open(Path.of("/proc/self/mem"), StandardOpenOption.READ);
    buffer.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** How many reads were made so far. */
  long reads() {
    return reads;
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    fill(address, 8);
    return buffer.getLong(0);
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    for (int done = 0; done < length; ) {
      int n = Math.min(length - done, buffer.capacity());
      fill(address + done, n);
      buffer.get(0, target, offset + done, n);
      done += n;
    }
  }

  private void fill(long address, int length) throws UnreadableMemoryException {
    reads++;
    buffer.clear().limit(length);
    try {
      if (address <= 0 || length > 0 && mem.read(buffer, address) < length) {
        throw UnreadableMemoryException.UNREADABLE;
      }
    } catch (IOException e) {
      throw UnreadableMemoryException.UNREADABLE;
    }
  }
}
