package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.engine.EngineSink;
import stackweave.engine.perf.WrittenRing.Bytes;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.SystemCalls;
import stackweave.unwind.Architecture;
import stackweave.unwind.snapshot.StackSnapshot;

/** What reaches the sink of the records of two CPUs that the test has written. */
class CpuRecordsTest {
  private static final int PID = 4711;
  private static final int TID = 4712;
  private static final int DRAIN = 4713;
  private static final long ID = 77;

  /** Those of CPUs 0 to 3. */
  private static final long[] PERIODS = {0, 9_700_000, 0, 10_400_000};

  @TempDir private Path directory;
  private WrittenRing one;
  private WrittenRing three;
  private final Sink sink = new Sink();
  private final EndedThreads threads =
      new EndedThreads(SystemCalls.current().orElseThrow(), SampledProcess.OWN);
  private final CpuRecords records =
      new CpuRecords(PID, DRAIN, PERIODS, Architecture.X86_64, threads, null);
  private RingMerge merge;

  @BeforeEach
  void open() throws IOException {
    one = new WrittenRing(directory, 1);
    three = new WrittenRing(directory, 3);
    merge = new RingMerge(new PerfRing[] {one.ring(), three.ring()}, 0);
    records.setSink(sink);
  }

  @AfterEach
  void close() {
    threads.close();
    one.close();
    three.close();
  }

  private void drain() {
    merge.drain(Long.MAX_VALUE, true, records);
    assertEquals(one.head(), one.tail(), "what was taken is the kernel's again");
    assertEquals(three.head(), three.tail(), "what was taken is the kernel's again");
  }

  /** A sample with two frames of the kernel's, registers that are all the same, and a stack. */
  private static byte[] sample(int pid, int tid, long time) {
    Bytes bytes = WrittenRing.sample(pid, tid, time, ID, 1);
    bytes.u64(3, WrittenRing.CONTEXT_KERNEL, 0xffffffff81000001L, 0xffffffff81000002L);
    bytes.u64(2); // PERF_SAMPLE_REGS_ABI_64
    for (int i = 0; i < 18; i++) {
      bytes.u64(0x7000 + i);
    }
    return bytes.u64(16, 0x1111, 0x2222).u64(16).end();
  }

  @Test
  void eachSampleStandsForThePeriodOfItsCpu() {
    one.write(sample(PID, TID, 10)).write(sample(PID, TID, 30));
    three.write(sample(PID, TID + 9, 20));
    drain();
    assertEquals(
        List.of(
            "4712 @10 weight 9700000 kernel 2 stack 16",
            "4721 @20 weight 10400000 kernel 2 stack 16",
            "4712 @30 weight 9700000 kernel 2 stack 16"),
        sink.events);
    assertEquals(3, records.samples());
    assertEquals(9_700_000 + 10_400_000 + 9_700_000, records.coveredNanos());
  }

  /** Counted, and never decoded. */
  @Test
  void samplesOfOtherProcessesAreForeign() {
    one.write(sample(PID + 100, TID, 10)).write(sample(PID, TID, 20));
    three.write(sample(0, 0, 15)); // of a process that this one's namespace does not know
    drain();
    assertEquals(List.of("4712 @20 weight 9700000 kernel 2 stack 16"), sink.events);
    assertEquals(2, records.foreign());
    assertEquals(1, records.samples());
    assertEquals(1, sink.asked);
  }

  @Test
  void theDrainThreadIsNeitherSampledNorForeign() {
    one.write(sample(PID, DRAIN, 10));
    drain();
    assertEquals(List.of(), sink.events);
    assertEquals(0, records.foreign() + records.samples() + records.coveredNanos());
    assertEquals(0, sink.asked);
  }

  /** Its CPU time is that of another one which is wanted; so it counts as covered. */
  @Test
  void aSampleThatIsNotWantedCounts() {
    sink.wants = false;
    one.write(sample(PID, TID, 10));
    drain();
    assertEquals(List.of(), sink.events);
    assertEquals(1, records.samples());
    assertEquals(9_700_000, records.coveredNanos());
  }

  @Test
  void lossesAndThrottlesAreCounted() {
    one.write(WrittenRing.lost(ID, 5).by(PID, TID, 30, ID));
    three.write(WrittenRing.lost(ID, 2).by(PID, TID, 31, ID));
    three.write(new Bytes(WrittenRing.THROTTLE, 0).u64(1, ID, ID).by(PID, TID, 32, ID));
    drain();
    assertEquals(List.of("lost 5 @30", "lost 2 @31"), sink.events);
    assertEquals(7, records.lost());
    assertEquals(1, records.throttled());
  }

  /** The events ask for none of these; a kernel to come may have others. */
  @Test
  void otherRecordsArePassedOver() {
    one.write(WrittenRing.comm(PID, TID, "name").by(PID, TID, 1, ID));
    one.write(new Bytes(4000, 0).u64(1, 2, 3).by(PID, TID, 2, ID));
    one.write(sample(PID, TID, 3));
    drain();
    assertEquals(1, sink.events.size());
    assertEquals(0, merge.malformed());
  }

  private static final class Sink implements EngineSink {
    private final List<String> events = new ArrayList<>();
    private boolean wants = true;
    private int asked;

    @Override
    public boolean wantsSample() {
      asked++;
      return wants;
    }

    @Override
    public void sample(StackSnapshot snapshot) {
      events.add(
          String.format(
              "%d @%d weight %d kernel %d stack %d",
              snapshot.tid(),
              snapshot.timeNanos(),
              snapshot.weightNanos(),
              snapshot.kernelFrameCount(),
              snapshot.stackLength()));
    }

    @Override
    public void lost(long timeNanos, long count) {
      events.add("lost " + count + " @" + timeNanos);
    }
  }
}
