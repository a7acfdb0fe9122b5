package stackweave.jfr.weave;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.Programs;
import stackweave.jfr.store.RotationStorm;
import stackweave.testing.Jdk;

/** Dumps that have most of their chunks in common. */
class MergedStormIT {
  /** Dumps of one JVM whose chunks rotate all the time, and are in several of them. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void rotationStorm(Jdk jdk, @TempDir Path directory) throws Exception {
    Programs.Outcome storm =
        Programs.java(
            jdk,
            List.of("-Xmx256m", "-XX:FlightRecorderOptions:maxchunksize=1m"),
            RotationStorm.class,
            List.of(directory.toString(), "1000", "100", "2"));
    assertEquals(0, storm.exit(), storm.output());
    List<Path> dumps = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      files.filter(file -> file.getFileName().toString().startsWith("extra")).forEach(dumps::add);
    }
    Path main = directory.resolve("main.jfr");
    dumps.add(main);
    assertTrue(dumps.size() > 3, dumps.toString());
    Path all = directory.resolve("all.jfr");
    MergeReport report =
        RecordingMergeIT.merge(all, MergeOptions.DEFAULT, dumps.toArray(Path[]::new));
    assertEquals(storm.number("written"), report.samples());
    assertTrue(report.duplicates() > 0 && report.chunks() > 10, report.toString());
    List<List<List<String>>> read = TraceText.read(jdk, directory, List.of(main, all));
    assertEquals(
        RecordingMergeIT.withoutTime(TraceText.expected(main)),
        RecordingMergeIT.without(
            RecordingMergeIT.withoutTime(read.get(1).get(0)),
            RecordingMergeIT.withoutTime(read.get(0).get(0))));
  }
}
