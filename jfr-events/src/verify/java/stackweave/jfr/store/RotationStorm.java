package stackweave.jfr.store;

import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingStream;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;

/**
 * A process that writes samples while its recordings are dumped, started and stopped all the time.
 *
 * <p>Arguments: directory, samples a second, milliseconds between two dumps, seconds. Leaves {@code
 * main.jfr} with all samples, {@code extra-N.jfr} of recordings that ran for a while, and prints
 * what it wrote.
 */
public final class RotationStorm {
  private final Path directory;
  private final long rate;
  private final long dumpEvery;
  private final EventStore store;
  private final AtomicLong worstSample = new AtomicLong();
  private volatile int extraDumps;
  private volatile boolean over;
  private volatile long written;
  private long refused;
  private long timeOffset;

  private RotationStorm(Path directory, long rate, long dumpEvery) {
    this.directory = directory;
    this.rate = rate;
    this.dumpEvery = dumpEvery;
    // Small limits: generations must change in the storm, too.
    this.store =
        EventStore.open(SyntheticStacks.SESSION, new StoreLimits(30_000, 65_536, 4_096, 16_384));
  }

  public static void main(String[] args) throws Exception {
    Recording main = new Recording();
    main.setName("storm");
    main.start();
    RotationStorm storm =
        new RotationStorm(Path.of(args[0]), Long.parseLong(args[1]), Long.parseLong(args[2]));
    storm.run(main, Integer.parseInt(args[3]));
  }

  private void run(Recording main, int seconds) throws Exception {
    Thread drain = new Thread(this::drain, "drain");
    drain.start();
    Thread extras = new Thread(this::extras, "extras");
    extras.start();
    AtomicLong streamed = new AtomicLong();
    long worstDump = 0;
    int dumps = 0;
    try (RecordingStream stream = new RecordingStream()) {
      stream.setOrdered(false);
      stream.enable("jdk.CPULoad").withPeriod(Duration.ofMillis(500));
      stream.onEvent("stackweave.StackSample", event -> streamed.incrementAndGet());
      stream.startAsync();
      long end = System.nanoTime() + seconds * 1_000_000_000L;
      // On a slow machine until there is something to look at.
      while (System.nanoTime() < end || dumps < 3 || extraDumps < 4 || written < 500) {
        Thread.sleep(dumpEvery);
        Path file = directory.resolve("dump.jfr");
        long before = System.nanoTime();
        main.dump(file);
        worstDump = Math.max(worstDump, System.nanoTime() - before);
        dumps++;
        Files.delete(file);
      }
    }
    over = true;
    drain.join();
    extras.join();
    main.dump(directory.resolve("main.jfr"));
    main.close();
    System.out.println("written=" + written);
    System.out.println("refused=" + refused);
    System.out.println("streamed=" + streamed);
    System.out.println("dumps=" + dumps);
    System.out.println("worstDumpMillis=" + worstDump / 1_000_000);
    System.out.println("worstSampleMillis=" + worstSample.get() / 1_000_000);
    System.out.println("lateFlushes=" + store.lateFlushes());
    System.out.println("missedEnds=" + store.missedEnds());
    System.out.println("forcedOpenings=" + store.forcedOpenings());
    System.out.println("timeOffset=" + timeOffset);
    store.close();
  }

  /** Takes samples as the clock says they are due, as a drain thread finds them in its rings. */
  private void drain() {
    Thread self = Thread.currentThread();
    store.attachDrain(() -> LockSupport.unpark(self));
    long start = System.nanoTime();
    timeOffset = timeOffset();
    long number = 0;
    while (!over) {
      boolean flush = store.flushRequested();
      long due = (System.nanoTime() - start) * rate / 1_000_000_000L;
      while (number < due) {
        sample(number++);
      }
      if (flush) {
        store.status(status(number));
        store.flushDone();
      }
      LockSupport.parkNanos(2_000_000L);
    }
    store.detachDrain();
  }

  /** Of the two clocks: where this thread was not stopped between its looks at them. */
  private static long timeOffset() {
    long least = Long.MAX_VALUE;
    long offset = 0;
    for (int i = 0; i < 1_000; i++) {
      long before = System.nanoTime();
      long millis = System.currentTimeMillis();
      long took = System.nanoTime() - before;
      if (took < least) {
        least = took;
        offset = millis * 1_000_000L - before;
      }
    }
    return offset;
  }

  private void sample(long number) {
    long time = System.nanoTime();
    long stack = SyntheticStacks.intern(store, number);
    long thread = SyntheticStacks.thread(store, number);
    int end = SyntheticStacks.endCode(number);
    // The number is found again as context, the time as weight.
    if (store.write(
        new SampleRecord().begin(CPU, time, time).stack(thread, stack, end, number + 1))) {
      written++;
    } else {
      refused++;
    }
    worstSample.accumulateAndGet(System.nanoTime() - time, Math::max);
  }

  private SamplerFigures status(long taken) {
    return new SamplerFigures(
        "synthetic",
        "",
        "",
        new Counters()
            .set(Counter.INTERVAL, 1_000_000_000L / rate)
            .set(Counter.TAKEN, taken)
            .set(Counter.WRITTEN, written)
            .set(Counter.DROPPED, refused)
            .set(Counter.CPU_USED, written)
            .set(Counter.CPU_COVERED, written),
        Map.of(Breakdown.ENDS, Map.of("complete", written)));
  }

  private void extras() {
    int number = 0;
    List<Recording> running = new ArrayList<>();
    while (!over) {
      try {
        Recording recording = new Recording();
        recording.setToDisk(true);
        recording.start();
        running.add(recording);
        Thread.sleep(170);
        if (running.size() > 2) {
          Recording oldest = running.remove(0);
          oldest.stop();
          oldest.dump(directory.resolve("extra-" + number++ % 10 + ".jfr"));
          extraDumps = number;
          oldest.close();
        }
      } catch (IOException | InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    for (Recording recording : running) {
      recording.close();
    }
  }
}
