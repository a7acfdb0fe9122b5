package stackweave.jfr.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;
import static stackweave.jfr.event.SampleRecord.Kind.EVENT;
import static stackweave.jfr.event.SampleRecord.Kind.MEMORY;
import static stackweave.jfr.event.SampleRecord.Kind.WALL;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.event.DefinitionBlock;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.read.choice.SampleKind;
import stackweave.jfr.read.context.SampledContext;
import stackweave.jfr.store.ContextDefinition;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SampleWriter;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

/** Sums by cells of time are those of the samples one by one, and together those of the whole. */
class CellSumsTest {
  private static final long MILLI = 1_000_000;
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static final SessionInfo SESSION =
      new SessionInfo("", "", "0=native,4=C2", "0=complete,2=cut", "0", ThreadState.legend());

  @TempDir private Path directory;

  /** What samples have in common; the cell is null in the sums of a whole recording. */
  private record Key(
      Instant cell,
      SessionFacts session,
      StackThread thread,
      SampleKind kind,
      String state,
      SampledContext context,
      StackEnd end,
      List<SampledFrame> frames) {
    static Key of(Instant cell, SampledContext context, SampleSum sum) {
      return new Key(
          cell,
          sum.session(),
          sum.thread(),
          sum.kind(),
          sum.state(),
          context,
          sum.end(),
          List.copyOf(sum.frames()));
    }
  }

  /** Number, weight, and sum of the squares of weights of samples. */
  private record Sum(long count, long weight, double squares) {
    Sum plus(Sum other) {
      return new Sum(count + other.count, weight + other.weight, squares + other.squares);
    }

    static Sum of(SampleSum sum) {
      return new Sum(sum.count(), sum.weightNanos(), sum.squares());
    }
  }

  private static SampledRecording open(Path file, SampleChoice choice) throws Exception {
    return SampledRecording.open(
        file, ReadingProgress.NONE, false, SampledFrame.Change.NONE, choice);
  }

  /** The sums of all cells without time and context, and those of the whole recording. */
  private static void assertAreThoseOfTheWhole(SampledRecording recording, Duration width)
      throws Exception {
    Map<Key, Sum> whole = new HashMap<>();
    recording.forEachStackSum(
        (sum, series) ->
            whole.merge(Key.of(null, SampledContext.NONE, sum), Sum.of(sum), Sum::plus));
    for (int most : new int[] {1, 10, Integer.MAX_VALUE}) {
      Map<Key, Sum> cells = new HashMap<>();
      recording.forEachCellSum(
          width,
          most,
          (start, sum) ->
              cells.merge(Key.of(null, SampledContext.NONE, sum), Sum.of(sum), Sum::plus));
      assertEquals(whole, cells);
    }
    assertEquals(recording.samples(), whole.values().stream().mapToLong(Sum::count).sum());
  }

  /** The sums of each second, and the samples one by one. */
  private static void assertAreThoseOfSamples(SampledRecording recording, ChronoUnit unit)
      throws Exception {
    Map<Key, Sum> samples = new HashMap<>();
    recording.forEachSample(
        sample ->
            samples.merge(
                new Key(
                    sample.time().truncatedTo(unit),
                    sample.session(),
                    sample.thread(),
                    sample.kind(),
                    sample.state(),
                    sample.context(),
                    sample.end(),
                    sample.frames()),
                new Sum(1, sample.weightNanos(), Math.pow(sample.weightNanos(), 2)),
                Sum::plus));
    int[] visits = new int[2];
    for (int i = 0; i < 2; i++) {
      int at = i;
      Map<Key, Sum> cells = new HashMap<>();
      recording.forEachCellSum(
          unit.getDuration(),
          i == 0 ? Integer.MAX_VALUE : 1,
          (start, sum) -> {
            cells.merge(Key.of(start, sum.context(), sum), Sum.of(sum), Sum::plus);
            visits[at]++;
          });
      assertEquals(samples, cells);
    }
    assertEquals(samples.size(), visits[0], "whole sums");
    assertTrue(visits[1] > visits[0], "sums in parts");
  }

  @Test
  void cellsHaveTheirSamples() throws Exception {
    Path file = everything();
    for (SampleChoice choice :
        List.of(
            SampleChoice.CPU,
            SampleChoice.WALL,
            SampleChoice.of(true, List.of("blocked")),
            SampleChoice.WALL.withLabels(List.of("endpoint=/a")),
            SampleChoice.ofEvent("page-faults"))) {
      SampledRecording recording = open(file, choice);
      assertAreThoseOfSamples(recording, ChronoUnit.SECONDS);
      assertAreThoseOfTheWhole(recording, SECOND);
      assertAreThoseOfTheWhole(recording, Duration.ofNanos(7));
      assertAreThoseOfTheWhole(recording, Duration.ofDays(90_000));
    }
  }

  /** Stacks that gave back all that they had are left out of the whole, and of each cell. */
  @Test
  void memoryIsThatOfTheWhole() throws Exception {
    Path file = everything();
    SampleChoice all = SampleChoice.ofEvent("native-memory");
    SampledRecording recording = open(file, all);
    assertEquals(4_096 * 3, recording.weightNanos());
    assertAreThoseOfTheWhole(recording, SECOND);
    long[] least = new long[1];
    recording.forEachCellSum(
        SECOND, 99, (start, sum) -> least[0] = Math.min(least[0], sum.weightNanos()));
    assertEquals(-4_096, least[0], "what a stack that kept some gave back");
    // Of the same stack with both contexts nothing was left.
    SampledRecording ofA = open(file, all.withLabels(List.of("endpoint=/a")));
    assertEquals(4_096 * 7, ofA.weightNanos());
    assertAreThoseOfTheWhole(ofA, SECOND);
  }

  /** One reading has what one for each sort of samples has. */
  @Test
  void samplesOfAllSorts() throws Exception {
    Path file = everything();
    Map<String, Sum> sorts = new HashMap<>();
    open(file, SampleChoice.EVERYTHING)
        .forEachCellSum(
            SECOND,
            10,
            (start, sum) -> sorts.merge(sum.kind() + sum.event(), Sum.of(sum), Sum::plus));
    Map<String, Sum> alone = new HashMap<>();
    for (SampleChoice choice : List.of(SampleChoice.WALL, SampleChoice.ofEvent("page-faults"))) {
      open(file, choice)
          .forEachStackSum(
              (sum, series) -> alone.merge(sum.kind() + sum.event(), Sum.of(sum), Sum::plus));
    }
    Sum memory = sorts.remove("EVENTnative-memory");
    assertEquals(4_096 * 3, memory.weight(), "all that was taken and given back");
    assertEquals(3, sorts.size());
    assertEquals(alone, sorts);
  }

  @Test
  void aRecordingOfTheFirstSchema() throws Exception {
    SampledRecording recording = SampledRecording.open(FirstSchemaRecording.in(directory));
    assertEquals(50, recording.samples());
    assertAreThoseOfTheWhole(recording, SECOND);
    assertAreThoseOfTheWhole(recording, Duration.ofNanos(1_000));
  }

  /** The first chunk lacks its definitions, as its blocks have a name that is not known. */
  @Test
  void samplesBeforeTheirDefinitions() throws Exception {
    Path file = directory.resolve("two.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (SampleWriter writer = new SampleWriter()) {
        writer.write(0, 200);
        try (Recording other = new Recording()) {
          other.setToDisk(true);
          other.start(); // a new chunk
        }
        writer.write(0, 200);
      }
      recording.dump(file);
    }
    SampledRecording whole = SampledRecording.open(file);
    assertAreThoseOfSamples(whole, ChronoUnit.DAYS); // both chunks are in one cell
    ChunkHeader first = ChunkList.scan(file).chunks().get(0);
    byte[] bytes = Files.readAllBytes(file);
    byte[] name = DefinitionBlock.NAME.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < first.size() - name.length; i++) {
      if (Arrays.equals(bytes, i, i + name.length, name, 0, name.length)) {
        bytes[i]++;
      }
    }
    Path alone = directory.resolve("alone.jfr");
    Files.write(alone, Arrays.copyOf(bytes, (int) first.size()));
    assertEquals(200, SampledRecording.open(alone).unresolved());
    SampledRecording early = SampledRecording.open(Files.write(directory.resolve("e.jfr"), bytes));
    assertEquals(0, early.unresolved());
    assertEquals(whole.samples(), early.samples());
    assertAreThoseOfSamples(early, ChronoUnit.DAYS);
    assertAreThoseOfTheWhole(early, SECOND);
  }

  @Test
  void cellsNeedAWidth() throws Exception {
    SampledRecording recording = SampledRecording.open(FirstSchemaRecording.in(directory));
    for (Duration width : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
      assertThrows(
          IllegalArgumentException.class,
          () -> recording.forEachCellSum(width, 1, (start, sum) -> {}));
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> recording.forEachCellSum(SECOND, 0, (start, sum) -> {}));
  }

  /** Some seconds of samples of all kinds. */
  private Path everything() throws Exception {
    Path file = directory.resolve("everything.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(WallSample.NAME);
      recording.enable(NativeMemory.NAME);
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        long start = System.nanoTime() - 5_000 * MILLI;
        long[] threads = {
          store.thread(1, "one", 1, false, 0, null), store.thread(2, "two", 2, false, 0, null)
        };
        long outer = node(store, EventStore.ROOT, "run");
        long[] stacks = {outer, node(store, outer, "call"), 0};
        long[] contexts = {
          0,
          store.context(new ContextDefinition("", "", "endpoint=/a")),
          store.context(new ContextDefinition("", "", "endpoint=/b"))
        };
        for (int i = 0; i < 900; i++) {
          SampleRecord sample =
              new SampleRecord()
                  .begin(i % 3 == 0 ? WALL : i % 10 == 4 ? EVENT : CPU, start + i * 5 * MILLI, i);
          sample
              .stack(threads[i % 2], stacks[i % 5 % 3], i % 4 == 0 ? 2 : 0, contexts[i % 7 % 3])
              .state(sample.kind == WALL ? ThreadState.PARK.code() : 0)
              .of(sample.kind == EVENT ? "page-faults" : null);
          assertTrue(store.write(sample));
        }
        // What is left: two pages of run, one of call; none of the third.
        memory(store, start, threads[0], stacks[0], 3, contexts[1]);
        memory(store, start + 2_000 * MILLI, threads[0], stacks[0], -1, contexts[2]);
        memory(store, start, threads[0], stacks[1], 1, contexts[1]);
        memory(store, start, threads[1], stacks[1], 3, contexts[1]);
        memory(store, start + 2_000 * MILLI, threads[1], stacks[1], -3, contexts[2]);
        store.flush();
      }
      recording.dump(file);
    }
    return file;
  }

  private static long node(EventStore store, long caller, String name) {
    long method = store.method(MethodDefinition.java("app.Main", name, "()V", 1, ""));
    return store.node(caller, method, 4, 1, 0);
  }

  private static void memory(
      EventStore store, long time, long thread, long stack, int pages, long context) {
    assertTrue(
        store.write(
            new SampleRecord()
                .begin(MEMORY, time, pages * 4_096L)
                .stack(thread, stack, 0, context)
                .at(1 << 12)));
  }
}
