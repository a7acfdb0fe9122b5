package stackweave.hotspot;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import stackweave.unwind.snapshot.StackSnapshot;

/** A thread of this JVM that waits in {@code CountDownLatch.await} until it is told to end. */
final class WaitingThread {
  private final CountDownLatch stop = new CountDownLatch(1);
  private final int[] tid = new int[1];
  private final Thread thread = new Thread(this::await);

  WaitingThread() {
    thread.start();
  }

  private void await() {
    try {
      Path self = Path.of("/proc/thread-self").toRealPath();
      tid[0] = Integer.parseInt(self.getFileName().toString());
      stop.await();
    } catch (InterruptedException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Its stack, once it waits. */
  StackSnapshot snapshot(ProcessMemory memory) throws Exception {
    while (true) {
      try {
        Thread.sleep(1);
        if (thread.getState() == Thread.State.WAITING) {
          return ParkedThread.snapshot(tid[0], memory);
        }
      } catch (IllegalStateException e) {
        // On its way into the system call.
      }
    }
  }

  void end() throws InterruptedException {
    stop.countDown();
    thread.join();
  }
}
