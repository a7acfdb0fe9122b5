package stackweave.live.threads;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import stackweave.lab.Sampling;
import stackweave.live.stacks.SpinApp;

/**
 * A thread that uses 2 s of CPU time, in an event from its first to its last instruction. That is
 * longer than samples are held back: on JDK 17 those of a thread that has ended do not name it.
 */
final class NamespacesApp {
  private static final long NANOS = 2_000_000_000L;

  private NamespacesApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    Thread spinning = new Thread(NamespacesApp::spin, "spinning");
    SpinApp.SpinEvent event = new SpinApp.SpinEvent();
    event.begin();
    spinning.start();
    spinning.join();
    event.end();
    event.commit();
  }

  private static void spin() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    double x = 1;
    while (threads.getCurrentThreadCpuTime() < NANOS) {
      for (int i = 0; i < 10_000; i++) {
        x = Math.sqrt(x + i);
      }
    }
    if (x < 0) {
      throw new IllegalStateException();
    }
  }
}
