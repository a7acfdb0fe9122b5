package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.BLOCKED;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;
import static stackweave.jfr.event.SampleRecord.Kind.EVENT;
import static stackweave.jfr.event.SampleRecord.Kind.MEMORY;
import static stackweave.jfr.event.SampleRecord.Kind.WALL;

import com.google.protobuf.DynamicMessage;
import io.opentelemetry.proto.profiles.v1development.Link;
import io.opentelemetry.proto.profiles.v1development.ProfilesData;
import io.opentelemetry.proto.profiles.v1development.Sample;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.Context;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.export.otlp.OtlpExport;
import stackweave.jfr.export.report.ReportExport;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.store.ContextDefinition;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.jfr.store.Unpooled;

/** Contexts of samples: in each chunk, by the reader, by {@code --label}, and in exports. */
class LabelledTest {
  private static final long MILLI = 1_000_000;
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  private static final SessionInfo SESSION =
      new SessionInfo(
          "test",
          "x86_64-linux-gnu",
          Unpooled.legend("0=native,4=C2"),
          "0=complete",
          "0",
          ThreadState.legend());

  @TempDir private Path directory;

  /**
   * In each of three chunks: 2 samples of A, 3 of B, 1 of neither, one wait of B, one block of A.
   */
  private List<Path> record() throws Exception {
    try (Recording first = new Recording();
        Recording all = new Recording()) {
      for (Recording recording : List.of(first, all)) {
        recording.enable(WallSample.NAME);
        recording.enable(Blocked.NAME).withoutThreshold();
        recording.start();
      }
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        write(store);
        write(store);
        first.dump(directory.resolve("first.jfr"));
        first.stop(); // a new chunk
        write(store);
      }
      Path file = directory.resolve("all.jfr");
      all.dump(file);
      return List.of(directory.resolve("first.jfr"), file);
    }
  }

  private static void write(EventStore store) {
    long start = System.nanoTime() - 5_000 * MILLI;
    long thread = store.thread(1, "worker", 1, false, 0, null);
    long run =
        store.node(
            EventStore.ROOT,
            store.method(MethodDefinition.java("app.Job", "run", "()V", 1, "")),
            4,
            1,
            0);
    long a = store.context(new ContextDefinition(TRACE, SPAN, "endpoint=/a;thread=x"));
    long b = store.context(new ContextDefinition("no id", "", "endpoint=/b"));
    long[] contexts = {a, b, b, 0, a, b};
    for (int i = 0; i < contexts.length; i++) {
      assertTrue(
          store.write(
              new SampleRecord()
                  .begin(CPU, start + i * 10 * MILLI, 10 * MILLI)
                  .stack(thread, run, 0, contexts[i])));
    }
    int park = ThreadState.PARK.code();
    assertTrue(
        store.write(
            new SampleRecord()
                .begin(WALL, start, 70 * MILLI)
                .stack(thread, run, 0, b)
                .state(park)));
    assertTrue(
        store.write(
            new SampleRecord()
                .begin(BLOCKED, start, 30 * MILLI)
                .stack(thread, run, 0, a)
                .state(park)));
    store.flush();
  }

  @Test
  void everyChunkHasItsContexts() throws Exception {
    for (Path file : record()) {
      Map<Long, String> contexts = new HashMap<>();
      RecordingFile.readAllEvents(file).stream()
          .filter(event -> event.getEventType().getName().equals(Context.NAME))
          .forEach(
              event -> contexts.put(event.getLong("contextId"), event.getString("labels").strip()));
      assertEquals(
          List.of("endpoint=/a;thread=x", "endpoint=/b"),
          contexts.values().stream().sorted().toList());
      SampledRecording recording = SampledRecording.open(file);
      Map<String, Long> counts = new HashMap<>();
      recording.forEachSample(
          sample ->
              counts.merge(sample.context().labels().getOrDefault("endpoint", ""), 1L, Long::sum));
      long chunks = recording.samples() / 6;
      assertEquals(Map.of("/a", 2 * chunks, "/b", 3 * chunks, "", chunks), counts);
      Set<String> blocked = new HashSet<>();
      recording.forEachBlocked(
          block -> blocked.add(block.context().labels().getOrDefault("endpoint", "")));
      assertEquals(Set.of("/a"), blocked);
      RecordingFile.readAllEvents(file).stream()
          .filter(event -> event.getEventType().getName().equals(Blocked.NAME))
          .forEach(
              event ->
                  assertEquals("endpoint=/a;thread=x", contexts.get(event.getLong("contextId"))));
    }
  }

  @Test
  void labelsChooseSamples() throws Exception {
    Path file = record().get(1);
    assertEquals(2 * 3, open(file, false, "endpoint=/a").samples());
    assertEquals(3 * 3, open(file, false, "endpoint=/b").samples());
    assertEquals(5 * 3, open(file, false, "endpoint=/a", "endpoint=/b").samples());
    assertEquals(2 * 3, open(file, false, "endpoint=/a", "trace_id=" + TRACE).samples());
    SampledRecording wall = open(file, true, "endpoint=/b");
    assertEquals(4 * 3, wall.samples());
    assertEquals(3 * (30 + 70) * MILLI, wall.weightNanos());
    long[] sums = new long[2];
    wall.forEachStackSum((sum, series) -> sums[0] += sum.count());
    wall.forEachSum(wall.first(), wall.last().plusNanos(1), sum -> sums[1] += sum.count());
    assertEquals(4 * 3, sums[0]);
    assertEquals(4 * 3, sums[1]);
    RecordingException none =
        assertThrows(RecordingException.class, () -> open(file, false, "endpoint=/a", "thread=y"));
    assertTrue(none.getMessage().contains("it has endpoint=/a, endpoint=/b"), none::getMessage);
  }

  private static SampledRecording open(Path file, boolean wall, String... labels)
      throws RecordingException {
    return WaitingWork.open(file, SampleChoice.of(wall, List.of()).withLabels(List.of(labels)));
  }

  /** The labels of an event and of memory, which no other sample has. */
  @Test
  void labelsChooseEventsAndNativeMemory() throws Exception {
    Path file = directory.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(NativeMemory.NAME);
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        long start = System.nanoTime() - 5_000 * MILLI;
        long thread = store.thread(1, "worker", 1, false, 0, null);
        long method = store.method(MethodDefinition.java("app.Job", "run", "()V", 1, ""));
        long run = store.node(EventStore.ROOT, method, 4, 1, 0);
        long a = store.context(new ContextDefinition("", "", "endpoint=/a"));
        long b = store.context(new ContextDefinition("", "", "endpoint=/b"));
        assertTrue(
            store.write(
                new SampleRecord()
                    .begin(EVENT, start, 7)
                    .stack(thread, run, 0, a)
                    .of("page-faults")));
        assertTrue(
            store.write(
                new SampleRecord()
                    .begin(EVENT, start + MILLI, 5)
                    .stack(thread, run, 0, 0)
                    .of("page-faults")));
        assertTrue(
            store.write(
                new SampleRecord()
                    .begin(MEMORY, start, 32_768)
                    .stack(thread, run, 0, b)
                    .at(1 << 12)));
        assertTrue(
            store.write(
                new SampleRecord()
                    .begin(MEMORY, start + MILLI, -8_192)
                    .stack(thread, run, 0, b)
                    .at(1 << 12)));
        assertTrue(
            store.write(
                new SampleRecord()
                    .begin(MEMORY, start, 4_096)
                    .stack(thread, run, 0, 0)
                    .at(2 << 12)));
        store.flush();
      }
      recording.dump(file);
    }
    assertEquals(List.of(12L, 12L, 12L), weights(file, "page-faults"));
    assertEquals(List.of(7L, 7L, 7L), weights(file, "page-faults", "endpoint=/a"));
    assertEquals(List.of(28_672L, 28_672L, 28_672L), weights(file, "native-memory"));
    assertEquals(List.of(24_576L, 24_576L, 24_576L), weights(file, "native-memory", "endpoint=/b"));
    RecordingException none =
        assertThrows(RecordingException.class, () -> weights(file, "native-memory", "endpoint=/a"));
    assertTrue(none.getMessage().contains("it has endpoint=/b"), none::getMessage);
  }

  /** The weight of all samples: by stack, by stack of a time, one by one. */
  private static List<Long> weights(Path file, String event, String... labels)
      throws RecordingException {
    SampledRecording recording =
        WaitingWork.open(file, SampleChoice.ofEvent(event).withLabels(List.of(labels)));
    long[] sums = new long[2];
    recording.forEachSum(Instant.MIN, Instant.MAX, sum -> sums[0] += sum.weightNanos());
    recording.forEachSample(sample -> sums[1] += sample.weightNanos());
    return List.of(recording.weightNanos(), sums[0], sums[1]);
  }

  @Test
  void exportsHaveLabelsAndLinks() throws Exception {
    SampledRecording recording = SampledRecording.open(record().get(1));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new OtlpExport("test", Selection.ALL).write(recording, out);
    ProfilesData data = ProfilesData.parseFrom(out.toByteArray());
    Map<String, Long> counts = new HashMap<>();
    for (Sample sample :
        data.getResourceProfiles(0).getScopeProfiles(0).getProfiles(1).getSamplesList()) {
      Map<String, String> attributes =
          sample.getAttributeIndicesList().stream()
              .map(index -> data.getDictionary().getAttributeTable(index))
              .collect(
                  Collectors.toMap(
                      a -> data.getDictionary().getStringTable(a.getKeyStrindex()),
                      a -> a.getValue().getStringValue()));
      Link link = data.getDictionary().getLinkTable(sample.getLinkIndex());
      HexFormat hex = HexFormat.of();
      String ids =
          hex.formatHex(link.getTraceId().toByteArray())
              + hex.formatHex(link.getSpanId().toByteArray());
      String label = attributes.getOrDefault("endpoint", "none");
      assertEquals(label.equals("/a") ? TRACE + SPAN : "0".repeat(48), ids);
      assertEquals(label.equals("/b") ? "no id" : null, attributes.get("trace_id"));
      assertEquals("worker", attributes.get("thread.name"));
      counts.merge(label, sample.getValues(0), Long::sum);
    }
    assertEquals(Map.of("/a", 6L, "/b", 9L, "none", 3L), counts);
  }

  @Test
  void theReportHasTheShareOfEachLabel() throws Exception {
    SampledRecording recording = SampledRecording.open(record().get(1));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new ReportExport("test", "rec.jfr", false).write(recording, out);
    String report = out.toString(StandardCharsets.UTF_8);
    assertTrue(report.contains("83.3 % of the CPU time has labels"), report);
    assertTrue(report.contains("50.0 %  endpoint=/b"), report);
    assertTrue(report.contains("33.3 %  endpoint=/a"), report);
    out.reset();
    recording = open(record().get(1), true);
    new ReportExport("test", "rec.jfr", false).write(recording, out);
    report = out.toString(StandardCharsets.UTF_8);
    assertTrue(report.matches("(?s).*FOR WHOM IT WAS.* %  endpoint=/b.*"), report);
  }

  @Test
  void pprofHasLabelsBesideItsOwn() throws Exception {
    SampledRecording recording = SampledRecording.open(record().get(1));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new PprofExport(Selection.ALL).write(recording, out);
    PprofMessage decoded = new PprofMessage(out.toByteArray());
    Set<String> labels = new TreeSet<>();
    for (DynamicMessage sample : PprofMessage.messages(decoded.message(), "sample")) {
      Map<String, String> own = decoded.labels(sample);
      assertEquals("worker", own.get("thread"));
      labels.add(own.get("endpoint") + " " + own.get("label.thread") + " " + own.get("trace_id"));
    }
    assertEquals(Set.of("/a x " + TRACE, "/b null no id", "null null null"), labels);
  }
}
