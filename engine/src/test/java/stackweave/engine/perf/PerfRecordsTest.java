package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.engine.EngineSink;
import stackweave.engine.perf.WrittenRing.Bytes;
import stackweave.jfr.control.SampledEvent;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.StackSnapshot;

/** What reaches the sink of records that the test has written, byte by byte. */
class PerfRecordsTest {
  private static final int PID = 4711;
  private static final int TID = 4712;
  private static final int CPU = 3;
  private static final long ROOT = 77;
  private static final long INTERVAL = 10_000_000;

  /** As arch/x86/include/uapi/asm/perf_regs.h numbers them, less the segments: 100, 101, … */
  private static final long[] X86_VALUES = values(100, 18);

  @TempDir private Path directory;
  private WrittenRing written;
  private final Sink sink = new Sink();
  private PerfRecords records;
  private RingMerge merge;

  @BeforeEach
  void open() throws IOException {
    written = new WrittenRing(directory, CPU);
    merge = new RingMerge(new PerfRing[] {written.ring()}, 0);
    records = records(Architecture.X86_64, false);
  }

  @AfterEach
  void close() {
    written.close();
  }

  private PerfRecords records(Architecture architecture, boolean kernel) {
    PerfRecords made =
        new PerfRecords(PID, kernel, architecture, new int[] {CPU}, SampledEvent.CPU, INTERVAL);
    made.setSink(sink);
    return made;
  }

  private static long[] values(long first, int count) {
    long[] values = new long[count];
    Arrays.setAll(values, i -> first + i);
    return values;
  }

  private static byte[] pattern(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i * 7 + 1);
    }
    return bytes;
  }

  private void drain() {
    merge.drain(Long.MAX_VALUE, true, records);
    assertEquals(written.head(), written.tail(), "what was taken is the kernel's again");
  }

  private static Bytes sample(int tid, long time, long root) {
    return WrittenRing.sample(PID, tid, time, root, INTERVAL);
  }

  /** Without registers and stack, as of a thread that has no user mode. */
  private static byte[] bare(int tid, long time, long root) {
    return sample(tid, time, root).u64(0).u64(0).end();
  }

  private static Bytes withStack(Bytes sample, byte[] room, long copied) {
    return sample.u64(2).u64(X86_VALUES).u64(room.length).bytes(room).u64(copied);
  }

  @Test
  void everyFieldOfASampleReachesTheSink() {
    byte[] stack = pattern(256);
    written.write(withStack(sample(TID, 12345, ROOT), stack, 256).end());
    drain();
    assertEquals(List.of("sample tid 4712 @12345 weight 10000000"), sink.events);
    StackSnapshot snapshot = sink.last;
    assertTrue(snapshot.hasRegisters());
    assertFalse(snapshot.isStackUnknown());
    assertEquals(108, snapshot.registers().pc());
    // By DWARF number: rax rdx rcx rbx rsi rdi rbp rsp r8 … r15.
    long[] dwarf = {100, 103, 102, 101, 104, 105, 106, 107, 110, 111, 112, 113, 114, 115, 116, 117};
    for (int i = 0; i < dwarf.length; i++) {
      assertEquals(dwarf[i], snapshot.registers().get(i), "register " + i);
    }
    assertEquals(107, snapshot.stackAddress());
    assertEquals(256, snapshot.stackLength());
    assertArrayEquals(stack, Arrays.copyOf(snapshot.stackBytes(), 256));
    assertEquals(0, snapshot.kernelFrameCount());
    assertEquals(1, records.samples());
    assertEquals(INTERVAL, records.coveredNanos());
  }

  @Test
  void registersOfAarch64AreThoseOfTheMask() {
    records = records(Architecture.AARCH64, false);
    written.write(sample(TID, 1, ROOT).u64(2).u64(values(200, 33)).u64(0).end());
    drain();
    for (int i = 0; i < 32; i++) {
      assertEquals(200 + i, sink.last.registers().get(i), "register " + i);
    }
    assertEquals(232, sink.last.registers().pc());
    assertEquals(231, sink.last.registers().sp());
  }

  /** The room is what was asked for; behind it stands how much of it is a stack. */
  @Test
  void onlyWhatWasCopiedIsStack() {
    written.write(withStack(sample(TID, 1, ROOT), pattern(256), 48).end());
    drain();
    assertEquals(48, sink.last.stackLength());
    assertArrayEquals(pattern(48), Arrays.copyOf(sink.last.stackBytes(), 48));
  }

  /** dyn_size 0: the stack pointer points to nothing that can be read. */
  @Test
  void aStackOfWhichNothingWasCopiedIsEmpty() {
    written.write(withStack(sample(TID, 1, ROOT), pattern(256), 0).end());
    drain();
    assertEquals(0, sink.last.stackLength());
    assertTrue(sink.last.hasRegisters());
  }

  /** PERF_SAMPLE_REGS_ABI_NONE: no registers follow, and no room for a stack. */
  @Test
  void aSampleWithoutRegistersHasNothingOfTheOneBefore() {
    written.write(withStack(sample(TID, 1, ROOT), pattern(64), 64).end());
    written.write(bare(TID, 2, ROOT));
    written.write(withStack(sample(TID, 3, ROOT), pattern(64), 8).end());
    drain();
    assertEquals(3, sink.snapshots.size());
    assertEquals("true 108 107+64", sink.snapshots.get(0));
    assertEquals("false 0 0+0", sink.snapshots.get(1));
    assertEquals("true 108 107+8", sink.snapshots.get(2));
    assertEquals(3, records.samples());
  }

  /** Of the call chain only what is behind PERF_CONTEXT_KERNEL, up to the next context. */
  @Test
  void kernelFramesAreThoseOfTheKernelsContext() {
    records = records(Architecture.X86_64, true);
    Bytes sample =
        sample(TID, 1, ROOT)
            .u64(7)
            .u64(0xdead, WrittenRing.CONTEXT_KERNEL, 0xffffffff81000001L, 0xffffffff81000002L)
            .u64(WrittenRing.CONTEXT_USER, 0x5555, 0x6666);
    written.write(withStack(sample, pattern(64), 64).end());
    written.write(withStack(sample(TID, 2, ROOT).u64(0), pattern(64), 64).end());
    drain();
    assertEquals(2, sink.snapshots.size());
    assertEquals(List.of("81000001 81000002", ""), sink.kernelFrames);
    assertEquals("true 108 107+64", sink.snapshots.get(0), "what is behind the call chain");
    assertEquals("true 108 107+64", sink.snapshots.get(1));
  }

  @Test
  void moreKernelFramesThanThereIsRoomForAreCut() {
    records = records(Architecture.X86_64, true);
    int most = StackSnapshot.MAX_KERNEL_FRAMES;
    Bytes sample = sample(TID, 1, ROOT).u64(most + 11).u64(WrittenRing.CONTEXT_KERNEL);
    sample.u64(values(0x81000000L, most + 10)).u64(2).u64(X86_VALUES).u64(0);
    written.write(sample.end());
    drain();
    assertEquals(most, sink.last.kernelFrameCount());
    assertEquals(0x81000000L + most - 1, sink.last.kernelFrames()[most - 1]);
    assertEquals(108, sink.last.registers().pc());
  }

  /** Every place of a record is once where the ring ends. */
  @Test
  void aRecordThatLiesAcrossTheRingsEndIsTheSame() {
    byte[] record = withStack(sample(TID, 5, ROOT), pattern(64), 64).end();
    byte[] name = WrittenRing.comm(PID, TID, "fifteen letters").by(PID, TID, 6, ROOT);
    int end = Math.max(record.length, name.length);
    for (int before = 8; before <= end; before += 8) {
      sink.clear();
      written.beginBeforeEnd(before);
      written.write(record);
      drain();
      written.beginBeforeEnd(before);
      written.write(name);
      drain();
      assertEquals(
          List.of("sample tid 4712 @5 weight 10000000", "renamed 4712 @6 fifteen letters"),
          sink.events,
          "ends after " + before);
      assertEquals(List.of("true 108 107+64"), sink.snapshots, "ends after " + before);
      assertArrayEquals(pattern(64), Arrays.copyOf(sink.last.stackBytes(), 64), "at " + before);
      assertEquals(117, sink.last.registers().get(15), "ends after " + before);
    }
    assertEquals(0, merge.malformed());
  }

  @Test
  void namesStartsAndEndsReachTheSink() {
    written.write(WrittenRing.comm(PID, TID, "fifteen letters").by(PID, TID, 10, ROOT));
    written.write(WrittenRing.comm(PID, TID, "").by(PID, TID, 11, ROOT));
    written.write(
        WrittenRing.task(WrittenRing.FORK, PID, PID, 5001, TID, 99).by(PID, TID, 12, ROOT));
    written.write(
        WrittenRing.task(WrittenRing.EXIT, PID, 1, 5001, TID, 99).by(PID, 5001, 13, ROOT));
    drain();
    assertEquals(
        List.of(
            "renamed 4712 @10 fifteen letters",
            "renamed 4712 @11 ",
            "started 5001 by 4712 @12",
            "exited 5001 @13"),
        sink.events);
    assertEquals(1, records.starts());
  }

  /** The kernel tells of a thread's end once for each of its events. */
  @Test
  void aThreadEndsOnce() {
    for (int i = 0; i < 3; i++) {
      written.write(
          WrittenRing.task(WrittenRing.EXIT, PID, 1, 5001, TID, 9).by(PID, 5001, 20, ROOT));
    }
    written.write(
        WrittenRing.task(WrittenRing.FORK, PID, PID, 5001, TID, 9).by(PID, TID, 21, ROOT));
    written.write(WrittenRing.task(WrittenRing.EXIT, PID, 1, 5001, TID, 9).by(PID, 5001, 22, ROOT));
    drain();
    assertEquals(
        List.of("exited 5001 @20", "started 5001 by 4712 @21", "exited 5001 @22"), sink.events);
  }

  @Test
  void whatOtherProcessesDoIsTakenAndNotTold() {
    int other = PID + 1;
    written.write(WrittenRing.sample(other, other, 1, ROOT, INTERVAL).u64(0, 0).end());
    written.write(WrittenRing.comm(other, other, "other").by(other, other, 2, ROOT));
    // This process has forked a child: the new task's pid is the child's.
    written.write(
        WrittenRing.task(WrittenRing.FORK, other, PID, other, TID, 9).by(PID, TID, 3, ROOT));
    written.write(
        WrittenRing.task(WrittenRing.EXIT, other, PID, other, TID, 9).by(other, other, 4, ROOT));
    drain();
    assertEquals(List.of(), sink.events);
    assertEquals(1, records.foreign());
    assertEquals(0, records.samples() + records.starts());
  }

  @Test
  void lossesAndThrottlesAreCounted() {
    written.write(WrittenRing.lost(ROOT, 5).by(PID, TID, 30, ROOT));
    written.write(WrittenRing.lost(ROOT, 7).by(PID, TID, 31, ROOT));
    written.write(new Bytes(WrittenRing.THROTTLE, 0).u64(1, ROOT, ROOT).by(PID, TID, 32, ROOT));
    drain();
    assertEquals(List.of("lost 5 @30", "lost 7 @31"), sink.events);
    assertEquals(12, records.lost());
    assertEquals(1, records.throttled());
  }

  /** PERF_RECORD_UNTHROTTLE, and one of a kernel to come. */
  @Test
  void recordsOfAnUnknownTypeArePassedOver() {
    written.write(new Bytes(6, 0).u64(1, ROOT, ROOT).by(PID, TID, 1, ROOT));
    written.write(new Bytes(4000, 0).u64(1, 2, 3, 4, 5, 6).by(PID, TID, 2, ROOT));
    written.write(WrittenRing.comm(PID, TID, "after").by(PID, TID, 3, ROOT));
    drain();
    assertEquals(List.of("renamed 4712 @3 after"), sink.events);
    assertEquals(0, merge.malformed());
  }

  /** What has an impossible size has no fields: nothing of it or behind it reaches the sink. */
  @Test
  void whatIsBehindAnImpossibleSizeIsGivenUpAndCounted() {
    written.write(WrittenRing.comm(PID, TID, "before").by(PID, TID, 1, ROOT));
    written.write(withStack(sample(TID, 2, ROOT), pattern(64), 64).end(0));
    written.write(WrittenRing.comm(PID, TID, "behind").by(PID, TID, 3, ROOT));
    drain();
    assertEquals(List.of("renamed 4712 @1 before"), sink.events);
    assertEquals(1, merge.malformed());
    written.write(WrittenRing.comm(PID, TID, "later").by(PID, TID, 4, ROOT));
    drain();
    assertEquals("renamed 4712 @4 later", sink.events.get(1));
  }

  /** A thread that was attached twice: the root event seen first counts, until the thread ends. */
  @Test
  void recordsOfASecondRootEventAreDuplicates() {
    written.write(bare(TID, 1, ROOT)).write(bare(TID, 2, ROOT + 1)).write(bare(TID, 3, ROOT));
    written.write(WrittenRing.comm(PID, TID, "twice").by(PID, TID, 4, ROOT + 1));
    written.write(WrittenRing.comm(PID, TID, "once").by(PID, TID, 5, ROOT));
    written.write(WrittenRing.task(WrittenRing.EXIT, PID, 1, TID, TID, 9).by(PID, TID, 6, ROOT));
    written.write(bare(TID, 7, ROOT + 1));
    drain();
    assertEquals(
        List.of(
            "sample tid 4712 @1 weight 10000000",
            "sample tid 4712 @3 weight 10000000",
            "renamed 4712 @5 once",
            "exited 4712 @6",
            "sample tid 4712 @7 weight 10000000"),
        sink.events);
    assertEquals(1, records.duplicates());
    assertEquals(3, records.samples());
  }

  /** With the lost records an exit may be lost: the choice is made anew. */
  @Test
  void afterALossAnotherRootEventMayCount() {
    written.write(bare(TID, 1, ROOT));
    written.write(WrittenRing.lost(ROOT, 1).by(PID, TID, 2, ROOT));
    written.write(bare(TID, 3, ROOT + 1)).write(bare(TID, 4, ROOT));
    drain();
    assertEquals(
        List.of(
            "sample tid 4712 @1 weight 10000000",
            "lost 1 @2",
            "sample tid 4712 @3 weight 10000000"),
        sink.events);
    assertEquals(1, records.duplicates());
  }

  /** It counts, for its CPU time is another one's, but is neither decoded nor delivered. */
  @Test
  void aSampleThatIsNotWantedIsPassedOver() {
    sink.wants = false;
    written.write(withStack(sample(TID, 1, ROOT), pattern(64), 64).end());
    drain();
    assertEquals(List.of(), sink.events);
    assertEquals(1, sink.asked);
    assertEquals(1, records.samples());
    assertEquals(INTERVAL, records.coveredNanos());
  }

  /** Half an interval for a thread that has ended, on its CPU; and for one that has not. */
  @Test
  void whatIsLeftOverOfThreadsIsEstimated() {
    written.write(bare(TID, 1, ROOT)).write(bare(5001, 2, ROOT));
    drain();
    assertEquals(INTERVAL, records.unsampledNanos());
    written.write(WrittenRing.task(WrittenRing.EXIT, PID, 1, 5001, TID, 9).by(PID, 5001, 3, ROOT));
    written.write(bare(TID, 4, ROOT));
    drain();
    assertEquals(INTERVAL, records.unsampledNanos());
  }

  /** Over all that waits, of one thread, without taking anything. */
  @Test
  void theHighestStackPointerIsThatOfTheThreadsWaitingSamples() {
    written.beginBeforeEnd(400);
    for (long sp : new long[] {0x1000, -16, 0x3000}) {
      long[] values = X86_VALUES.clone();
      values[7] = sp;
      written.write(sample(TID, 1, ROOT).u64(2).u64(values).u64(0).end());
      written.write(WrittenRing.comm(PID, TID, "between").by(PID, TID, 1, ROOT));
    }
    long[] values = X86_VALUES.clone();
    values[7] = -8;
    written.write(sample(TID + 1, 1, ROOT).u64(2).u64(values).u64(0).end());
    written.write(bare(TID, 1, ROOT));
    PerfRing ring = written.ring();
    ring.readHead();
    assertEquals(-16, records.decoder.highestStackPointer(ring, TID), "unsigned");
    assertEquals(-8, records.decoder.highestStackPointer(ring, TID + 1));
    assertEquals(0, records.decoder.highestStackPointer(ring, TID + 2));
    drain();
    assertEquals(8, sink.events.size());
  }

  /** Keeps all that it is told, with every field. */
  private static final class Sink implements EngineSink {
    private final List<String> events = new ArrayList<>();
    private final List<String> snapshots = new ArrayList<>();
    private final List<String> kernelFrames = new ArrayList<>();
    private StackSnapshot last;
    private long weightNanos;
    private boolean wants = true;
    private int asked;

    void clear() {
      events.clear();
      snapshots.clear();
    }

    @Override
    public boolean wantsSample() {
      asked++;
      return wants;
    }

    @Override
    public void sample(StackSnapshot snapshot) {
      last = snapshot;
      weightNanos += snapshot.weightNanos();
      events.add(
          String.format(
              "sample tid %d @%d weight %d",
              snapshot.tid(), snapshot.timeNanos(), snapshot.weightNanos()));
      snapshots.add(
          String.format(
              "%b %d %d+%d",
              snapshot.hasRegisters(),
              snapshot.registers().pc(),
              snapshot.stackAddress(),
              snapshot.stackLength()));
      StringBuilder frames = new StringBuilder();
      for (int i = 0; i < snapshot.kernelFrameCount(); i++) {
        frames
            .append(i == 0 ? "" : " ")
            .append(Integer.toHexString((int) snapshot.kernelFrames()[i]));
      }
      kernelFrames.add(frames.toString());
    }

    @Override
    public void renamed(long timeNanos, int tid, String comm) {
      events.add("renamed " + tid + " @" + timeNanos + " " + comm);
    }

    @Override
    public void started(long timeNanos, int tid, int parentTid) {
      events.add("started " + tid + " by " + parentTid + " @" + timeNanos);
    }

    @Override
    public void exited(long timeNanos, int tid) {
      events.add("exited " + tid + " @" + timeNanos);
    }

    @Override
    public void lost(long timeNanos, long count) {
      events.add("lost " + count + " @" + timeNanos);
    }
  }
}
