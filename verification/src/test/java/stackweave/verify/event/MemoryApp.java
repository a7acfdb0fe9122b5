package stackweave.verify.event;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

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

  private static final long PAUSE_MILLIS = 30;
  private static final List<ByteBuffer> KEPT = new ArrayList<>();

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
}
