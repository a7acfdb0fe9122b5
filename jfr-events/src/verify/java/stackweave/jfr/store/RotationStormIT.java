package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.Programs;
import stackweave.jfr.read.Chunks;
import stackweave.jfr.read.Sample;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Jdk;

/** Every sample is read back, with its own stack, from its own chunk, however often they rotate. */
class RotationStormIT {
  static Stream<Arguments> storms() {
    return Stream.concat(
        Jdk.onOldest().map(jdk -> Arguments.of(jdk, 1_000, 100)),
        Jdk.onNewest().map(jdk -> Arguments.of(jdk, 5_000, 25)));
  }

  @ParameterizedTest(name = "{0}, {1} samples/s, a dump every {2} ms")
  @MethodSource("storms")
  void everySampleIsExplainedByItsChunk(Jdk jdk, int rate, int dumpEvery, @TempDir Path directory)
      throws Exception {
    check(jdk, rate, dumpEvery, 1, directory);
  }

  static void check(Jdk jdk, int rate, int dumpEvery, int seconds, Path directory)
      throws Exception {
    Programs.Outcome storm =
        Programs.java(
            jdk,
            List.of("-Xmx256m", "-XX:FlightRecorderOptions:maxchunksize=1m"),
            RotationStorm.class,
            List.of(
                directory.toString(),
                Integer.toString(rate),
                Integer.toString(dumpEvery),
                Integer.toString(seconds)));
    assertEquals(0, storm.exit(), storm.output());

    // A refusal is honest, but here nothing was ever disabled.
    assertEquals(0, storm.number("refused"), storm.output());
    // Only where the machine stops within a rotation does its hook not come in time.
    assertTrue(
        storm.number("forcedOpenings") == 0
            || storm.number("worstSampleMillis") >= ChunkGate.OPEN_NANOS / 1_000_000,
        storm.output());
    assertTrue(storm.number("dumps") >= 2, storm.output());
    assertTrue(storm.number("written") >= 500, storm.output());

    Path main = directory.resolve("main.jfr");
    checkSamples(main, storm.number("written"), storm.number("timeOffset"));
    int extras = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.jfr")) {
      for (Path file : files) {
        long unresolved = Chunks.unresolved(file);
        // A rotation does not wait longer for a thread that has no CPU on a busy machine.
        assertTrue(unresolved == 0 || storm.number("missedEnds") > 0, file + ": " + unresolved);
        extras++;
      }
    }
    assertTrue(extras > 3, "recordings beside the main one: " + extras);
  }

  private static void checkSamples(Path main, long written, long timeOffset) throws Exception {
    BitSet seen = new BitSet();
    long[] worst = new long[1];
    SampledRecording recording = SampledRecording.open(main);
    recording.forEachSample(
        stack -> {
          int number = (int) stack.contextId() - 1;
          assertTrue(!seen.get(number), "twice: " + number);
          seen.set(number);
          assertEquals(SyntheticStacks.expected(number), texts(stack));
          assertEquals(SyntheticStacks.threadId(number), stack.thread().osThreadId());
          assertEquals("worker-" + stack.thread().osThreadId(), stack.thread().name());
          assertEquals(SyntheticStacks.endCode(number) == 0, stack.end().isComplete());
          // The weight is the time of the interrupt on the nanoTime clock.
          long off = nanos(stack.time()) - timeOffset - stack.weightNanos();
          worst[0] = Math.max(worst[0], Math.abs(off));
        });
    assertEquals(List.of(), recording.losses());
    assertEquals(written, seen.cardinality());
    System.out.println("sample times off by at most " + worst[0] / 1_000 + " us");
    // The two clocks of the process were compared to the millisecond only.
    long most = 10_000_000L + Chunks.clockSpread(main);
    assertTrue(worst[0] < most, "off by " + worst[0] + " ns of " + most);
  }

  private static long nanos(Instant time) {
    return time.getEpochSecond() * 1_000_000_000L + time.getNano();
  }

  private static List<String> texts(Sample stack) {
    return stack.frames().stream().map(SampledFrame::text).toList();
  }
}
