package stackweave.benchmarks;

import java.io.IOException;
import java.util.Random;
import java.util.zip.Deflater;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineSink;
import stackweave.engine.SampleEngine;
import stackweave.engine.choice.EngineChooser;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.linux.ProcessMemory;
import stackweave.maps.modules.ModuleIndex;
import stackweave.unwind.Architecture;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * One real sample of this JVM, kept: a thread that recurses in compiled Java code into the JDK's
 * zlib, sampled by the perf engine, with all that is needed to unwind it again and again.
 */
final class SampledStack implements AutoCloseable {
  private static final int DEPTH = 1024;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  final StackSnapshot snapshot = new StackSnapshot(Architecture.X86_64);
  final FrameBuffer frames = new FrameBuffer(DEPTH);
  final ModuleIndex modules;
  final MixedUnwinder unwinder;
  private final ProcessMemory memory = new ProcessMemory();
  private final Victim victim;

  /**
   * @param least fewest frames of the sample to keep
   * @param most most frames
   */
  SampledStack(int least, int most) throws IOException, UnsupportedVmException {
    RuleTable rules = new RuleTable(Architecture.X86_64);
    modules = new ModuleIndex(memory, rules);
    modules.refresh(System.nanoTime());
    HotSpot hotSpot = HotSpot.open(modules.latest().named("libjvm.so")::addressOf, memory);
    unwinder = new MixedUnwinder(new NativeUnwinder(rules), hotSpot, new HotSpotMethods());
    // Java frames on top of the 12 or so native ones below and above them.
    victim = new Victim((least + most) / 2 - 12);
    victim.start();
    try (SampleEngine engine =
        EngineChooser.start(EngineConfig.every(5_000_000))
            .engine()
            .orElseThrow(() -> new IllegalStateException("no perf here: run as root"))) {
      catchOne(engine, least, most);
    }
  }

  private void catchOne(SampleEngine engine, int least, int most) {
    Catch sink = new Catch(least, most);
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!sink.caught) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            "no complete stack of " + least + " to " + most + " frames; last " + sink.last);
      }
      engine.await(50);
      engine.drain(Long.MAX_VALUE, sink);
    }
  }

  /** Unwinds the sample once more. */
  FrameBuffer unwind() {
    unwinder.unwind(snapshot, modules.latest(), frames);
    return frames;
  }

  @Override
  public void close() {
    victim.ends = true;
    memory.close();
  }

  private final class Catch implements EngineSink {
    private final int least;
    private final int most;
    private final long notBefore = System.nanoTime() + 5_000_000_000L;
    private boolean caught;
    private String last = "none";

    Catch(int least, int most) {
      this.least = least;
      this.most = most;
    }

    @Override
    public void sample(StackSnapshot sample) {
      // In the first seconds the code is still interpreted.
      if (caught || sample.timeNanos() - notBefore < 0) {
        return;
      }
      sample.setElsewhere(memory);
      unwinder.unwind(sample, modules.latest(), frames);
      last = frames.count() + " frames, " + frames.end();
      if (frames.end().isComplete() && frames.count() >= least && frames.count() <= most) {
        snapshot.registers().copyFrom(sample.registers());
        snapshot.setHasRegisters(true);
        System.arraycopy(sample.stackBytes(), 0, snapshot.stackBytes(), 0, sample.stackLength());
        snapshot.setStack(sample.stackAddress(), sample.stackLength());
        snapshot.setElsewhere(memory);
        caught = true;
      }
    }
  }

  /** Recurses, then compresses noise: half of its time is zlib's. */
  private static final class Victim extends Thread {
    private final int depth;
    private final byte[] noise = new byte[64 * 1024];
    private final byte[] out = new byte[128 * 1024];
    private final Deflater deflater = new Deflater(9);
    private volatile boolean ends;

    Victim(int depth) {
      super("victim");
      this.depth = depth;
      new Random(7).nextBytes(noise);
      setDaemon(true);
    }

    @Override
    public void run() {
      while (!ends) {
        recurse(depth);
      }
      deflater.end();
    }

    private int recurse(int left) {
      if (left == 0) {
        deflater.reset();
        deflater.setInput(noise);
        deflater.finish();
        return deflater.deflate(out);
      }
      return recurse(left - 1) + 1;
    }
  }
}
