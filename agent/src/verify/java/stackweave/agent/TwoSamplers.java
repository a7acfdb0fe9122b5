package stackweave.agent;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import stackweave.agent.apps.WaitsAndAllocates;
import stackweave.agent.drain.OutsideSampler;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SampledFeature;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.process.SampledProcess;
import stackweave.testing.CpuShare;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;
import stackweave.testing.Starved;

/**
 * {@link WaitsAndAllocates}, sampled at once by the agent inside and from outside.
 *
 * @param inside the agent's recording
 * @param outside that from outside
 * @param begin when both sampled
 * @param end until when both did
 * @param waits the program's own account
 * @param said the messages of the sampler outside
 */
record TwoSamplers(
    Path inside, Path outside, Instant begin, Instant end, List<Wait> waits, List<String> said) {
  private static final long PATIENCE_NANOS = 90_000_000_000L;

  /**
   * A wait by the program's own account.
   *
   * @param begin in ns since 1970, as is the end
   */
  record Wait(String method, String state, long begin, long end) {
    static Wait of(String line) {
      String[] words = line.split(" ");
      return new Wait(words[0], words[1], Long.parseLong(words[2]), Long.parseLong(words[3]));
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  /** What the two sample. */
  static SamplingRequest request(SampledEvent event, SampledFeature... features) {
    Map<SampledFeature, Long> asked = new EnumMap<>(SampledFeature.class);
    for (SampledFeature feature : features) {
      asked.put(feature, feature.standard());
    }
    return new SamplingRequest(
        event, 10_000_000L, "auto", 1_024, asked, false, List.of("test"), List.of());
  }

  /**
   * Runs it.
   *
   * @param seconds for how long both sample at least
   * @param jvm with the agent and a recording that ask for the same
   * @param isSampling whether a report of the sampler outside is of one that has what is asked for
   * @param inside whether the agent has, too
   */
  static TwoSamplers run(
      int seconds,
      ForkedJvm jvm,
      Path directory,
      SamplingRequest request,
      Predicate<String> isSampling,
      Predicate<RunningCommand> inside)
      throws Exception {
    Path outside = directory.resolve("outside.jfr");
    List<String> said = new ArrayList<>();
    URI classes =
        WaitsAndAllocates.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    RunningCommand running =
        jvm.classPath(Path.of(classes).toString())
            // Compilers that are busy call malloc too often for probes.
            .options("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
            .start(
                WaitsAndAllocates.class.getName(),
                Integer.toString(1_000 * seconds / WaitsAndAllocates.ROUNDS));
    Instant begin;
    Instant end;
    // A VM that starts has no code cache yet.
    await(running, () -> Files.exists(directory.resolve("ready")));
    try (OutsideSampler sampler = sampler(running, outside, said)) {
      sampler.start(request);
      await(running, () -> isSampling.test(sampler.report()) && inside.test(running));
      begin = Instant.now();
      Files.createFile(directory.resolve("begin"));
      await(running, () -> Files.exists(directory.resolve("done")));
      end = Instant.now();
      System.out.println(sampler.report());
    } finally {
      Files.createFile(directory.resolve("end"));
      jvm.end(running).successfully();
    }
    List<Wait> waits =
        Files.readAllLines(directory.resolve("waits")).stream().map(Wait::of).toList();
    return new TwoSamplers(jvm.recordingFile(), outside, begin, end, waits, said);
  }

  private static OutsideSampler sampler(RunningCommand running, Path file, List<String> said)
      throws Exception {
    Options options = Options.parse("hooks=off,jit=all,drain=100");
    return new OutsideSampler(
        new OutsideSampler.Source(
            SampledProcess.other((int) running.pid()), "test", EngineSource.OF_MACHINE),
        file,
        options,
        () -> FeatureList.ofAnyProcess(options),
        new Messages(said::add));
  }

  private static void await(RunningCommand running, Condition condition) throws Exception {
    CpuShare since = CpuShare.now();
    long begin = System.nanoTime();
    while (!condition.holds()) {
      assertTrue(running.process().isAlive(), "it has ended");
      if (System.nanoTime() - begin > PATIENCE_NANOS && since.isStarved()) {
        throw Starved.because("nothing has begun in " + since);
      }
      assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, "too slow");
      Thread.sleep(500);
    }
  }

  /** Whether both sampled then. */
  boolean isDuring(Instant time) {
    return time.isAfter(begin) && time.isBefore(end);
  }
}
