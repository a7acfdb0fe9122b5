package stackweave.engine.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.engine.Burner;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineStatistics;
import stackweave.engine.Recorder;
import stackweave.linux.Tasks;
import stackweave.testing.ByChance;

/** The timer engine with many threads, and started many times. */
class TimerEngineMoreIT extends TimerEngineRuns {
  /** Three hundred times started and stopped, beside busy threads: nothing grows. */
  @Test
  void nothingIsLeftBehind() throws Exception {
    Burner[] beside = {
      Burner.start("beside 1", 2_500 * MILLISECOND), Burner.start("beside 2", 2_500 * MILLISECOND)
    };
    startAndStop(25);
    int descriptors = Tasks.openFileDescriptors();
    long mappings = mappings();
    startAndStop(275);
    assertEquals(descriptors, Tasks.openFileDescriptors());
    assertTrue(mappings() <= mappings + 10, mappings + " mappings became " + mappings());
    assertEquals("", ourTimers());
    for (Burner burner : beside) {
      burner.join();
    }
  }

  @ByChance
  @Test
  void aStormOfThreadsIsFollowed() throws Exception {
    List<Burner> burners = new ArrayList<>();
    Recorder recorder = new Recorder();
    recorder.run(
        every(2 * MILLISECOND),
        () -> {
          for (int i = 0; i < 300; i++) {
            burners.add(Burner.start("storm " + i, 20 * MILLISECOND));
            if (i % 10 == 9) {
              for (Burner burner : burners.subList(i - 9, i + 1)) {
                burner.join();
              }
            }
          }
          recorder.awaitExitsBut(5);
        });
    EngineStatistics statistics = recorder.statistics;
    long used = burners.stream().mapToLong(burner -> burner.used).sum();
    long covered =
        recorder.samples.stream()
            .filter(sample -> burners.stream().anyMatch(b -> b.tid == sample.tid()))
            .mapToLong(Recorder.Sample::weight)
            .sum();
    System.out.printf(
        "storm of 300 threads of 20 ms: %.3f of their CPU time covered, %d found; %s%n",
        (double) covered / used, recorder.started.size(), statistics);
    assertEquals(0, statistics.get(EngineFigure.MALFORMED));
    long stolen = burners.stream().mapToLong(burner -> burner.stolen).sum();
    // On a busy machine some end before the engine gets its turn to find them.
    assertTrue(covered + stolen > 0.2 * used && covered < 1.1 * used, covered + " of " + used);
    assertTrue(recorder.exited.size() >= recorder.started.size() - 5, "exits");
    long without = recorder.samples.stream().filter(sample -> sample.stackBytes() == 0).count();
    assertTrue(without < 5 + 0.02 * recorder.samples.size(), without + " without a stack");
  }

  private static void startAndStop(int times) throws Exception {
    for (int i = 0; i < times; i++) {
      with(every(10 * MILLISECOND), 0, engine -> {});
    }
  }

  /** Lines of maps, without those that the JVM's own memory comes and goes in. */
  private static long mappings() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(
            line -> line.contains("memfd:stackweave") || line.contains(" rw-p 00000000 00:00 0"))
        .count();
  }

  private static String ourTimers() throws IOException {
    Path timers = Path.of("/proc/self/timers");
    return Files.exists(timers) ? Files.readString(timers) : "";
  }
}
