package stackweave.live.harm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.testing.ByChance;
import stackweave.testing.Ended;
import stackweave.testing.Enough;

/** Other heaps, other collectors, and other memory than the heap. */
@Order(3)
class FullHeapMoreIT {
  /** Samples with which it is sampled beyond doubt. */
  private static final int ENOUGH = 11;

  @ParameterizedTest
  @CsvSource({"17, 48, 38.4", "25, 256, 204.8"})
  void livesAsWithoutSampling(int feature, int heap, double live) {
    FullHeapIT.livesAsWithoutSampling(feature, heap, live, "3");
  }

  /** Of the collectors, Serial counts least of a heap. */
  @ByChance
  @ParameterizedTest
  @ValueSource(ints = {48, 64})
  void theSmallestHeapIsSampled(int least) {
    List<Stacks.Sample> samples = Enough.of(ENOUGH, () -> samplesWith(least));
    assertTrue(samples.size() >= ENOUGH, samples::toString);
  }

  private static List<Stacks.Sample> samplesWith(int least) {
    Ended ended =
        Jvms.hotWithoutLibraries(Jdks.oldest())
            .agent("min-heap=" + least)
            .recording()
            .options("-Xmx" + least + "m", "-XX:+UseSerialGC")
            .run(FullHeapIT.MAIN, "5", "4")
            .successfully();
    assertEquals(List.of(), ended.errLines());
    return Stacks.of(ended.recording()).of(sample -> sample.frames().size() > 1).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "-Xmx32m, -XX:+UseG1GC, 48, 48",
    "-Xmx40m, -XX:+UseSerialGC, 48, 48",
    "-Xmx56m, -XX:+UseG1GC, 64, 64",
    "-Xmx48m, -XX:+UseSerialGC, 64, 64",
    "-Xmx80m, -XX:+UseZGC, 48, 96",
    "-Xmx112m, -XX:+UseZGC, 64, 128",
    "-Xmx96m, -XX:+UseShenandoahGC, 64, 128"
  })
  void aSmallHeapIsLeftAlone(String heap, String collector, int least, int enough) {
    Ended ended =
        Jvms.hotWithoutLibraries(Jdks.oldest())
            .agent(least == 64 ? new String[0] : new String[] {"min-heap=" + least})
            .recording()
            .options(heap, collector)
            .run(FullHeapIT.MAIN, "20", "1")
            .successfully();
    assertEquals(1, ended.errLines().size(), ended.what());
    assertTrue(ended.errLines().get(0).contains("-Xmx" + enough + "m is enough"), ended.what());
  }

  /** Stacks through the kernel, whose tens of thousands of symbols are read for them. */
  @ParameterizedTest
  @CsvSource({"25, 128, 102.4"})
  void livesWithStacksOfTheKernel(int feature, int heap, double live) {
    Ended ended =
        FullHeapIT.run(
            feature, heap, List.of("engine=perf"), List.of(), Double.toString(live), "4");
    assertTrue(
        ended.outLines().stream().anyMatch(line -> line.startsWith("FULL HEAP done")),
        ended.what());
  }

  /** JFR alone lives with so little; the agent's classes would not fit. */
  @ParameterizedTest
  @CsvSource({"17, MaxMetaspaceSize=6m"})
  void livesWhereClassesHaveNoRoom(int feature, String limit) {
    Ended ended = FullHeapIT.run(feature, 512, List.of(), List.of("-XX:" + limit), "10", "3");
    assertTrue(
        ended.outLines().stream().anyMatch(line -> line.startsWith("FULL HEAP done")),
        ended.what());
    List<String> said =
        ended.errLines().stream().filter(line -> line.startsWith("stackweave: ")).toList();
    assertEquals(1, said.size(), said::toString);
    assertTrue(said.get(0).contains(limit.substring(0, limit.indexOf('='))), said.get(0));
  }

  /** JFR ends the JVM when it may not make a file longer, and samples would make it so earlier. */
  @Test
  void livesWhereFilesMayNotGrow() {
    Ended ended =
        Jvms.hotWithoutLibraries(Jdks.oldest())
            .under("sh", "-c", "ulimit -f 16384; exec \"$0\" \"$@\"")
            .agent()
            .recording()
            .options("-Xmx256m")
            .run(FullHeapIT.MAIN, "5", "1.5")
            .successfully();
    assertEquals(1, ended.errLines().size(), ended.what());
    assertTrue(ended.errLines().get(0).contains("files may grow to "), ended.what());
  }

  @Test
  void recordingsThatAskForNothingAreNotToldOfMissingRoom() {
    Ended ended =
        FullHeapIT.run(
            17, 512, List.of("sample=explicit"), List.of("-XX:MaxMetaspaceSize=8m"), "10", "2");
    assertEquals(List.of(), ended.errLines());
  }

  /** What is read in the course of sampling takes nothing of the application's direct memory. */
  @ParameterizedTest
  @CsvSource({"timer", "perf"})
  void leavesDirectMemoryAlone(String engine) {
    Ended ended =
        Jvms.hotWithoutLibraries(Jdks.oldest())
            .agent("engine=" + engine, "interval=1ms")
            .recording()
            .options("-XX:MaxDirectMemorySize=8m", "-Xlog:gc:stdout", "-Xmx512m")
            .run("stackweave.live.harm.FullDirectMemoryApp", "1")
            .successfully();
    List<String> since =
        ended
            .outLines()
            .subList(ended.outLines().indexOf(FullDirectMemoryApp.FULL), ended.outLines().size());
    assertTrue(
        since.stream().noneMatch(line -> line.contains("System.gc()")), () -> since.toString());
    assertEquals(List.of(), ended.errLines());
    assertTrue(Stacks.of(ended.recording()).of(sample -> sample.frames().size() > 1).count() > 10);
  }
}
