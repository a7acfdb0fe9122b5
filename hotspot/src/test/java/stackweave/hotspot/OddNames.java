package stackweave.hotspot;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * A class that {@link OddNamesTest} defines under other names, which no file system need permit.
 */
final class OddNames {
  private OddNames() {}

  static void method(int[] tid, CountDownLatch stop) throws Exception {
    Path self = Path.of("/proc/thread-self").toRealPath();
    tid[0] = Integer.parseInt(self.getFileName().toString());
    stop.await();
  }
}
