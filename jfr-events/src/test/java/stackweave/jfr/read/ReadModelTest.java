package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.ModuleDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.jfr.store.SyntheticStacks;

/** What is written of a frame, a thread and a sample is what the read model has of it. */
class ReadModelTest {
  @TempDir private Path directory;

  private interface Writing {
    void write(EventStore store) throws Exception;
  }

  private List<Sample> record(Writing writing) throws Exception {
    Path file = directory.resolve("model.jfr");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(SyntheticStacks.SESSION, StoreLimits.DEFAULT)) {
      recording.start();
      writing.write(store);
      recording.dump(file);
    }
    List<Sample> samples = new ArrayList<>();
    SampledRecording.open(file).forEachSample(samples::add);
    return samples;
  }

  /** Its first samples may come before its Java thread is known. */
  @Test
  void aThreadIsOneBeforeAndAfterItsJavaThreadIsKnown() throws Exception {
    List<StackThread> threads = new ArrayList<>();
    record(
            store -> {
              long time = System.nanoTime();
              for (long thread :
                  new long[] {
                    store.thread(77, "worker", 0, false, 0, null),
                    store.thread(77, "worker", 5, false, 0, null),
                    store.thread(78, "reused", 0, false, 0, null),
                    store.thread(78, "reused", 6, false, 0, null),
                    store.thread(78, "reused", 7, false, 0, null),
                    store.thread(79, "native", 0, false, 0, null),
                    store.thread(77, "renamed", 0, false, 0, null),
                    store.thread(80, "cut by the kern", 0, false, 0, null),
                    store.thread(80, "cut by the kernel", 8, false, 0, null),
                    store.thread(81, "without..middle", 0, false, 0, null),
                    store.thread(81, "without their middle", 9, false, 0, null),
                  }) {
                store.write(new SampleRecord().begin(CPU, time++, 1).stack(thread, 0, 2, 0));
              }
            })
        .forEach(sample -> threads.add(sample.thread()));
    assertEquals(
        List.of(
            new StackThread("worker", 77, 5, false, 0),
            new StackThread("worker", 77, 5, false, 0),
            new StackThread("reused", 78, 0, false, 0),
            new StackThread("reused", 78, 6, false, 0),
            new StackThread("reused", 78, 7, false, 0),
            new StackThread("native", 79, 0, false, 0),
            new StackThread("renamed", 77, 0, false, 0),
            new StackThread("cut by the kernel", 80, 8, false, 0),
            new StackThread("cut by the kernel", 80, 8, false, 0),
            new StackThread("without their middle", 81, 9, false, 0),
            new StackThread("without their middle", 81, 9, false, 0)),
        threads);
  }

  @Test
  void framesKeepTheirFacts() throws Exception {
    Sample sample =
        record(
                store -> {
                  long libc =
                      store.module(
                          new ModuleDefinition(
                              "/usr/lib/libc.so.6",
                              "c0ffee",
                              0x7000,
                              0x9000,
                              "eh_frame",
                              "no .sframe",
                              3,
                              ".symtab"));
                  long clone = store.method(MethodDefinition.symbol(libc, "clone3", 0x1230));
                  long run =
                      store.method(MethodDefinition.java("a.Main", "run", "(I)V", 9, "Main.java"));
                  long stub = store.method(MethodDefinition.stub("call_stub"));
                  long node = store.node(EventStore.ROOT, clone, 0, -1, 7);
                  node = store.node(node, stub, 7, -1, 3);
                  node = store.node(node, run, 4, 42, 5);
                  long thread = store.thread(77, "", 5, true, 9, null);
                  store.write(
                      new SampleRecord()
                          .begin(CPU, System.nanoTime(), 10_000_000)
                          .stack(thread, node, 2, 4_711));
                })
            .get(0);
    assertEquals(ProcessHandle.current().pid(), sample.session().pid());
    assertEquals("running", sample.state());
    assertEquals(10_000_000, sample.weightNanos());
    assertEquals(4_711, sample.contextId());
    assertEquals(new StackEnd("truncated", false), sample.end());
    assertEquals(new StackThread("", 77, 5, true, 9), sample.thread());
    assertEquals(StackThread.NAMELESS_VIRTUAL, sample.thread().text());

    SampledModule libc =
        new SampledModule(
            "/usr/lib/libc.so.6",
            "libc.so.6",
            "c0ffee",
            0x7000,
            0x9000,
            "eh_frame",
            "no .sframe",
            3,
            ".symtab",
            false);
    assertEquals(
        List.of(
            new SampledFrame(
                new SampledMethod(libc, "", "clone3", "", 0, "", 0x1230), "native", 0, 7),
            new SampledFrame(new SampledMethod(null, "", "call_stub", "", 0, "", 0), "stub", 0, 3),
            new SampledFrame(
                new SampledMethod(null, "a.Main", "run", "(I)V", 9, "Main.java", 0), "C2", 42, 5)),
        sample.frames());
    assertEquals(
        List.of("clone3 [libc.so.6]", "call_stub", "a.Main.run"),
        sample.frames().stream().map(SampledFrame::text).toList());
  }

  /** A way that is no guess is kept, too. */
  @Test
  void framesKeepHowTheyWereFound() throws Exception {
    SessionInfo info =
        new SessionInfo("", "", "0=native", "0=complete", "0", "", "0=x,5=fp,6=by jump", "6");
    Path file = directory.resolve("found.jfr");
    try (Recording recording = new Recording();
        EventStore store = EventStore.open(info, StoreLimits.DEFAULT)) {
      recording.start();
      long method = store.method(MethodDefinition.symbol(0, "f", 0));
      long thread = store.thread(1, "main", 1, false, 0, null);
      long node = store.node(EventStore.ROOT, method, 0, -1, 1);
      node = store.node(node, method, 0, -1, 2, 6);
      node = store.node(node, method, 0, -1, 3, 5);
      store.write(new SampleRecord().begin(CPU, System.nanoTime(), 1).stack(thread, node, 0, 0));
      // The same frames otherwise.
      node = store.node(store.node(EventStore.ROOT, method, 0, -1, 1), method, 0, -1, 2);
      store.write(new SampleRecord().begin(CPU, System.nanoTime(), 1).stack(thread, node, 0, 0));
      store.flush();
      recording.dump(file);
    }
    List<List<FoundWay>> found = new ArrayList<>();
    SampledRecording.open(file)
        .forEachSample(
            sample -> found.add(sample.frames().stream().map(SampledFrame::found).toList()));
    assertEquals(
        List.of(
            List.of(FoundWay.TABLES, new FoundWay("by jump", true), new FoundWay("fp", false)),
            List.of(FoundWay.TABLES, FoundWay.TABLES)),
        found);
  }

  /** The library is a fact: brackets in a symbol don't hide it. */
  @Test
  void theLibraryOfAFrameIsNotReadFromItsText() throws Exception {
    List<Sample> samples =
        record(
            store -> {
              long lib =
                  store.module(new ModuleDefinition("/opt/libapp.so", "", 1, 2, "", "", 0, ""));
              long thread = store.thread(1, "main", 1, false, 0, null);
              for (String symbol : List.of("to_string[abi:cxx11]", "libapp.so+0x10", "")) {
                long method = store.method(MethodDefinition.symbol(lib, symbol, 0));
                long node = store.node(EventStore.ROOT, method, 0, -1, 0);
                store.write(
                    new SampleRecord().begin(CPU, System.nanoTime(), 1).stack(thread, node, 0, 0));
              }
            });
    List<FrameText> texts =
        samples.stream().map(sample -> FrameText.of(sample.frames().get(0))).toList();
    assertEquals(
        new FrameText("to_string[abi:cxx11] [libapp.so]", "to_string[abi:cxx11]", "libapp.so"),
        texts.get(0));
    assertEquals(new FrameText("libapp.so+0x10", "", "libapp.so"), texts.get(1));
    assertEquals(new FrameText("[libapp.so]", "", "libapp.so"), texts.get(2));
    assertSame(
        samples.get(0).frames().get(0).method().module(),
        samples.get(1).frames().get(0).method().module());
  }

  /** Chunk by chunk, against the JDK's own reader: each frame of each sample. */
  @Test
  void itSaysWhatTheEventsSay() throws Exception {
    Path file = FirstSchemaRecording.in(directory);
    Map<Long, RecordedEvent> frames = new HashMap<>();
    Map<Long, RecordedEvent> methods = new HashMap<>();
    Map<Long, RecordedEvent> byContext = new HashMap<>();
    for (Path chunk : Chunks.extract(file)) {
      // One by one: from chunk to chunk JDK 17 goes on with the clock of the first.
      for (RecordedEvent event : RecordingFile.readAllEvents(chunk)) {
        switch (event.getEventType().getName()) {
          case "stackweave.Frame" -> frames.put(event.getLong("id"), event);
          case "stackweave.Method" -> methods.put(event.getLong("id"), event);
          case "stackweave.NativeSample" -> byContext.put(event.getLong("contextId"), event);
          default -> {}
        }
      }
      Files.delete(chunk);
    }
    int[] seen = new int[2];
    SampledRecording.open(file)
        .forEachSample(
            sample -> {
              RecordedEvent event = byContext.get(sample.contextId());
              assertEquals(event.getStartTime(), sample.time());
              seen[0]++;
              long id = event.getLong("stackId");
              for (int i = sample.frames().size() - 1; i >= 0; i--) {
                SampledFrame frame = sample.frames().get(i);
                RecordedEvent written = frames.get(id);
                RecordedEvent method = methods.get(written.getLong("methodId"));
                assertEquals(written.getInt("line"), frame.line());
                assertEquals(written.getLong("offset"), frame.offset());
                assertEquals(method.getString("name"), frame.method().name());
                assertEquals(method.getString("className"), frame.method().className());
                assertEquals(method.getString("descriptor"), frame.method().descriptor());
                assertEquals(method.getString("sourceFile"), frame.method().sourceFile());
                assertEquals(method.getLong("start"), frame.method().start());
                if (method.getLong("moduleId") == 0) {
                  assertNull(frame.method().module());
                } else {
                  assertEquals("c0ffee", frame.method().module().buildId());
                }
                id = written.getLong("parentId");
                seen[1]++;
              }
              assertEquals(0, id);
            });
    assertEquals(50, seen[0]);
    assertTrue(seen[1] > 50 * 30, "frames: " + seen[1]);
  }
}
