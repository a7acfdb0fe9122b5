package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import jdk.jfr.StackTrace;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.export.ExportedStacks;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SampleWriter;
import stackweave.jfr.store.StoreLimits;
import stackweave.jfr.store.SyntheticStacks;

/** Files of every sort of trouble, and what other readers say of the same file. */
class SampledRecordingTest {
  private static final int CHUNKS = 4;
  private static final int PER_CHUNK = 500;

  static final int SAMPLES = CHUNKS * PER_CHUNK;

  @TempDir private static Path recorded;
  @TempDir private Path directory;
  private Path whole;

  @BeforeAll
  static void record() throws Exception {
    record(recorded.resolve("whole.jfr"));
  }

  @BeforeEach
  void copy() throws Exception {
    whole = Files.copy(recorded.resolve("whole.jfr"), directory.resolve("whole.jfr"));
  }

  /** Four chunks of 500 samples each. */
  static void record(Path whole) throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      try (SampleWriter writer = new SampleWriter()) {
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
          writer.write(chunk * PER_CHUNK, PER_CHUNK);
          rotate();
        }
      }
      recording.dump(whole);
    }
  }

  private static void rotate() throws Exception {
    try (Recording other = new Recording()) {
      other.setToDisk(true);
      other.start();
    }
  }

  @Test
  void aWholeRecording() throws Exception {
    SampledRecording profile = SampledRecording.open(whole);
    assertEquals(SAMPLES, profile.samples());
    assertEquals(0, profile.unresolved());
    assertEquals(List.of(), profile.losses());
    assertEquals(1, profile.sessions().size());
    assertEquals(2, profile.sessions().get(0).schemaVersion());
    assertEquals(ProcessHandle.current().pid(), profile.sessions().get(0).pid());
    assertEquals(SAMPLES * 1_000L, profile.weightNanos());
    assertEquals("synthetic", profile.figures().engine());
    assertEquals(SAMPLES, profile.figures().get(Counter.WRITTEN));
    assertEquals(Map.of("complete", (long) SAMPLES), profile.figures().get(Breakdown.ENDS));
  }

  static Stream<Trouble> troubles() {
    return Stream.of(
        new Trouble("no such file", file -> Files.delete(file)),
        new Trouble("is a directory", SampledRecordingTest::makeDirectory),
        new Trouble("is empty", file -> Files.write(file, new byte[0])),
        new Trouble(
            "not a JFR recording", file -> Files.writeString(file, "not a recording at all")),
        new Trouble("not a JFR recording", file -> Files.write(file, new byte[] {'F', 'L'})),
        new Trouble("cut short within its header (20 bytes)", file -> cut(file, 20)),
        new Trouble("cut short within its header (67 bytes)", file -> cut(file, 67)),
        new Trouble("cut short", file -> cut(file, 68)),
        new Trouble("cut short", file -> cut(file, 5_000)),
        new Trouble("holds no samples of Stackweave", SampledRecordingTest::recordOthers));
  }

  private record Trouble(String says, Maker maker) {
    @Override
    public String toString() {
      return says;
    }
  }

  private interface Maker {
    void make(Path file) throws Exception;
  }

  @ParameterizedTest
  @MethodSource("troubles")
  void nothingToRead(Trouble trouble) throws Exception {
    trouble.maker().make(whole);
    RecordingException e =
        assertThrows(RecordingException.class, () -> SampledRecording.open(whole));
    assertTrue(e.getMessage().contains(trouble.says()), e.getMessage());
    assertTrue(e.getMessage().startsWith(whole.toString()), e.getMessage());
    assertFalse(e.getMessage().contains("\n"), e.getMessage());
  }

  private static void makeDirectory(Path file) throws Exception {
    Files.delete(file);
    Files.createDirectory(file);
  }

  private static void recordOthers(Path file) throws Exception {
    try (Recording recording = new Recording()) {
      recording.enable("jdk.JVMInformation");
      recording.start();
      recording.dump(file);
    }
  }

  private static void cut(Path file, long length) throws Exception {
    try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw")) {
      access.setLength(length);
    }
  }

  /** Wherever a recording ends: what its whole chunks hold is read, and the loss is said. */
  @Test
  void aRecordingCutShortAnywhere() throws Exception {
    List<ChunkHeader> chunks = ChunkList.scan(whole).chunks();
    assertTrue(chunks.size() >= CHUNKS, "chunks: " + chunks.size());
    long[] samplesUpTo = new long[chunks.size() + 1];
    for (int i = 0; i < chunks.size(); i++) {
      samplesUpTo[i + 1] = samplesUpTo[i] + samplesOf(chunks.get(i));
    }
    byte[] bytes = Files.readAllBytes(whole);
    Path file = directory.resolve("cut.jfr");
    int cuts = 0;
    for (int i = 1; i < chunks.size(); i++) {
      ChunkHeader chunk = chunks.get(i);
      for (long into : new long[] {1, 67, 68, chunk.size() / 2, chunk.size() - 1}) {
        try (OutputStream out = Files.newOutputStream(file)) {
          out.write(bytes, 0, (int) (chunk.position() + into));
        }
        SampledRecording profile = SampledRecording.open(file);
        assertEquals(samplesUpTo[i], profile.samples(), "cut " + into + " into chunk " + i);
        assertEquals(0, profile.unresolved());
        assertEquals(1, profile.losses().size(), profile.losses().toString());
        cuts++;
      }
    }
    assertTrue(cuts >= 3 * 5);
  }

  private long samplesOf(ChunkHeader chunk) throws Exception {
    Path file = Chunks.extract(whole, chunk);
    try {
      return SampledRecording.open(file).samples();
    } catch (RecordingException e) {
      return 0;
    } finally {
      Files.delete(file);
    }
  }

  /** A chunk whose inside is damaged costs no other chunk, and never an unchecked exception. */
  @Test
  void aDamagedChunkCostsNoOther() throws Exception {
    List<ChunkHeader> chunks = ChunkList.scan(whole).chunks();
    byte[] bytes = Files.readAllBytes(whole);
    Path file = directory.resolve("damaged.jfr");
    for (int damage = 0; damage < 8; damage++) {
      byte[] damaged = bytes.clone();
      ChunkHeader chunk = chunks.get(1);
      int from = (int) (chunk.position() + 68 + damage * (chunk.size() - 68) / 8);
      for (int i = from; i < Math.min(from + 200, chunk.position() + chunk.size()); i++) {
        damaged[i] = (byte) (i * 31 + damage);
      }
      Files.write(file, damaged);
      SampledRecording profile = SampledRecording.open(file);
      assertTrue(
          profile.samples() >= (CHUNKS - 1) * PER_CHUNK,
          "damage at " + from + ": " + profile.samples() + " " + profile.losses());
    }
  }

  /** Two processes in one file have the same ids for different things. */
  @Test
  void sessionsStayApart() throws Exception {
    Path other = directory.resolve("other.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (SampleWriter writer = new SampleWriter()) {
        writer.write(7_777, 300);
      }
      recording.dump(other);
    }
    Path both = directory.resolve("both.jfr");
    try (OutputStream out = Files.newOutputStream(both)) {
      Files.copy(whole, out);
      Files.copy(other, out);
    }
    SampledRecording profile = SampledRecording.open(both);
    assertEquals(2, profile.sessions().size());
    assertEquals(SAMPLES + 300, profile.samples());
    Map<String, Long> expected = counts(SampledRecording.open(whole));
    counts(SampledRecording.open(other)).forEach((stack, n) -> expected.merge(stack, n, Long::sum));
    assertEquals(expected, counts(profile));

    List<String> sessions = new ArrayList<>();
    SampledRecording.open(both).forEachSample(s -> sessions.add(s.session().uuid()));
    assertEquals(SAMPLES + 300, sessions.size());
    assertEquals(2, sessions.stream().distinct().count());
  }

  private static Map<String, Long> counts(SampledRecording profile) throws Exception {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    ExportedStacks.collapsed(true).write(profile, text);
    Map<String, Long> counts = new TreeMap<>();
    for (String line : text.toString(StandardCharsets.UTF_8).split("\n")) {
      int space = line.lastIndexOf(' ');
      counts.put(line.substring(0, space), Long.parseLong(line.substring(space + 1)));
    }
    return counts;
  }

  /** The status as the first agents wrote it. */
  @Name("stackweave.SamplerStatus")
  @StackTrace(false)
  static final class OldStatus extends Event {
    String engine = "perf";
    long interval = 1_000_000;
    long taken = 20;
    long written = 15;
    String ends = "complete=14,truncated=1";
  }

  /** What an older agent did not know is 0 or empty. */
  @Test
  void aStatusWithFewerFieldsIsRead() throws Exception {
    Path old = directory.resolve("old.jfr");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT)) {
      recording.start();
      long thread = store.thread(1, "main", 1, false, 0, null);
      assertTrue(
          store.write(
              new SampleRecord().begin(CPU, System.nanoTime(), 5_000).stack(thread, 0, 0, 0)));
      new OldStatus().commit();
      new OldStatus().commit();
      recording.dump(old);
    }
    SamplerFigures figures = SampledRecording.open(old).figures();
    assertEquals("perf", figures.engine());
    assertEquals("", figures.note());
    assertEquals(1_000_000, figures.get(Counter.INTERVAL));
    assertEquals(40, figures.get(Counter.TAKEN));
    assertEquals(30, figures.get(Counter.WRITTEN));
    assertEquals(0, figures.get(Counter.LOST));
    assertEquals(5_000, figures.get(Counter.CPU_COVERED), "as the samples say");
    assertEquals(Map.of("complete", 28L, "truncated", 2L), figures.get(Breakdown.ENDS));
    assertEquals(Map.of(), figures.get(Breakdown.RESETS));
  }

  /** What the consumer throws is the consumer's: it is no damage of the recording. */
  @Test
  void exceptionsOfTheConsumerPass() {
    assertThrows(
        ArithmeticException.class,
        () ->
            SampledRecording.open(whole)
                .forEachSample(
                    sample -> {
                      throw new ArithmeticException();
                    }));
  }

  /** JMC reads it. */
  @Test
  void jmcReadsIt() throws Exception {
    IItemCollection events = JfrLoaderToolkit.loadEvents(whole.toFile());
    long samples = 0;
    for (IItemIterable items : events.apply(ItemFilters.type("stackweave.StackSample"))) {
      samples += items.getItemCount();
      assertEquals("Stack Sample", items.getType().getName());
    }
    assertEquals(SAMPLES, samples);
  }
}
