package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The order in which records of several rings are taken, by rings that the test writes. */
class RingMergeTest {
  private static final int PID = 4711;
  private static final long ID = 9;

  @TempDir private Path directory;
  private WrittenRing[] written;
  private PerfRing[] rings;
  private final List<String> taken = new ArrayList<>();

  /** Notes CPU and time, and takes the record, as PerfRecords does. */
  private final RingMerge.Target target =
      (ring, time) -> {
        taken.add(ring.cpu() + "@" + time);
        ring.take();
      };

  @BeforeEach
  void open() throws IOException {
    written = new WrittenRing[3];
    rings = new PerfRing[written.length];
    for (int i = 0; i < written.length; i++) {
      written[i] = new WrittenRing(directory, 10 + i);
      rings[i] = written[i].ring();
    }
  }

  @AfterEach
  void close() {
    for (WrittenRing each : written) {
      each.close();
    }
  }

  private static byte[] sample(long time) {
    return WrittenRing.sample(PID, PID, time, ID, 1).u64(0, 0).end();
  }

  private static byte[] comm(long time) {
    return WrittenRing.comm(PID, PID, "name").by(PID, PID, time, ID);
  }

  private int drain(RingMerge merge) {
    return merge.drain(Long.MAX_VALUE, true, target);
  }

  @Test
  void recordsOfAllRingsComeInTheOrderOfTime() {
    written[0].write(sample(10)).write(comm(40)).write(sample(70));
    written[1].write(comm(20)).write(sample(30)).write(comm(80));
    written[2].write(sample(50)).write(comm(60));
    RingMerge merge = new RingMerge(rings, 0);
    assertEquals(8, drain(merge));
    assertEquals(
        List.of("10@10", "11@20", "11@30", "10@40", "12@50", "12@60", "10@70", "11@80"), taken);
    assertEquals(0, merge.late());
    assertEquals(0, merge.malformed());
    for (WrittenRing each : written) {
      assertEquals(each.head(), each.tail(), "given back to the kernel");
    }
    assertEquals(0, drain(merge), "all rings are empty");
  }

  /** A record's time is where its type has it: a sample's at the front, others' at the end. */
  @Test
  void theClocksOffsetIsAddedToBothPlacesOfATime() {
    written[0].write(sample(10));
    written[1].write(comm(20));
    RingMerge merge = new RingMerge(rings, 1_000);
    drain(merge);
    assertEquals(List.of("10@1010", "11@1020"), taken);
  }

  @Test
  void oneRingThatFillsIsDrainedWhileTheOthersAreEmpty() {
    RingMerge merge = new RingMerge(rings, 0);
    long time = 0;
    int all = 0;
    // Many times the ring's size, so that records lie across its end.
    for (int round = 0; round < 40; round++) {
      int count = 0;
      while (written[1].head() - written[1].tail() + 2 * 64 <= WrittenRing.DATA_BYTES) {
        written[1].write(sample(++time)).write(comm(++time));
        count += 2;
      }
      assertTrue(count > 50);
      assertEquals(count, drain(merge));
      all += count;
    }
    assertTrue(written[1].head() > 30L * WrittenRing.DATA_BYTES);
    assertEquals(all, taken.size());
    for (int i = 0; i < all; i++) {
      assertEquals("11@" + (i + 1), taken.get(i));
    }
    assertEquals(0, merge.malformed() + merge.late());
  }

  @Test
  void nothingIsTakenThatIsLaterThanAskedFor() {
    written[0].write(sample(10)).write(sample(31));
    written[1].write(sample(20)).write(sample(30));
    RingMerge merge = new RingMerge(rings, 0);
    assertEquals(3, merge.drain(30, true, target));
    assertEquals(List.of("10@10", "11@20", "11@30"), taken);
    assertEquals(1, drain(merge));
  }

  /** While CPUs still write, one may be about to write an earlier record into another ring. */
  @Test
  void whatIsYoungIsHeldBackAsLongAsCpusWrite() {
    long now = System.nanoTime();
    long future = now + 3_600_000_000_000L;
    written[0].write(sample(now - 1_000_000_000L)).write(sample(future));
    RingMerge merge = new RingMerge(rings, 0);
    assertEquals(1, merge.drain(Long.MAX_VALUE, false, target));
    written[1].write(sample(future - 1));
    assertEquals(0, merge.drain(Long.MAX_VALUE, false, target));
    assertEquals(2, drain(merge));
    assertEquals(
        List.of("10@" + (now - 1_000_000_000L), "11@" + (future - 1), "10@" + future), taken);
    assertEquals(0, merge.late());
  }

  @Test
  void aRecordThatComesTooLateIsDeliveredAndCounted() {
    written[0].write(sample(50));
    RingMerge merge = new RingMerge(rings, 0);
    drain(merge);
    written[1].write(sample(49)).write(sample(50)).write(sample(51));
    assertEquals(3, drain(merge));
    assertEquals(List.of("10@50", "11@49", "11@50", "11@51"), taken);
    assertEquals(1, merge.late());
  }

  /** What is below the head is complete; what is above it is not there. */
  @Test
  void aRecordIsNotSeenBeforeTheHeadIsMoved() {
    byte[] record = sample(10);
    written[0].writeWithoutHead(record);
    RingMerge merge = new RingMerge(rings, 0);
    assertEquals(0, drain(merge));
    written[0].moveHead(record.length);
    assertEquals(1, drain(merge));
  }

  /** A size that can't be: the ring is given up to its head, the others go on. */
  @Test
  void aRecordOfAnImpossibleSizeCostsItsRingOnly() {
    int[] sizes = {0, 4, 60, 64 + 8};
    int malformed = 0;
    long time = 100;
    RingMerge merge = new RingMerge(rings, 0);
    for (int size : sizes) {
      taken.clear();
      byte[] wrong = WrittenRing.sample(PID, PID, time + 1, ID, 1).u64(0, 0).u64(0).end(size);
      byte[] end = size > 64 ? new byte[0] : sample(time + 3);
      written[0].write(sample(time)).write(size > 64 ? cut(wrong, 64) : wrong).write(end);
      written[2].write(sample(time + 2));
      assertEquals(2, drain(merge), "size " + size);
      assertEquals(List.of("10@" + time, "12@" + (time + 2)), taken, "size " + size);
      assertEquals(++malformed, merge.malformed(), "size " + size);
      assertEquals(written[0].head(), written[0].tail(), "size " + size);
      // And the ring is of use again.
      written[0].write(sample(time + 10));
      assertEquals(1, drain(merge), "size " + size);
      time += 20;
    }
    assertEquals(0, merge.late());
  }

  private static byte[] cut(byte[] record, int length) {
    return java.util.Arrays.copyOf(record, length);
  }
}
