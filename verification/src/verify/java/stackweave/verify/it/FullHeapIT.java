package stackweave.verify.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.verify.Built;
import stackweave.verify.heap.SoftCollections;

/**
 * Programs that leave little of their heap free live with the agent if they live without; {@code
 * verification/heap} tries many more.
 */
@Order(3)
class FullHeapIT {
  private static final String MAIN = "stackweave.verify.heap.FullHeap";

  @ParameterizedTest
  @CsvSource({"17, 64, 40", "17, 48, 40", "25, 256, 235", "25, 64, 57.6"})
  void livesAsWithoutSampling(int feature, int heap, double live) {
    Ended ended = run(feature, heap, List.of("min-heap=48"), List.of(), Double.toString(live), "3");
    assertTrue(
        ended.outLines().stream().anyMatch(line -> line.startsWith("FULL HEAP done")),
        ended.what());
  }

  @ParameterizedTest
  @CsvSource({
    "-Xmx32m, -XX:+UseG1GC, 48",
    "-Xmx40m, -XX:+UseSerialGC, 48",
    "-Xmx64m, -XX:+UseG1GC, 256",
    "-Xmx192m, -XX:+UseSerialGC, 256"
  })
  void aSmallHeapIsLeftAlone(String heap, String collector, int least) {
    Ended ended =
        Jvms.withoutLibraries(Jdks.oldest())
            .agent(least == 256 ? new String[0] : new String[] {"min-heap=" + least})
            .recording()
            .options(heap, collector)
            .run(MAIN, "20", "1")
            .successfully();
    assertEquals(1, ended.errLines().size(), ended.what());
    assertTrue(ended.errLines().get(0).contains("-Xmx" + least + "m is enough"), ended.what());
  }

  /** Of the collectors, Serial counts least of a heap. */
  @ParameterizedTest
  @ValueSource(ints = {48, 256})
  void theSmallestHeapIsSampled(int least) {
    Ended ended =
        Jvms.withoutLibraries(Jdks.oldest())
            .agent("min-heap=" + least)
            .recording()
            .options("-Xmx" + least + "m", "-XX:+UseSerialGC")
            // Small heaps are waited for for two seconds, and a loaded machine starts slowly.
            .run(MAIN, "5", "12")
            .successfully();
    assertEquals(List.of(), ended.errLines());
    assertTrue(Stacks.of(ended.recording()).of(sample -> sample.frames().size() > 1).count() > 10);
  }

  /**
   * Before a JVM runs out of memory it frees what soft references lead to: here it does so with
   * each second collection, if nothing uses them in between, which a loaded machine may not give in
   * one run.
   */
  @ParameterizedTest
  @MethodSource("stackweave.verify.it.Jdks#all")
  void theJvmMayFreeTheTables(Jdk jdk) {
    Ended ended = collectSoftReferences(jdk);
    for (int attempt = 1; attempt < 5 && !saysTablesWereFreed(ended); attempt++) {
      ended = collectSoftReferences(jdk);
    }
    assertTrue(saysTablesWereFreed(ended), ended.what());
    List<Instant> samples =
        Stacks.of(ended.recording())
            .of(sample -> sample.frames().size() > 1)
            .map(Stacks.Sample::time)
            .toList();
    Instant began = said(ended, "began");
    Instant finished = said(ended, "ended");
    String what = ended.what();
    assertTrue(samples.stream().filter(time -> time.isBefore(began)).count() > 10, what);
    assertTrue(samples.stream().filter(time -> time.isAfter(finished)).count() > 10, what);
    assertTrue(sum(ended, "tablesFreed", Instant.MIN) > 0, what);
    // A status event has what was counted since the one before, two seconds ago at most.
    Instant afterwards = finished.plusMillis(2_200);
    assertTrue(sum(ended, "labelled", afterwards) > 0, "the scope was open before: " + what);
  }

  /** It holds most of them, so the rest is held, too: nothing begins anew. */
  @Test
  void whatRecordsWaitingKeepsTheTables() {
    Ended ended = collectSoftReferences(Jdks.oldest(), "wall=20ms");
    assertEquals(List.of(), ended.errLines());
    assertEquals(0, sum(ended, "tablesFreed", Instant.MIN));
    assertTrue(sum(ended, "wallWritten", Instant.MIN) > 0, ended.what());
  }

  /**
   * It frees soft references at each {@code System.gc()}: sampling begins anew once, not always.
   */
  @ParameterizedTest
  @MethodSource("stackweave.verify.it.Jdks#all")
  void shenandoahFreesTheTablesOnce(Jdk jdk) {
    assumeTrue(hasShenandoah(jdk), "no Shenandoah in " + jdk);
    Ended ended =
        withLabels(jdk)
            .options("-Xmx512m", "-XX:+UseShenandoahGC")
            .run(SoftCollections.class.getName(), "12", "50")
            .successfully();
    Stacks.Status status = Stacks.of(ended.recording()).status();
    String what = status + "; " + ended.what();
    assertTrue(sum(ended, "tablesFreed", Instant.MIN) <= 2, what);
    assertTrue(status.cpuCovered() > 0.8 * status.cpuUsed(), what);
  }

  private static boolean hasShenandoah(Jdk jdk) {
    return Jvms.withoutLibraries(jdk).run(List.of("-XX:+UseShenandoahGC", "-version")).exit() == 0;
  }

  private static Ended collectSoftReferences(Jdk jdk, String... agent) {
    return withLabels(jdk, agent)
        .options(
            "-Xmx256m", "-XX:+UseSerialGC", "-XX:SoftRefLRUPolicyMSPerMB=0", "-XX:-ClassUnloading")
        .run(SoftCollections.class.getName(), "9")
        .successfully();
  }

  private static ForkedJvm withLabels(Jdk jdk, String... agent) {
    return Jvms.withoutLibraries(jdk)
        .agent(agent)
        .recording()
        .classPath(Built.classes() + ":" + Built.labels());
  }

  /** What the status events since a time say of one figure. */
  private static long sum(Ended ended, String figure, Instant since) {
    try {
      return RecordingFile.readAllEvents(ended.recording()).stream()
          .filter(event -> event.getEventType().getName().equals("stackweave.SamplerStatus"))
          .filter(event -> event.getStartTime().isAfter(since))
          .mapToLong(event -> event.getLong(figure))
          .sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean saysTablesWereFreed(Ended ended) {
    return ended.errLines().stream().anyMatch(line -> line.contains("freed the agent's tables"));
  }

  private static Instant said(Ended ended, String what) {
    return ended.outLines().stream()
        .filter(line -> line.startsWith(what + " "))
        .map(line -> Instant.parse(line.substring(what.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  /** Stacks through the kernel, whose tens of thousands of symbols are read for them. */
  @ParameterizedTest
  @CsvSource({"25, 128, 106"})
  void livesWithStacksOfTheKernel(int feature, int heap, double live) {
    Ended ended = run(feature, heap, List.of("engine=perf"), List.of(), Double.toString(live), "4");
    assertTrue(
        ended.outLines().stream().anyMatch(line -> line.startsWith("FULL HEAP done")),
        ended.what());
  }

  /** JFR alone lives with so little; the agent's classes would not fit. */
  @ParameterizedTest
  @CsvSource({"17, MaxMetaspaceSize=6m"})
  void livesWhereClassesHaveNoRoom(int feature, String limit) {
    Ended ended = run(feature, 512, List.of(), List.of("-XX:" + limit), "10", "3");
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
        Jvms.withoutLibraries(Jdks.oldest())
            .under("sh", "-c", "ulimit -f 16384; exec \"$0\" \"$@\"")
            .agent()
            .recording()
            .options("-Xmx256m")
            .run(MAIN, "5", "1.5")
            .successfully();
    assertEquals(1, ended.errLines().size(), ended.what());
    assertTrue(ended.errLines().get(0).contains("files may grow to "), ended.what());
  }

  @Test
  void recordingsThatAskForNothingAreNotToldOfMissingRoom() {
    Ended ended =
        run(17, 512, List.of("sample=explicit"), List.of("-XX:MaxMetaspaceSize=8m"), "10", "2");
    assertEquals(List.of(), ended.errLines());
  }

  /** What is read in the course of sampling takes nothing of the application's direct memory. */
  @ParameterizedTest
  @CsvSource({"timer", "perf"})
  void leavesDirectMemoryAlone(String engine) {
    Ended ended =
        Jvms.withoutLibraries(Jdks.oldest())
            .agent("engine=" + engine, "interval=1ms")
            .recording()
            .options("-XX:MaxDirectMemorySize=8m", "-Xlog:gc:stdout", "-Xmx512m")
            .run("stackweave.verify.it.FullDirectMemoryApp", "1")
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

  private static Ended run(int feature, int heap, String... args) {
    return run(feature, heap, List.of(), List.of(), args);
  }

  private static Ended run(
      int feature, int heap, List<String> agent, List<String> options, String... args) {
    Jdk jdk = Jdks.all().filter(each -> each.feature() == feature).findFirst().orElse(null);
    assumeTrue(jdk != null, "no JDK " + feature);
    return Jvms.withoutLibraries(jdk)
        .agent(agent.toArray(new String[0]))
        .recording()
        .options("-Xmx" + heap + "m", "-XX:+UseG1GC", "-XX:+ExitOnOutOfMemoryError")
        .options(options.toArray(new String[0]))
        .run(MAIN, args)
        .successfully();
  }
}
