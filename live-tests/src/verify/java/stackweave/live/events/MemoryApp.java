package stackweave.live.events;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import stackweave.lab.AgentStatus;

/**
 * Leaks known amounts of native memory in a JNI library and as direct buffers, and has a function
 * beside them that gives all back at once: {@code MemoryApp LIBRARY}.
 */
final class MemoryApp {
  // Fewer page faults in all than a ring has room for.
  static final int ROUNDS = 30;
  static final int LEAK_KIB = 128;
  static final int CHURN_KIB = 64;
  static final int DIRECT_KIB = 64;
  static final int NOISY_KIB = 64;
  static final int MAPPED_KIB = 256;

  private static final long PAUSE_MILLIS = 30;
  private static final List<ByteBuffer> KEPT = new ArrayList<>();
  private static final List<ByteBuffer> MAPPED = new ArrayList<>();

  private MemoryApp() {}

  static native void leak(long kib);

  static native void churn(long kib);

  static native void leakAmongOthers(long kib);

  public static void main(String[] args) throws Exception {
    System.load(args[0]);
    AgentStatus.await(
        () -> {
          churn(CHURN_KIB);
          return AgentStatus.hasMemory() && AgentStatus.hasAllocations();
        });
    for (int i = 0; i < ROUNDS; i++) {
      leak(LEAK_KIB);
      churn(CHURN_KIB);
      keepBuffer();
      mapFile();
      leakAmongOthers(NOISY_KIB);
      Thread.sleep(PAUSE_MILLIS);
    }
    leakAmongOthers(0); // gives back the last of the others
    AgentStatus.awaitRest("native memory:");
    System.out.println(KEPT.size());
  }

  private static void keepBuffer() {
    KEPT.add(ByteBuffer.allocateDirect(DIRECT_KIB << 10));
  }

  /** No native memory, though it is mapped and touched as anonymous memory is. */
  private static void mapFile() throws IOException {
    Path file = Files.createTempFile("mapped", null);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, MAPPED_KIB << 10);
      touch(mapped);
      MAPPED.add(mapped);
    } finally {
      Files.delete(file);
    }
  }

  private static void touch(MappedByteBuffer mapped) {
    for (int at = 0; at < mapped.capacity(); at += 4096) {
      mapped.put(at, (byte) 1);
    }
  }
}
