package stackweave.agent.drain;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineFigure;
import stackweave.engine.EngineSink;
import stackweave.engine.SampleEngine;
import stackweave.engine.choice.EngineChooser;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.linux.ProcessMemory;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.unwind.Architecture;
import stackweave.unwind.StopReason;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * An application whose classes and compiled code come and go, sampled by a pipeline that is drained
 * late: between a sample and its decoding generations of code are unloaded and their memory is used
 * again.
 *
 * <p>Arguments: seconds at most, pairs that are enough, milliseconds from one drain to the next,
 * milliseconds that a generation runs.
 */
final class ChurnProbe implements EngineSink {
  private static final int GC_MILLIS = 100;
  private static final long SLOW_NANOS = 300_000_000_000L;

  /** Fewer prove nothing. */
  private static final int MIN_PAIRS = 200;

  private static final int STACK_BYTES = 16 * 1024;
  private static final long INTERVAL_NANOS = 1_000_000;

  private final ProcessMemory memory = new ProcessMemory();
  private final RuleTable rules = new RuleTable(Architecture.X86_64);
  private final ModuleIndex modules = new ModuleIndex(memory, rules);
  private final HotSpotMethods methods = new HotSpotMethods();
  private final FrameBuffer frames = new FrameBuffer(1024);
  private final ChurnCheck check = new ChurnCheck(methods);
  private final Map<StopReason, Integer> ends = new EnumMap<>(StopReason.class);
  private final MixedUnwinder unwinder;
  private List<ChurnWorker> workers;
  private long lost;
  private volatile long replaced;

  private ChurnProbe() throws Exception {
    modules.refresh(System.nanoTime());
    MappedModule libjvm = modules.latest().named("libjvm.so");
    HotSpot hotspot = HotSpot.open(libjvm::addressOf, memory);
    unwinder = new MixedUnwinder(new NativeUnwinder(rules), hotspot, methods);
  }

  public static void main(String[] args) throws Exception {
    long seconds = Long.parseLong(args[0]);
    long pairs = Long.parseLong(args[1]);
    long delay = Long.parseLong(args[2]);
    long run = Long.parseLong(args[3]) * 1_000_000;
    new ChurnProbe().run(seconds, pairs, delay, run);
  }

  /** The thread that starts an engine is not sampled, nor are those that it starts. */
  private void run(long seconds, long pairs, long delay, long runNanos) throws Exception {
    workers = List.of(new ChurnWorker(runNanos), new ChurnWorker(runNanos));
    CountDownLatch sampling = new CountDownLatch(1);
    AtomicBoolean stop = new AtomicBoolean();
    Thread drain = new Thread(() -> drain(delay, sampling, stop), "drain");
    drain.start();
    sampling.await();
    Thread collector = new Thread(ChurnProbe::collect, "collector");
    collector.setDaemon(true);
    workers.forEach(Thread::start);
    collector.start();
    long end = System.nanoTime() + seconds * 1_000_000_000;
    long latest = end + SLOW_NANOS;
    while ((System.nanoTime() < end || !proves() && System.nanoTime() < latest)
        && check.pairs() < pairs) {
      Thread.sleep(100);
    }
    for (ChurnWorker worker : workers) {
      worker.end();
    }
    stop.set(true);
    drain.join();
    report();
  }

  /** Whether what was seen is enough to say that no name is wrong. */
  private boolean proves() {
    return check.pairs() > MIN_PAIRS && replaced > 0;
  }

  private void drain(long delay, CountDownLatch sampling, AtomicBoolean stop) {
    EngineConfig config = new EngineConfig(INTERVAL_NANOS, STACK_BYTES, null);
    try (SampleEngine engine = EngineChooser.start(config).engine().orElseThrow()) {
      sampling.countDown();
      while (!stop.get()) {
        Thread.sleep(delay);
        engine.drain(Long.MAX_VALUE, this);
        replaced = unwinder.counters().identityFailures;
      }
      lost = engine.statistics().get(EngineFigure.LOST);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void collect() {
    try {
      while (true) {
        Thread.sleep(GC_MILLIS);
        System.gc();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void report() {
    UnwindCounters s = unwinder.counters();
    System.out.println("ends: " + ends + " lost " + lost);
    System.out.println("frames: " + check.frames);
    System.out.println("pairs: " + check.pairs());
    System.out.println("unknown: " + check.unknown);
    System.out.println("replaced: " + s.identityFailures);
    System.out.println("wrong: " + check.wrongCount);
    check.wrong.forEach(what -> System.out.println("wrong name: " + what));
    System.out.println("failures: " + unwinder.failures() + " " + unwinder.lastFailure());
    System.out.printf(
        "decoder: links %d broken %d mended %d stale %d missing %d former %d too old %d identity"
            + " %d blobs %d methods %d%n",
        s.links,
        s.brokenLinks,
        s.mendedLinks,
        s.staleFrames,
        s.missingFrames,
        s.formerCode,
        s.tooOld,
        s.identityFailures,
        s.blobsRead,
        s.methodsRead);
  }

  @Override
  public void sample(StackSnapshot snapshot) {
    for (ChurnWorker worker : workers) {
      if (worker.tid == snapshot.tid()) {
        snapshot.setElsewhere(memory);
        unwinder.unwind(snapshot, modules.at(snapshot.timeNanos()), frames);
        ends.merge(frames.end(), 1, Integer::sum);
        check.check(frames, worker, snapshot.timeNanos());
      }
    }
  }
}
