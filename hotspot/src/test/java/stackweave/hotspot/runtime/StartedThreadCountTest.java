package stackweave.hotspot.runtime;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Test;
import stackweave.hotspot.Vm;

class StartedThreadCountTest {

  @Test
  void countsWhatTheJdkCounts() throws Exception {
    StartedThreadCount started = new Vm().hotspot.startedThreads();
    ThreadMXBean bean = ManagementFactory.getThreadMXBean();
    long begin = started.count();
    for (int i = 0; i < 5; i++) {
      Thread thread = new Thread(() -> {});
      thread.start();
      thread.join();
    }
    long before = bean.getTotalStartedThreadCount();
    long count = started.count();
    long after = bean.getTotalStartedThreadCount();
    assertTrue(count >= begin + 5, () -> begin + " to " + count);
    assertTrue(before <= count && count <= after, () -> before + " <= " + count + " <= " + after);
  }
}
