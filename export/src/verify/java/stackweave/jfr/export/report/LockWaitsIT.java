package stackweave.jfr.export.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.Programs;
import stackweave.testing.Jdk;

/** What JFR says of locks is what the JDK's own reader has of it, of every JDK. */
class LockWaitsIT {
  @TempDir private Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void sumsAreThoseOfTheJdk(Jdk jdk) throws Exception {
    Path file = directory.resolve("locks.jfr");
    Programs.Outcome outcome =
        Programs.java(jdk, List.of(), Waiter.class, List.of(file.toString()));
    assertEquals(0, outcome.exit(), outcome.output());
    Map<String, Long> waits = new TreeMap<>();
    Map<String, Long> nanos = new TreeMap<>();
    LockWaits read = LockWaits.read(file);
    for (Sums<String> sums : List.of(read.waits, read.queues)) {
      for (Sums.Sum sum : sums.sorted()) {
        waits.put(sum.name, sum.count);
        nanos.put(sum.name, sum.nanos);
      }
    }
    Map<String, Long> expectedWaits = new TreeMap<>();
    Map<String, Long> expectedNanos = new TreeMap<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      String name =
          switch (event.getEventType().getName()) {
            case "jdk.JavaMonitorEnter" -> "monitor: " + name(event, "monitorClass");
            case "jdk.JavaMonitorWait" -> "Object.wait: " + name(event, "monitorClass");
            case "jdk.ThreadPark" -> "park: " + name(event, "parkedClass");
            default -> "";
          };
      if (!name.isEmpty()) {
        expectedWaits.merge(name, 1L, Long::sum);
        expectedNanos.merge(name, event.getDuration().toNanos(), Long::sum);
      }
    }
    assertEquals(expectedWaits, waits);
    expectedNanos.forEach(
        // Each is rounded to a nanosecond of its own.
        (name, sum) -> assertEquals(sum, nanos.get(name), 2 * expectedWaits.get(name), name));
    assertTrue(waits.keySet().containsAll(Waiter.EXPECTED), waits::toString);
  }

  private static String name(RecordedEvent event, String field) {
    RecordedClass type = event.getClass(field);
    return type == null ? "" : type.getName();
  }

  /** Waits in each of these ways, in two chunks. */
  public static final class Waiter {
    static final List<String> EXPECTED =
        List.of(
            "monitor: " + Monitor.class.getName(),
            "Object.wait: " + Monitor.class.getName(),
            "park: java.util.concurrent.locks.ReentrantLock$NonfairSync",
            "park: ");

    private Waiter() {}

    /** An object of a class of its own. */
    private static final class Monitor {}

    public static void main(String[] args) throws Exception {
      try (Recording recording = new Recording()) {
        for (String event : List.of("JavaMonitorEnter", "JavaMonitorWait", "ThreadPark")) {
          recording.enable("jdk." + event).withThreshold(Duration.ofMillis(1));
        }
        recording.start();
        waits();
        recording.dump(Path.of(args[0] + ".first"));
        waits();
        recording.stop();
        recording.dump(Path.of(args[0]));
      }
    }

    private static void waits() throws Exception {
      Monitor monitor = new Monitor();
      ReentrantLock lock = new ReentrantLock();
      CountDownLatch held = new CountDownLatch(1);
      Thread waiter = Thread.currentThread();
      Thread holder =
          new Thread(
              () -> {
                lock.lock();
                synchronized (monitor) {
                  held.countDown();
                  while (waiter.getState() != Thread.State.BLOCKED) {
                    sleep(5);
                  }
                  sleep(50);
                }
                while (!lock.hasQueuedThreads()) {
                  sleep(5);
                }
                sleep(50);
                lock.unlock();
              });
      holder.start();
      held.await();
      synchronized (monitor) {
        monitor.wait(20);
      }
      if (lock.tryLock(1, TimeUnit.MINUTES)) {
        lock.unlock();
      }
      holder.join();
      LockSupport.parkNanos(20_000_000);
    }

    private static void sleep(long millis) {
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
