package stackweave.engine.timer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineSink;
import stackweave.engine.KernelClock;
import stackweave.engine.timer.handler.HandlerLayout;
import stackweave.engine.timer.handler.HandlerMemory;
import stackweave.engine.timer.threads.CpuTimers;
import stackweave.engine.timer.threads.PassedOver;
import stackweave.engine.timer.threads.TimerThreads;
import stackweave.linux.MemoryAccess;
import stackweave.linux.SystemCalls;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * What reaches the sink of records that the test writes into the handler's ring, byte by byte, in
 * the order in which the handler does. The offsets are those of layout.inc, which the handlers are
 * assembled with; no handler runs.
 */
class TimerRecordsTest {
  private static final int RING_BYTES = 4 << 20;
  private static final long INTERVAL = 1_000_000;
  private static final int TID = 4712;
  private static final int SIGNAL = 63;

  /** Of no slot that has a thread: weighed by the interval alone. */
  private static final long IDENTITY = 9L << 47 | 3L << 32 | TID;

  /** Of TimerThreads: the sample is one of the thread's youth. */
  private static final long YOUNG = 1L << 31;

  private static final Map<String, Integer> LAYOUT = layout();

  private final Sink sink = new Sink();
  private HandlerMemory memory;
  private TimerThreads threads;
  private TimerRecords records;
  private int registers;
  private long head;

  @BeforeEach
  void open() throws Exception {
    SystemCalls calls = SystemCalls.current().orElseThrow();
    EngineConfig config = EngineConfig.every(INTERVAL);
    memory = HandlerMemory.acquire(calls, config.callPolicy(), MemoryAccess.AUTO, RING_BYTES);
    threads = new TimerThreads(calls, memory, SIGNAL, INTERVAL);
    begin(Architecture.X86_64, 0, StackSnapshot.MAX_STACK_BYTES);
  }

  @AfterEach
  void close() {
    threads.close();
    memory.release();
  }

  /** As if so many bytes had been reserved before. */
  private void begin(Architecture architecture, long position, int stackBytes) {
    head = position;
    memory.set(LAYOUT.get("PROCESS_HEAD"), head);
    registers = architecture == Architecture.X86_64 ? 17 : 33;
    records =
        new TimerRecords(
            memory,
            HandlerLayout.of(architecture),
            threads,
            new KernelClock(),
            new StackSnapshot(architecture, stackBytes));
    assertEquals(position, memory.get(LAYOUT.get("PROCESS_TAIL")));
  }

  private static Map<String, Integer> layout() {
    try {
      Map<String, Integer> numbers = new HashMap<>();
      for (String line : Files.readAllLines(Path.of("src/main/asm/layout.inc"))) {
        if (line.startsWith(".equ ")) {
          String[] words = line.split("[ ,]+");
          numbers.put(words[1], Integer.decode(words[2]));
        }
      }
      return numbers;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** What a handler writes, which may be wrong here. */
  private final class Record {
    private long seconds;
    private long nanos;
    private long identity = IDENTITY;
    private int overrun;
    private byte[] stack = new byte[0];
    private int stackBytes = -1;
    private long commit = -1;

    Record at(long nanos) {
      this.seconds = nanos / 1_000_000_000L;
      this.nanos = nanos % 1_000_000_000L;
      return this;
    }

    Record of(long identity, int overrun) {
      this.identity = identity;
      this.overrun = overrun;
      return this;
    }

    Record with(byte[] stack) {
      this.stack = stack;
      return this;
    }

    /** Whatever the stack really has. */
    Record stating(int bytes) {
      this.stackBytes = bytes;
      return this;
    }

    /** Instead of what belongs there. */
    Record committing(long word) {
      this.commit = word;
      return this;
    }

    int bytes() {
      int unit = LAYOUT.get("UNIT");
      int all = LAYOUT.get("RECORD_REGISTERS") + 8 * registers + stack.length;
      return (all + unit - 1) / unit * unit;
    }

    /** The commit word that belongs there: bytes, and the position in units. */
    long commit() {
      return (head >>> LAYOUT.get("UNIT_SHIFT")) << 32 | bytes();
    }

    /** Reserves room and writes all but the commit word; returns where that goes. */
    int reserve() {
      int at = (int) (head % RING_BYTES);
      ByteBuffer ring = memory.ring();
      assertEquals(0, ring.getLong(at), "the reader leaves each unit's first word 0");
      ring.putLong(at + LAYOUT.get("RECORD_TIME"), seconds);
      ring.putLong(at + LAYOUT.get("RECORD_TIME") + 8, nanos);
      ring.putLong(at + LAYOUT.get("RECORD_IDENTITY"), identity);
      ring.putInt(at + LAYOUT.get("RECORD_OVERRUN"), overrun);
      ring.putInt(
          at + LAYOUT.get("RECORD_STACK_BYTES"), stackBytes == -1 ? stack.length : stackBytes);
      for (int i = 0; i < registers; i++) {
        ring.putLong(at + LAYOUT.get("RECORD_REGISTERS") + 8 * i, 1000 + i);
      }
      ring.put(at + LAYOUT.get("RECORD_REGISTERS") + 8 * registers, stack);
      head += bytes();
      memory.set(LAYOUT.get("PROCESS_HEAD"), head);
      return at;
    }

    void write() {
      long word = commit == -1 ? commit() : commit;
      finish(reserve(), word);
    }
  }

  private void finish(int at, long commit) {
    memory.ring().putLong(at + LAYOUT.get("RECORD_COMMIT"), commit);
  }

  private Record record(long time) {
    return new Record().at(time);
  }

  private static byte[] pattern(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 7 + 1);
    }
    return bytes;
  }

  private int drain() {
    return records.drain(Long.MAX_VALUE, false, sink);
  }

  /** Everything is given back, with the words of all units 0 as the next handler needs them. */
  private void assertGivenBack(long from) {
    assertEquals(head, memory.get(LAYOUT.get("PROCESS_TAIL")));
    assertTrue(records.isEmpty());
    assertEquals(0, records.waiting());
    for (long at = from; at < head; at += LAYOUT.get("UNIT")) {
      assertEquals(0, memory.ring().getLong((int) (at % RING_BYTES)), "unit at " + at);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Architecture.class,
      names = {"X86_64", "AARCH64"})
  void everyFieldReachesTheSink(Architecture architecture) {
    begin(architecture, 0, StackSnapshot.MAX_STACK_BYTES);
    record(12_345_678_901L).of(IDENTITY, 2).with(pattern(1000)).write();
    assertEquals(1, drain());
    assertEquals(List.of("tid 4712 @12345678901 weight 3000000"), sink.events);
    StackSnapshot snapshot = sink.last;
    assertTrue(snapshot.hasRegisters());
    // As struct sigcontext has them: r8 … r15 rdi rsi rbp rbx rdx rax rcx rsp rip, or x0 … sp pc.
    int[] x86 = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7};
    for (int i = 0; i < registers - 1; i++) {
      int dwarf = architecture == Architecture.X86_64 ? x86[i] : i;
      assertEquals(1000 + i, snapshot.registers().get(dwarf), "register " + dwarf);
    }
    assertEquals(1000 + registers - 1, snapshot.registers().pc());
    assertEquals(1000 + registers - 2, snapshot.stackAddress());
    assertEquals(1000, snapshot.stackLength());
    assertArrayEquals(pattern(1000), Arrays.copyOf(snapshot.stackBytes(), 1000));
    assertFalse(snapshot.isStackUnknown());
    assertEquals(0, snapshot.kernelFrameCount());
    assertEquals(1, records.samples());
    assertEquals(3_000_000, records.coveredNanos());
    assertGivenBack(0);
  }

  /** The thread runs on a stack that is not its own, or not known. */
  @Test
  void aRecordOfRegistersOnlyHasNothingOfTheStackBefore() {
    record(1).with(pattern(512)).write();
    record(2).write();
    record(3).with(pattern(8)).write();
    assertEquals(3, drain());
    assertEquals(List.of("512 false", "0 true", "8 false"), sink.stacks);
    assertEquals(1016, sink.last.registers().pc());
    assertEquals(1, records.withoutStack());
    assertEquals(0, records.malformed());
  }

  @Test
  void anOverrunStandsForSoManyIntervalsMore() {
    record(1).of(IDENTITY, 0).write();
    record(2).of(IDENTITY, 41).write();
    record(3).of(IDENTITY, -5).write();
    record(4).of(IDENTITY | YOUNG, 0).write();
    drain();
    assertEquals(
        List.of(
            "tid 4712 @1 weight 1000000",
            "tid 4712 @2 weight 42000000",
            "tid 4712 @3 weight 1000000",
            "tid 4712 @4 weight " + CpuTimers.tickNanos()),
        sink.events);
    assertEquals(44_000_000 + CpuTimers.tickNanos(), records.coveredNanos());
  }

  /** A kernel without a vdso: the record has no time, so it is that of the drain. */
  @Test
  void aRecordWithoutTimeHasThatOfTheDrain() {
    long before = System.nanoTime();
    record(0).write();
    drain();
    long time = sink.last.timeNanos();
    assertTrue(before <= time && time <= System.nanoTime(), "" + time);
  }

  /** The memory is there twice in a row, so that a record goes on behind the ring's end. */
  @Test
  void recordsLieAcrossTheRingsEndAtEveryUnit() {
    Record large = record(1).with(pattern(1500));
    int units = large.bytes() / LAYOUT.get("UNIT");
    assertEquals(7, units);
    for (int before = 1; before <= units; before++) {
      long from = RING_BYTES - (long) before * LAYOUT.get("UNIT");
      begin(Architecture.X86_64, from, StackSnapshot.MAX_STACK_BYTES);
      sink.clear();
      record(1).with(pattern(1500)).write();
      record(2).with(pattern(40)).write();
      assertEquals(2, drain(), "units before the end: " + before);
      assertEquals(List.of("1500 false", "40 false"), sink.stacks);
      assertArrayEquals(pattern(1500), sink.stack(0), "units before the end: " + before);
      assertArrayEquals(pattern(40), sink.stack(1));
      assertGivenBack(from);
    }
    assertEquals(0, records.malformed());
  }

  /** The commit word has the low 32 bits of the position in units only. */
  @Test
  void theRingGoesOnBeyondATebibyte() {
    long from = (1L << 40) - 2 * 256;
    begin(Architecture.X86_64, from, StackSnapshot.MAX_STACK_BYTES);
    for (int i = 1; i <= 4; i++) {
      record(i).with(pattern(200)).write();
    }
    assertEquals(4, drain());
    assertEquals(0, records.malformed());
    assertGivenBack(from);
  }

  /** A full ring, many times over. */
  @Test
  void aFullRingIsGivenBackWhole() {
    byte[] stack = pattern(60_000);
    for (int round = 0; round < 5; round++) {
      int count = 0;
      long from = head;
      while (head - from + record(0).with(stack).bytes() <= RING_BYTES) {
        record(1 + count++).with(stack).write();
      }
      assertEquals(head - from, records.waiting());
      assertEquals(count, drain());
      assertGivenBack(from);
      sink.clear();
    }
    assertTrue(head > 4L * RING_BYTES);
    assertEquals(0, records.malformed() + records.abandoned());
  }

  /** Its name may be read with the first one alone, and that stands for more than the others. */
  @Test
  void aSampleIsUrgentIfItIsTheFirstOfItsThreadOrOfItsYouth() {
    assertFalse(records.isAnyUrgent(), "none waits");
    threads.skip(TID, PassedOver.BLOCKS);
    long identity = (long) threads.slot(TID) << 47 | 1L << 32 | TID;
    record(1).of(identity, 0).write();
    assertTrue(records.isAnyUrgent());
    assertTrue(records.isAnyUrgent());
    assertEquals(1, drain());
    assertFalse(records.isAnyUrgent());
    record(2).of(identity, 0).with(pattern(700)).write();
    record(3).of(identity, 0).write();
    assertFalse(records.isAnyUrgent());
    record(4).of(identity | YOUNG, 0).write();
    assertTrue(records.isAnyUrgent());
    assertEquals(3, drain());
    record(5).of(identity, 0).write();
    Record unfinished = record(6);
    long commit = unfinished.commit();
    final int at = unfinished.reserve();
    assertFalse(records.isAnyUrgent());
    finish(at, commit);
    assertTrue(records.isAnyUrgent(), "of no thread that is known");
  }

  /** What is read of it later is believed only if that is soon. */
  @Test
  void aSampleIsUrgentIfItsStackFillsTheCopy() {
    threads.skip(TID, PassedOver.BLOCKS);
    long identity = (long) threads.slot(TID) << 47 | 1L << 32 | TID;
    record(1).of(identity, 0).write();
    assertEquals(1, drain());
    record(2).of(identity, 0).with(pattern(StackSnapshot.MAX_STACK_BYTES - 8)).write();
    assertFalse(records.isAnyUrgent());
    record(3).of(identity, 0).with(pattern(StackSnapshot.MAX_STACK_BYTES)).write();
    assertTrue(records.isAnyUrgent());
  }

  /** A sample that is thinned out reads no name. */
  @Test
  void aThreadIsNewUntilOneOfItsSamplesIsWanted() {
    threads.skip(TID, PassedOver.BLOCKS);
    long identity = (long) threads.slot(TID) << 47 | 1L << 32 | TID;
    sink.wants = false;
    record(1).of(identity, 0).write();
    assertEquals(1, drain());
    sink.wants = true;
    record(2).of(identity, 0).write();
    assertTrue(records.isAnyUrgent());
    assertEquals(1, drain());
    record(3).of(identity, 0).write();
    assertFalse(records.isAnyUrgent());
  }

  /** A handler that has reserved its room and not yet written all of it. */
  @Test
  void anUnfinishedRecordHoldsBackThoseBehindItUntilItIsFinished() {
    record(1).write();
    Record unfinished = record(2).with(pattern(700));
    long commit = unfinished.commit();
    final int at = unfinished.reserve();
    record(3).write();
    assertEquals(1, drain());
    assertEquals(0, drain());
    assertFalse(records.isEmpty());
    assertEquals(head - 256, records.waiting());
    assertEquals(256, memory.get(LAYOUT.get("PROCESS_TAIL")), "no handler gets its room");
    finish(at, commit);
    assertEquals(2, drain());
    assertEquals(
        List.of(
            "tid 4712 @1 weight 1000000",
            "tid 4712 @2 weight 1000000",
            "tid 4712 @3 weight 1000000"),
        sink.events);
    assertEquals(0, records.abandoned());
    assertGivenBack(0);
  }

  /** Once no handler writes any more, what is unfinished stays so. */
  @Test
  void anUnfinishedRecordIsAbandonedAtTheEnd() {
    record(1).reserve();
    record(2).write();
    record(3).reserve();
    assertEquals(0, drain());
    assertEquals(1, records.drain(Long.MAX_VALUE, true, sink));
    assertEquals(List.of("tid 4712 @2 weight 1000000"), sink.events);
    assertEquals(2, records.abandoned());
    assertEquals(0, records.malformed());
    assertGivenBack(0);
  }

  /** Its thread is gone, or stopped within the handler: the others don't wait for ever. */
  @Test
  void anUnfinishedRecordIsAbandonedAfterTwoSeconds() throws Exception {
    record(1).reserve();
    record(2).write();
    long begin = System.nanoTime();
    assertEquals(0, drain());
    while (drain() == 0) {
      assertEquals(records.isEmpty(), sink.events.size() == 1);
      assertTrue(System.nanoTime() - begin < 60_000_000_000L);
      Thread.sleep(20);
    }
    assertTrue(System.nanoTime() - begin >= 2_000_000_000L, "too soon");
    assertEquals(1, records.abandoned());
    assertEquals(List.of("tid 4712 @2 weight 1000000"), sink.events);
    assertGivenBack(0);
  }

  /** Stack bytes of a torn record lie where the next record's commit word is looked for. */
  @Test
  void aTornRecordIsNeverTakenForOne() {
    record(1).with(pattern(1000)).reserve();
    record(2).write();
    assertEquals(0, records.drain(Long.MAX_VALUE, true, sink));
    assertEquals(1, records.abandoned());
    assertEquals(1, records.malformed());
    assertEquals(List.of(), sink.events);
    assertGivenBack(0);
    record(3).write();
    assertEquals(1, drain());
    assertEquals(List.of("tid 4712 @3 weight 1000000"), sink.events);
  }

  /**
   * Bytes, and position in units: of another place, of no whole unit, of more than was reserved.
   */
  @ParameterizedTest
  @ValueSource(
      longs = {
        1L << 32 | 512,
        2L << 32 | 512,
        1L << 32 | 255,
        1L << 32,
        1L << 32 | 0x8000_0100L,
        1L << 32 | 1024
      })
  void aCommitWordThatMakesNoSenseCostsAllThatWaits(long commit) {
    record(1).write();
    record(2).with(pattern(300)).committing(commit).write(); // at unit 1, of 2 units
    boolean sound = commit == (1L << 32 | 512);
    record(3).write();
    assertEquals(sound ? 3 : 1, drain());
    assertEquals(sound ? 0 : 1, records.malformed());
    assertEquals("tid 4712 @1 weight 1000000", sink.events.get(0));
    assertGivenBack(0);
    record(4).write();
    assertEquals(1, drain(), "the ring is of use again");
  }

  /** A stack that does not fit into its record, or not into the snapshot. */
  @ParameterizedTest
  @ValueSource(ints = {80, 81, 129, -2, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void aStackThatDoesNotFitCostsAllThatWaits(int bytes) {
    begin(Architecture.X86_64, 0, 128);
    record(1).with(pattern(80)).stating(bytes).write(); // 256 bytes: registers and 80 of stack
    assertEquals(bytes == 80 ? 1 : 0, drain());
    assertEquals(bytes == 80 ? 0 : 1, records.malformed());
    assertGivenBack(0);
    record(2).with(pattern(128)).write();
    assertEquals(1, drain());
    record(3).with(pattern(129)).write();
    assertEquals(0, drain(), "more than the snapshot holds");
    assertGivenBack(0);
  }

  @Test
  void nothingIsTakenThatIsLaterThanAskedFor() {
    record(10).write();
    record(20).write();
    record(15).write();
    assertEquals(1, records.drain(19, false, sink));
    assertEquals(2, drain());
    assertEquals(1, records.late(), "delivered nevertheless");
    assertEquals(3, records.samples());
  }

  /** Others stand for its CPU time: it is counted, but neither decoded nor delivered. */
  @Test
  void aSampleThatIsNotWantedIsPassedOver() {
    sink.wants = false;
    record(1).with(pattern(100)).write();
    assertEquals(1, drain());
    assertEquals(List.of(), sink.events);
    assertEquals(1, sink.asked);
    assertEquals(1, records.samples());
    assertEquals(INTERVAL, records.coveredNanos());
    assertGivenBack(0);
  }

  /** Of the engine before, whose drain did not come to them. */
  @Test
  void recordsFromBeforeTheBeginAreNotDelivered() {
    long from = 17L * 256;
    begin(Architecture.X86_64, from, StackSnapshot.MAX_STACK_BYTES);
    assertTrue(records.isEmpty());
    assertEquals(0, drain());
    record(1).write();
    assertEquals(1, drain());
    assertGivenBack(from);
  }

  private static final class Sink implements EngineSink {
    private final List<String> events = new ArrayList<>();
    private final List<String> stacks = new ArrayList<>();
    private final List<byte[]> contents = new ArrayList<>();
    private StackSnapshot last;
    private boolean wants = true;
    private int asked;

    void clear() {
      events.clear();
      stacks.clear();
      contents.clear();
    }

    byte[] stack(int i) {
      return contents.get(i);
    }

    @Override
    public boolean wantsSample() {
      asked++;
      return wants;
    }

    @Override
    public void sample(StackSnapshot snapshot) {
      last = snapshot;
      events.add(
          String.format(
              "tid %d @%d weight %d",
              snapshot.tid(), snapshot.timeNanos(), snapshot.weightNanos()));
      stacks.add(snapshot.stackLength() + " " + snapshot.isStackUnknown());
      contents.add(Arrays.copyOf(snapshot.stackBytes(), snapshot.stackLength()));
    }
  }
}
