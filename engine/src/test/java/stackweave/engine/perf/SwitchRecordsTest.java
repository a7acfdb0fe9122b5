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

/** Records of switches, by rings that the test writes byte by byte as the kernel does. */
class SwitchRecordsTest {
  private static final int PID = 4711;
  private static final int TID = 4712;
  private static final long ID = 9;

  /** PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT and PERF_RECORD_MISC_SWITCH_OUT_PREEMPT. */
  private static final int SWITCH = 14;

  private static final int OUT = 1 << 13;
  private static final int PREEMPTED = 1 << 14;

  @TempDir private Path directory;
  private WrittenRing[] written;
  private SwitchRecords records;
  private RingMerge merge;
  private final List<String> told = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    written = new WrittenRing[] {new WrittenRing(directory, 0), new WrittenRing(directory, 1)};
    records = new SwitchRecords(PID);
    records.setSink(
        new SwitchSink() {
          @Override
          public void switchedOut(int tid, long timeNanos, boolean isPreempted) {
            told.add(tid + (isPreempted ? " loses its CPU @" : " out @") + timeNanos);
          }

          @Override
          public void switchedIn(int tid, long timeNanos) {
            told.add(tid + " in @" + timeNanos);
          }

          @Override
          public void woken(
              int tid, long timeNanos, int wakerPid, int wakerTid, boolean isInterrupt) {
            told.add(
                tid
                    + " woken by "
                    + (isInterrupt ? "an interrupt" : wakerPid + "/" + wakerTid)
                    + " @"
                    + timeNanos);
          }

          @Override
          public void started(int tid) {
            told.add(tid + " started");
          }

          @Override
          public void ended(int tid) {
            told.add(tid + " ended");
          }

          @Override
          public void lost() {
            told.add("lost");
          }
        });
    merge = new RingMerge(new PerfRing[] {written[0].ring(), written[1].ring()}, 1_000);
  }

  @AfterEach
  void close() {
    for (WrittenRing each : written) {
      each.close();
    }
  }

  /** Header and sample_id alone: 32 bytes. */
  private static byte[] switched(int misc, int tid, long time) {
    return new WrittenRing.Bytes(SWITCH, misc).by(PID, tid, time, ID);
  }

  private void drain() {
    merge.drain(Long.MAX_VALUE, true, records);
    for (WrittenRing each : written) {
      assertEquals(each.head(), each.tail(), "given back to the kernel");
    }
  }

  @Test
  void aThreadLeavesOneCpuAndGetsAnother() {
    assertEquals(32, switched(OUT, TID, 10).length);
    written[0].write(switched(OUT, TID, 10)).write(switched(0, TID, 30));
    written[1].write(switched(0, TID, 20)).write(switched(OUT | PREEMPTED, TID, 25));
    drain();
    assertEquals(
        List.of("4712 out @1010", "4712 in @1020", "4712 loses its CPU @1025", "4712 in @1030"),
        told);
    assertEquals(4, records.switches());
    assertEquals(0, merge.malformed());
  }

  @Test
  void otherProcessesAreNotTold() {
    written[0].write(new WrittenRing.Bytes(SWITCH, OUT).by(PID + 5, TID, 10, ID));
    written[0].write(
        WrittenRing.task(WrittenRing.FORK, PID + 5, PID, PID + 5, TID, 20).by(PID, TID, 20, ID));
    written[0].write(
        WrittenRing.task(WrittenRing.EXIT, PID + 5, PID, PID + 5, TID, 30)
            .by(PID + 5, PID + 5, 30, ID));
    drain();
    assertEquals(List.of(), told);
    assertEquals(0, records.switches() + records.starts());
  }

  @Test
  void threadsStartAndEndAndRecordsAreLost() {
    written[0].write(
        WrittenRing.task(WrittenRing.FORK, PID, PID, TID, PID, 10).by(PID, PID, 10, ID));
    written[1].write(WrittenRing.lost(ID, 70_000).by(PID, TID, 20, ID));
    written[0].write(
        WrittenRing.task(WrittenRing.EXIT, PID, PID, TID, PID, 30).by(PID, TID, 30, ID));
    written[1].write(WrittenRing.comm(PID, TID, "other").by(PID, TID, 40, ID));
    drain();
    assertEquals(List.of("4712 started", "lost", "4712 ended"), told);
    assertEquals(1, records.starts());
  }

  /** As Linux 6.18 writes it: common_type, flags, preempt_count, pid; comm, pid, prio, cpu. */
  private static byte[] woken(int flags, int pid, int tid, int wokenTid, long time) {
    WrittenRing.Bytes bytes =
        new WrittenRing.Bytes(WrittenRing.SAMPLE, 1).u32(pid).u32(tid).u64(time).u64(ID).u32(36);
    bytes.u8(375 & 0xff).u8(375 >> 8).u8(flags).u8(1).u32(tid);
    return bytes.u64(0x6b6f7277).u64(0).u32(wokenTid).u32(120).u32(0).end();
  }

  @Test
  void whoWakesAThread() {
    records.setTracepoint(new WakeTracepoint(375, 2, 24));
    written[0].write(woken(0, PID, PID + 1, TID, 10)).write(woken(0x10, PID, PID, TID, 20));
    written[1].write(woken(0x01, PID + 5, PID + 6, TID, 15)).write(woken(0x08, 0, 0, TID, 25));
    drain();
    String waker = PID + "/" + (PID + 1);
    String other = (PID + 5) + "/" + (PID + 6);
    assertEquals(
        List.of(
            TID + " woken by " + waker + " @1010",
            TID + " woken by " + other + " @1015",
            TID + " woken by an interrupt @1020",
            TID + " woken by an interrupt @1025"),
        told);
    assertEquals(4, records.wakeUps());
    assertEquals(0, records.switches());
  }

  @Test
  void aRecordThatIsTooShortForATracepointIsPassedOver() {
    records.setTracepoint(new WakeTracepoint(375, 2, 48));
    written[0].write(woken(0, PID, PID, TID, 10)).write(switched(OUT, TID, 20));
    drain();
    assertEquals(List.of(TID + " out @1020"), told);
  }

  /** A record of 32 bytes never lies across the ring's end, but the records before it move it. */
  @Test
  void recordsGoOnAtTheBeginningOfTheRing() {
    written[0].beginBeforeEnd(40);
    written[0].write(switched(OUT, TID, 10)).write(switched(0, TID, 20));
    drain();
    assertEquals(List.of("4712 out @1010", "4712 in @1020"), told);
  }
}
