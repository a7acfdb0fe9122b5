package stackweave.agent.drain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.attach.DrainThreadName;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.linux.MemoryAccess;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.store.EventStore;

class SamplerTest {
  private static final SamplingRequest REQUEST =
      new SamplingRequest(1_000_000, "timer", 64, false, List.of("test"), List.of());

  private static final String ENOUGH = "(?s).*samples: ([6-9]\\d|\\d{3,}) taken.*";

  @TempDir private Path directory;
  private volatile boolean breaks;

  /** Throws to who shows the status, the drain thread among them, as long as {@link #breaks}. */
  private Instrumentation instrumentation() {
    return (Instrumentation)
        Proxy.newProxyInstance(
            SamplerTest.class.getClassLoader(),
            new Class<?>[] {Instrumentation.class},
            (proxy, method, arguments) -> {
              if (breaks) {
                throw new IllegalStateException("broken by the test");
              }
              return null;
            });
  }

  /** Whoever asks next, be it for the same, gets a new drain thread. */
  @Test
  void samplesAgainAfterTheDrainThreadHasDied() throws Exception {
    List<String> said = new CopyOnWriteArrayList<>();
    Messages messages = new Messages(said::add);
    Sampler sampler =
        new Sampler(
            null,
            false,
            "",
            "",
            MemoryAccess.AUTO,
            100,
            0,
            messages,
            new StatusBoard(instrumentation()));
    try (Recording recording = new Recording()) {
      recording.start();
      breaks = true;
      sampler.onRequest(REQUEST);
      awaitDeath(said);
      breaks = false;
      sampler.onRequest(REQUEST);
      long end = System.nanoTime() + 20_000_000_000L;
      while (System.nanoTime() < end && !sampler.report().matches(ENOUGH)) {
        Math.sqrt(end);
      }
      sampler.onRequest(null);
      recording.stop();
      Path file = directory.resolve("again.jfr");
      recording.dump(file);
      List<RecordedEvent> events = RecordingFile.readAllEvents(file);
      assertTrue(count(events, "stackweave.NativeSample") > 50, said.toString());
      assertEquals(1, failures(said), said.toString());
    } finally {
      assertTrue(sampler.close());
      EventStore.unregisterEvents();
    }
  }

  private static long count(List<RecordedEvent> events, String type) {
    return events.stream().filter(event -> event.getEventType().getName().equals(type)).count();
  }

  private static long failures(List<String> said) {
    return said.stream().filter(line -> line.contains("failure of the agent")).count();
  }

  private static void awaitDeath(List<String> said) throws InterruptedException {
    for (int i = 0; i < 1_000 && failures(said) == 0; i++) {
      Thread.sleep(10);
    }
    assertEquals(1, failures(said), said.toString());
    boolean alive = true;
    for (int i = 0; i < 1_000 && alive; i++) {
      Thread.sleep(10);
      alive =
          Thread.getAllStackTraces().keySet().stream()
              .anyMatch(thread -> thread.getName().equals(DrainThreadName.NAME));
    }
  }
}
