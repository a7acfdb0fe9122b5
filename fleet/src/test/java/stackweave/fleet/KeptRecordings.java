package stackweave.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import stackweave.jfr.export.CollapsedExport;
import stackweave.jfr.export.FrameNames;
import stackweave.jfr.export.Names;
import stackweave.jfr.export.Selection;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.StackEnd;
import stackweave.jfr.read.choice.SampleChoice;

/** The recordings in the resources, and what tables must have of them. Stateless. */
final class KeptRecordings {
  /** All of them. */
  static final List<String> NAMES = List.of("orders-17.jfr", "orders-25.jfr", "lab.jfr");

  /** Where the header of a chunk has its size, and its begin in ns since 1970. */
  private static final int CHUNK_SIZE = 8;

  private static final int CHUNK_BEGIN = 32;

  private KeptRecordings() {}

  static byte[] bytes(String name) throws IOException {
    try (InputStream in =
        new GZIPInputStream(
            KeptRecordings.class.getResourceAsStream("/recordings/" + name + ".gz"))) {
      return in.readAllBytes();
    }
  }

  /** One as if it had been made later: another file for Ingest. */
  static byte[] later(String name, Duration later) throws IOException {
    byte[] bytes = bytes(name);
    ByteBuffer chunks = ByteBuffer.wrap(bytes);
    for (int chunk = 0; chunk < bytes.length; chunk += (int) chunks.getLong(chunk + CHUNK_SIZE)) {
      int begin = chunk + CHUNK_BEGIN;
      chunks.putLong(begin, chunks.getLong(begin) + later.toNanos());
    }
    return bytes;
  }

  /**
   * Writes the recordings, again and again, each some hours after the one before.
   *
   * @param first number of the first one, from 0; each number is another recording
   * @param count number of recordings
   */
  static void write(Path directory, int first, int count) throws IOException {
    Files.createDirectories(directory);
    for (int i = first; i < first + count; i++) {
      String name = NAMES.get(i % NAMES.size());
      Files.write(directory.resolve(i + "-" + name), later(name, Duration.ofHours(i)));
    }
  }

  /**
   * Asserts that each stack of a recording has the same sum in the tables as by {@code collapsed}.
   *
   * @param name one of {@link #NAMES}
   * @param file as the tables know it: the end of its path
   */
  static void assertSums(DuckTables tables, String name, String file) throws Exception {
    List<SampleChoice> choices =
        switch (name) {
          case "lab.jfr" -> List.of(SampleChoice.ofEvent("page-faults"));
          case "orders-17.jfr" -> List.of(SampleChoice.CPU, SampleChoice.WALL);
          default -> List.of(SampleChoice.CPU);
        };
    for (SampleChoice choice : choices) {
      String weight = choice.isEvent() ? "weight" : choice.isWall() ? "wall_ns" : "cpu_ns";
      Map<String, Long> sums = new HashMap<>();
      for (List<String> row :
          tables.rows(
              "SELECT array_to_string([f.text FOR f IN frames], ';'), len(frames), complete,"
                  + " end_reason, sum("
                  + weight
                  + ") FROM samples JOIN stacks USING (stack_id) WHERE source ="
                  + " (SELECT source FROM sources WHERE path LIKE '%/"
                  + file
                  + "') GROUP BY ALL HAVING sum("
                  + weight
                  + ") > 0")) {
        String marker =
            new StackEnd(row.get(3), Boolean.parseBoolean(row.get(2)))
                .marker(Integer.parseInt(row.get(1)))
                .map(text -> text + ";")
                .orElse("");
        String stack = (marker + row.get(0)).replaceFirst(";$", ""); // without frames
        sums.merge(stack, Long.parseLong(row.get(4)), Long::sum);
      }
      Map<String, Long> expected = collapsed(name, choice);
      Map<String, Long> missing = new TreeMap<>(expected);
      missing.entrySet().removeAll(sums.entrySet());
      sums.entrySet().removeAll(expected.entrySet());
      assertEquals(missing, new TreeMap<>(sums), name + ", " + choice.type());
    }
  }

  private static Map<String, Long> collapsed(String name, SampleChoice choice) throws Exception {
    Path file = Files.createTempFile("recording", ".jfr");
    try {
      Files.write(file, bytes(name));
      SampledRecording recording =
          SampledRecording.open(
              file, ReadingProgress.NONE, false, SampledFrame.Change.NONE, choice);
      StringBuilder text = new StringBuilder();
      new CollapsedExport(new CollapsedExport.Options(false, true, FrameNames.PLAIN), Selection.ALL)
          .writeText(recording, text);
      return text.toString()
          .lines()
          .collect(
              Collectors.toMap(
                  line -> Names.ofAllRuns(line.substring(0, line.lastIndexOf(' '))),
                  line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)),
                  Long::sum));
    } finally {
      Files.delete(file);
    }
  }
}
