package stackweave.jfr.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;
import static stackweave.jfr.event.SampleRecord.Kind.WALL;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.Session;
import stackweave.jfr.event.StackSample;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.Chunks;
import stackweave.jfr.read.FirstSchemaRecording;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.SampleKind;

/** What is written is read back, whatever happens between two samples. */
class SchemaTest {
  private static final int SAMPLES = 500;

  @TempDir Path directory;

  /** A frame as it was written. */
  private record Written(
      MethodDefinition method, ModuleDefinition module, int kind, int line, long offset) {}

  /** A sample as it was written, found again by its context. */
  private record Taken(
      boolean isWaiting,
      List<Written> frames,
      long tid,
      String thread,
      boolean virtual,
      long weight,
      int end) {}

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void whatIsWrittenIsReadBack(long seed) throws Exception {
    Random random = new Random(seed);
    List<ModuleDefinition> modules = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      modules.add(
          new ModuleDefinition(
              "/opt/lib" + i + ".so",
              i % 3 == 0 ? "" : "c0ffee" + i,
              random.nextLong(),
              random.nextLong(),
              "eh_frame",
              i % 2 == 0 ? "" : "no .sframe",
              i,
              ".symtab"));
    }
    List<MethodDefinition> methods = new ArrayList<>();
    List<Integer> moduleOf = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      methods.add(method(random, i));
      moduleOf.add(methods.get(i).className().isEmpty() ? random.nextInt(modules.size()) : -1);
    }
    Path file = directory.resolve("all.jfr");
    Map<Long, Taken> expected = new HashMap<>();
    try (Recording recording = new Recording();
        EventStore store =
            EventStore.open(SyntheticStacks.SESSION, new StoreLimits(20_000, 9_999, 99, 99))) {
      recording.enable(WallSample.NAME);
      recording.start();
      List<Written> stack = new ArrayList<>();
      for (int number = 1; number <= SAMPLES; number++) {
        disturb(random, store, recording);
        // As programs do: some frames are left, others entered.
        int keep = random.nextInt(stack.size() + 1);
        stack = new ArrayList<>(stack.subList(0, Math.min(keep, 60)));
        int more = random.nextInt(20) == 0 ? 1_200 : random.nextInt(30);
        for (int i = 0; i < more; i++) {
          int method = random.nextInt(methods.size());
          int module = moduleOf.get(method);
          stack.add(
              new Written(
                  methods.get(method),
                  module < 0 ? null : modules.get(module),
                  random.nextInt(10),
                  random.nextInt(4) == 0 ? -1 : random.nextInt(3_000),
                  random.nextInt(50) == 0 ? random.nextLong() : random.nextInt(500)));
        }
        store.beginStack();
        long node = EventStore.ROOT;
        for (Written frame : stack) {
          node = store.node(node, id(store, frame), frame.kind, frame.line, frame.offset);
        }
        long tid = 100 + random.nextInt(9);
        boolean virtual = random.nextInt(5) == 0;
        String name = "thread-" + tid;
        long key = store.thread(tid, name, tid, virtual, virtual ? 7 : 0, null);
        long weight = 10_000_000L * (1 + random.nextInt(3));
        int end = random.nextInt(4);
        boolean isWaiting = random.nextInt(3) == 0;
        long now = System.nanoTime();
        int socket = ThreadState.SOCKET.code();
        assertTrue(
            isWaiting
                ? store.write(
                    new SampleRecord()
                        .begin(WALL, now, weight)
                        .stack(key, node, end, number)
                        .state(socket))
                : store.write(
                    new SampleRecord().begin(CPU, now, weight).stack(key, node, end, number)));
        expected.put(
            (long) number,
            new Taken(isWaiting, List.copyOf(stack), tid, name, virtual, weight, end));
      }
      store.flush();
      recording.dump(file);
    }
    compare(file, expected);
    assertEquals(0, Chunks.unresolved(file));
    assertEquals(
        Session.SCHEMA_VERSION,
        RecordingFile.readAllEvents(file).stream()
            .filter(event -> event.getEventType().getName().equals(Session.NAME))
            .mapToInt(event -> event.getInt("schemaVersion"))
            .distinct()
            .sum());
  }

  private void disturb(Random random, EventStore store, Recording recording) throws Exception {
    switch (random.nextInt(100)) {
      case 0 -> {
        Path dump = directory.resolve("rotates.jfr");
        recording.dump(dump);
        Files.delete(dump);
      }
      case 1 -> store.newGeneration();
      case 2 -> store.repeatDefinitions();
      case 3 -> store.flush();
      case 4 -> {
        try (Recording other = new Recording()) {
          other.start();
        }
      }
      default -> {
        // Undisturbed.
      }
    }
  }

  private static long id(EventStore store, Written frame) {
    MethodDefinition method = frame.method;
    return store.method(
        frame.module == null
            ? method
            : new MethodDefinition(
                store.module(frame.module),
                method.className(),
                method.name(),
                method.descriptor(),
                method.modifiers(),
                method.sourceFile(),
                method.start()));
  }

  private static MethodDefinition method(Random random, int number) {
    String[] classes = {
      "Main",
      "org.example.Outer$Inner",
      "org.example.Outer",
      "$Odd",
      "a.$",
      "x.Hidden/0x0000000800c03000",
      "ünï.Çlass",
      "数.据?",
      "\ud800lone.Surrogate",
      "\ud83d\ude00 pair?"
    };
    String[] sources = {
      "Outer.java", "", "Main.java", "Klasse.kt", "$.java", "ünï.java", ".java", "$Odd.java"
    };
    return switch (number % 5) {
      case 0 -> MethodDefinition.symbol(0, "operator?:(char, \u00e9)" + number, random.nextLong());
      case 1 -> MethodDefinition.stub("StubRoutines (" + number + ")");
      case 2 ->
          MethodDefinition.java(
              classes[random.nextInt(classes.length)], "\u03bb" + number, "()V", -1, "");
      default ->
          MethodDefinition.java(
              classes[random.nextInt(classes.length)],
              "method" + number % 90,
              "(Lorg/example/Outer;I)Lorg/example/Outer$Inner;",
              random.nextInt(0x1000),
              sources[random.nextInt(sources.length)]);
    };
  }

  private static void compare(Path file, Map<Long, Taken> expected) throws Exception {
    SampledRecording recording =
        SampledRecording.open(
            file, ReadingProgress.NONE, false, SampledFrame.Change.NONE, SampleChoice.WALL);
    assertEquals(List.of(), recording.losses());
    long waiting = expected.values().stream().filter(Taken::isWaiting).count();
    assertEquals(waiting, recording.waitingSamples());
    assertEquals(expected.size() - waiting, SampledRecording.open(file).samples());
    Map<Long, Taken> left = new HashMap<>(expected);
    recording.forEachSample(
        sample -> {
          Taken taken = left.remove(sample.contextId());
          assertTrue(taken != null, "not written, or twice: " + sample.contextId());
          assertEquals(taken.weight, sample.weightNanos());
          assertEquals(taken.isWaiting ? SampleKind.WAITING : SampleKind.CPU, sample.kind());
          assertEquals(taken.isWaiting ? "state 8" : "running", sample.state());
          assertEquals(
              List.of("complete", "thread entry", "truncated", "unreadable memory").get(taken.end),
              sample.end().label());
          assertEquals(taken.tid, sample.thread().osThreadId());
          assertEquals(taken.thread, sample.thread().name());
          assertEquals(taken.virtual, sample.thread().isVirtual());
          assertEquals(taken.virtual ? 7 : 0, sample.thread().carrierId());
          assertEquals(taken.frames.size(), sample.frames().size());
          for (int i = 0; i < taken.frames.size(); i++) {
            compare(taken.frames.get(i), sample.frames().get(i));
          }
        });
    assertEquals(Map.of(), left);
  }

  private static void compare(Written written, SampledFrame read) {
    assertEquals(Math.max(0, written.line), read.line());
    assertEquals(written.offset, read.offset());
    SampledMethod method = read.method();
    assertEquals(written.method.className(), method.className());
    assertEquals(written.method.name(), method.name());
    assertEquals(written.method.descriptor(), method.descriptor());
    assertEquals(written.method.modifiers(), method.modifiers());
    assertEquals(written.method.sourceFile(), method.sourceFile());
    assertEquals(written.method.start(), method.start());
    SampledModule module = method.module();
    if (written.module == null) {
      assertNull(module);
    } else {
      assertEquals(written.module.path(), module.path());
      assertEquals(written.module.buildId(), module.buildId());
      assertEquals(written.module.start(), module.start());
      assertEquals(written.module.end(), module.end());
      assertEquals(written.module.unwindSource(), module.unwindSource());
      assertEquals(written.module.unwindReason(), module.unwindReason());
      assertEquals(written.module.functions(), module.functions());
      assertEquals(written.module.symbolsFrom(), module.symbolsFrom());
    }
  }

  /** A recording of the first version of the schema, made by the agent of that time. */
  @Test
  void recordingsOfTheFirstSchemaAreRead() throws Exception {
    Path file = FirstSchemaRecording.in(directory);
    SampledRecording recording = SampledRecording.open(file);
    assertEquals(1, recording.sessions().get(0).schemaVersion());
    assertEquals(List.of(), recording.losses());
    int[] samples = new int[1];
    recording.forEachSample(
        sample -> {
          long number = sample.contextId() - 1;
          assertEquals(
              SyntheticStacks.expected(number),
              sample.frames().stream().map(SampledFrame::text).toList());
          assertEquals(SyntheticStacks.threadId(number), sample.thread().osThreadId());
          samples[0]++;
        });
    assertEquals(50, samples[0]);
  }

  @Test
  void aNewerSchemaIsRefusedInOneLine() throws Exception {
    Path file = directory.resolve("newer.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      Session session = new Session();
      session.uuid = "of-the-future";
      session.schemaVersion = Session.SCHEMA_VERSION + 1;
      session.agentVersion = "9.7";
      session.commit();
      new StackSample().commit();
      recording.dump(file);
    }
    RecordingException e =
        assertThrows(RecordingException.class, () -> SampledRecording.open(file));
    assertEquals(
        file
            + ": is of schema 3, and this version reads those up to 2: it needs Stackweave 9.7 or"
            + " later, whose agent made it",
        e.getMessage());
  }
}
