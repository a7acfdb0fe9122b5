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
import stackweave.agent.message.Messages;
import stackweave.jfr.control.AskedAt;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.store.EventStore;
import stackweave.testing.EventsByTime;

class SamplerIT {
  private static final SamplingRequest REQUEST =
      new SamplingRequest(1_000_000, "timer", 64, false, List.of("test"), List.of());

  private static final String ENOUGH = "(?s).*samples: ([6-9]\\d|\\d{3,}) taken.*";

  @TempDir private Path directory;
  private volatile boolean breaks;

  /** Throws to who shows the status, the drain thread among them, as long as {@link #breaks}. */
  private Instrumentation instrumentation() {
    return (Instrumentation)
        Proxy.newProxyInstance(
            SamplerIT.class.getClassLoader(),
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
            DrainThreadTest.options(""),
            List::of,
            messages,
            new StatusBoard(instrumentation()));
    try (Recording recording = new Recording()) {
      recording.start();
      breaks = true;
      sampler.onRequest(REQUEST);
      awaitDeath(said);
      breaks = false;
      sampler.onRequest(REQUEST);
      awaitStart(sampler);
      long end = System.nanoTime() + 300_000_000_000L;
      while (System.nanoTime() < end && !sampler.report().matches(ENOUGH)) {
        Math.sqrt(end);
      }
      sampler.onRequest(null);
      recording.stop();
      Path file = directory.resolve("again.jfr");
      recording.dump(file);
      List<RecordedEvent> events = RecordingFile.readAllEvents(file);
      assertTrue(count(events, "stackweave.StackSample") > 20, said.toString());
      assertEquals(1, failures(said), said.toString());
    } finally {
      assertTrue(sampler.close());
      EventStore.unregisterEvents();
    }
  }

  /**
   * What is used from the moment that samples are asked for counts, whatever the engine; what is
   * used while nobody asks does not.
   */
  @Test
  void allCpuTimeThatIsAskedForIsStated() throws Exception {
    Sampler sampler =
        new Sampler(
            null,
            DrainThreadTest.options(""),
            List::of,
            new Messages(line -> {}),
            new StatusBoard(instrumentation()));
    try (Recording recording = new Recording()) {
      recording.start();
      // As if another thread of the process had used 7 s since samples were asked for.
      long asked = SampledProcess.OWN.cpuNanos() - 7_000_000_000L;
      sampler.onRequest(REQUEST, new AskedAt(System.nanoTime() - 9_000_000_000L, asked));
      awaitStart(sampler);
      burn(300_000_000L);
      // Another engine is prepared for the same recording.
      sampler.onRequest(
          new SamplingRequest(2_000_000, "timer", 64, false, List.of("test"), List.of()));
      awaitStart(sampler);
      burn(300_000_000L);
      recording.dump(directory.resolve("first.jfr")); // has it state all that was used until now
      final long whileAsked = SampledProcess.OWN.cpuNanos() - asked;
      sampler.onRequest(null);
      burn(500_000_000L);
      final long again = SampledProcess.OWN.cpuNanos();
      sampler.onRequest(REQUEST, AskedAt.now());
      awaitStart(sampler);
      burn(300_000_000L);
      recording.stop();
      final long all = whileAsked + SampledProcess.OWN.cpuNanos() - again;
      Path file = directory.resolve("asked.jfr");
      recording.dump(file);
      List<RecordedEvent> statuses = EventsByTime.statuses(file);
      long used = statuses.stream().mapToLong(status -> status.getLong("cpuUsed")).sum();
      long missed = statuses.stream().mapToLong(status -> status.getLong("cpuMissed")).sum();
      long drain = statuses.stream().mapToLong(status -> status.getLong("drainCpu")).sum();
      String figures = used + " used, " + missed + " missed, " + drain + " own; of " + all;
      statuses.forEach(status -> assertTrue(status.getLong("cpuMissed") >= 0, figures));
      assertTrue(missed >= 7_000_000_000L && missed < used - 500_000_000L, figures);
      // A status that comes too late for the dump goes with those who asked.
      assertTrue(used + drain > all - 3_000_000_000L, figures);
      assertTrue(used < all + 200_000_000L, figures);
    } finally {
      assertTrue(sampler.close());
      EventStore.unregisterEvents();
    }
  }

  /** Who is served by what runs already has his notes in the recording, too. */
  @Test
  void theNotesOfALaterRequestAreStated() throws Exception {
    Sampler sampler =
        new Sampler(
            null,
            DrainThreadTest.options(""),
            List::of,
            new Messages(line -> {}),
            new StatusBoard(instrumentation()));
    try (Recording recording = new Recording()) {
      recording.start();
      sampler.onRequest(REQUEST);
      awaitStart(sampler);
      List<String> notes = List.of("recording 2 asks for engine 'foo'");
      sampler.onRequest(
          new SamplingRequest(1_000_000, "timer", 64, false, List.of("test", "2"), notes));
      List<String> stated = List.of();
      long end = System.nanoTime() + 120_000_000_000L;
      while (stated.stream().noneMatch(note -> note.contains(notes.get(0)))
          && System.nanoTime() < end) {
        burn(200_000_000L);
        Path file = directory.resolve("notes.jfr");
        recording.dump(file);
        stated =
            EventsByTime.statuses(file).stream()
                .map(event -> String.valueOf(event.getString("note")))
                .toList();
      }
      assertTrue(stated.stream().anyMatch(note -> note.contains(notes.get(0))), stated.toString());
    } finally {
      assertTrue(sampler.close());
      EventStore.unregisterEvents();
    }
  }

  private static void burn(long cpuNanos) {
    long begin = SampledProcess.OWN.cpuNanos();
    while (SampledProcess.OWN.cpuNanos() - begin < cpuNanos) {
      Math.sqrt(begin);
    }
  }

  private static long count(List<RecordedEvent> events, String type) {
    return events.stream().filter(event -> event.getEventType().getName().equals(type)).count();
  }

  private static void awaitStart(Sampler sampler) throws InterruptedException {
    for (int i = 0; i < 30_000 && !sampler.hasStarted(); i++) {
      Thread.sleep(10);
    }
    assertTrue(sampler.hasStarted());
  }

  private static long failures(List<String> said) {
    return said.stream().filter(line -> line.contains("failure of the agent")).count();
  }

  private static void awaitDeath(List<String> said) throws InterruptedException {
    for (int i = 0; i < 30_000 && failures(said) == 0; i++) {
      Thread.sleep(10);
    }
    assertEquals(1, failures(said), said.toString());
    boolean alive = true;
    for (int i = 0; i < 30_000 && alive; i++) {
      Thread.sleep(10);
      alive =
          Thread.getAllStackTraces().keySet().stream()
              .anyMatch(thread -> thread.getName().equals(DrainThreadName.NAME));
    }
  }
}
