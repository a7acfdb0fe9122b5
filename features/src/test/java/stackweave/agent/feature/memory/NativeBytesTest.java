package stackweave.agent.feature.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.agent.decode.OwnPipeline.of;

import java.util.ArrayList;
import java.util.List;
import jdk.jfr.consumer.RecordedEvent;
import org.junit.jupiter.api.Test;
import stackweave.agent.decode.OwnPipeline;
import stackweave.engine.EngineSink;
import stackweave.engine.perf.PerfBudget;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.status.Counter;
import stackweave.linux.NativeBuffer;
import stackweave.unwind.snapshot.StackSnapshot;

/** How many bytes are said to be touched, or to be live. */
class NativeBytesTest {
  private static final int PAGE = 4096;

  /** Two faults for each page of buffers: before the second one it has been given back. */
  private static final class Faults extends OwnPipeline.Silent {
    private final List<NativeBuffer> buffers;
    private final StackSnapshot snapshot;
    private long address;
    private boolean delivered;

    Faults(List<NativeBuffer> buffers, StackSnapshot snapshot) {
      this.buffers = buffers;
      this.snapshot = snapshot;
    }

    @Override
    public int drain(long untilTimeNanos, EngineSink sink) {
      if (delivered) {
        return 0;
      }
      delivered = true;
      int count = 0;
      List<NativeBuffer> twice = new ArrayList<>(buffers);
      twice.addAll(buffers);
      for (NativeBuffer buffer : twice) {
        for (long at = 0; at < buffer.bytes().capacity(); at += PAGE) {
          address = buffer.address() + at;
          buffer.bytes().put((int) at, (byte) 1);
          if (sink.wantsSample()) {
            sink.sample(snapshot);
          }
          count++;
        }
      }
      return count;
    }
  }

  /**
   * One page in eight is followed, by its number. 4,096 pages are 512 ± 21 of them then: further
   * off by a quarter it is once in a hundred million times.
   */
  @Test
  void whatIsTouchedIsSaidToBeSoMuch() throws Exception {
    List<NativeBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      buffers.add(NativeBuffer.allocate(1 << 20));
    }
    try (OwnPipeline own = new OwnPipeline()) {
      Faults faults = new Faults(buffers, own.snapshot(System.nanoTime()));
      MemorySampler sampler =
          new MemorySampler(
              own.context(),
              new MemorySampler.Source(
                  faults, () -> faults.address, new PerfBudget(1 << 20), null, null),
              new MemoryRegions(SampledProcess.OWN, 0, 0));
      sampler.pass();
      long touched = own.count(Counter.MEMORY_TOUCHED) - own.count(Counter.MEMORY_GIVEN_BACK);
      sampler.close();
      assertEquals(touched, sum(of(own.events(), "NativeMemory")));
      long truth = 16L << 20;
      assertTrue(Math.abs(touched - truth) < truth / 4, touched + " of " + truth);
    } finally {
      buffers.forEach(NativeBuffer::close);
    }
  }

  /** Of blocks that are all followed the sizes are those that the program asked for. */
  @Test
  void blocksCountByTheirSizesUntilTheyAreFreed() throws Exception {
    try (OwnPipeline own = new OwnPipeline()) {
      AllocationSampler sampler = new AllocationSampler(own.context());
      StackSnapshot snapshot = own.snapshot(System.nanoTime());
      // The C library's chunk has a word before the block.
      sampler.allocated(0x7f0000001010L, 100_008, 13, snapshot);
      sampler.allocated(0x7f0000100010L, 50_008, 13, snapshot);
      // One that is chosen in place of others as small as it: all together have 8 KiB.
      sampler.allocated(0x7f0000200010L, 40, 13, snapshot);
      sampler.freed(0x7f0000001010L, System.nanoTime());
      sampler.close();
      List<Long> weights =
          of(own.events(), "NativeAllocation").stream().map(e -> e.getLong("weight")).toList();
      assertEquals(List.of(100_000L, 50_000L, 8_192L, -100_000L), weights);
      assertEquals(158_192, own.count(Counter.ALLOCATED));
      assertEquals(100_000, own.count(Counter.FREED));
    }
  }

  private static long sum(List<RecordedEvent> events) {
    return events.stream().mapToLong(event -> event.getLong("weight")).sum();
  }
}
