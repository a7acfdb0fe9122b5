package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.read.SampledRecording;
import stackweave.lab.Built;
import stackweave.lab.heap.SoftCollections;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.testing.ByChance;
import stackweave.testing.CpuShare;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.Starved;

/** The tables that a collection may free, and when it does. */
@Isolated("between two collections nothing may use the tables: it must get its CPU")
@ByChance
class FreedTablesIT {
  /** How often it is tried to have a collection free the tables. */
  private static final int TRIES = 5;

  /**
   * Before a JVM runs out of memory it frees what soft references lead to: here it does so with
   * each second collection, if nothing uses them in between, which a loaded machine may not give in
   * one run.
   */
  @ParameterizedTest
  @MethodSource("stackweave.live.support.Jdks#all")
  void theJvmMayFreeTheTables(Jdk jdk) throws Exception {
    CpuShare since = CpuShare.now();
    Ended ended = collectSoftReferences(jdk);
    for (int attempt = 1; attempt < TRIES && !saysTablesWereFreed(ended); attempt++) {
      ended = collectSoftReferences(jdk);
    }
    if (!saysTablesWereFreed(ended)) {
      throw Starved.because("tables that nothing used met no collection in " + since);
    }
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
    boolean[] isLabelled = new boolean[1];
    SampledRecording.open(ended.recording())
        .forEachSample(
            sample -> isLabelled[0] |= sample.contextId() != 0 && sample.time().isAfter(finished));
    assertTrue(isLabelled[0], "the scope was open before: " + what);
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
  @MethodSource("stackweave.live.support.Jdks#all")
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
    return Jvms.hotWithoutLibraries(jdk).run(List.of("-XX:+UseShenandoahGC", "-version")).exit()
        == 0;
  }

  private static Ended collectSoftReferences(Jdk jdk, String... agent) {
    return withLabels(jdk, agent)
        .options(
            "-Xmx256m", "-XX:+UseSerialGC", "-XX:SoftRefLRUPolicyMSPerMB=0", "-XX:-ClassUnloading")
        .run(SoftCollections.class.getName(), "9")
        .successfully();
  }

  private static ForkedJvm withLabels(Jdk jdk, String... agent) {
    return Jvms.hotWithoutLibraries(jdk)
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
}
