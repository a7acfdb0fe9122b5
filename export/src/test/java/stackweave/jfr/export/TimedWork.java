package stackweave.jfr.export;

import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.file.Path;
import java.util.Map;
import jdk.jfr.Recording;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.jfr.store.Unpooled;

/**
 * Ten seconds of two threads, 100 samples a second each. {@code zip} compresses all the time;
 * {@code web} has a phase from second 4 to 6 in which it calls {@code slow}. Java calls itself,
 * once directly and once through another method.
 */
public final class TimedWork {
  public static final int SAMPLES = 2_000;

  private static final SessionInfo SESSION =
      new SessionInfo(
          "timed",
          "x86_64-linux-gnu",
          Unpooled.legend(
              "0=native,1=kernel,2=interpreted,3=C1,4=C2,5=inlined,6=native method,7=stub"),
          Unpooled.legend("0=complete,1=thread entry,2=truncated"),
          "0,1",
          Unpooled.legend("0=on CPU,1=waiting"));

  private static final long SECOND = 1_000_000_000L;

  private TimedWork() {}

  /** Where a stack ends in a store: pairs of kind and method. */
  private static long stack(EventStore store, Object... kindsAndMethods) {
    long node = EventStore.ROOT;
    for (int i = 0; i < kindsAndMethods.length; i += 2) {
      node =
          store.node(
              node,
              store.method((MethodDefinition) kindsAndMethods[i + 1]),
              (Integer) kindsAndMethods[i],
              (Integer) kindsAndMethods[i] == 4 ? 17 : -1,
              3);
    }
    return node;
  }

  /**
   * @param slowPercent how many of 100 samples of the thread web are in slow, in its phase
   */
  public static SampledRecording record(Path file, int slowPercent) throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        write(store, slowPercent);
      }
      recording.dump(file);
    }
    return SampledRecording.openTimed(file, ReadingProgress.NONE);
  }

  /** Two samples, three seconds apart, that stand for four intervals of 10 ms and for two. */
  public static SampledRecording recordThinned(Path file) throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        long stack = stack(store, 4, java("app.Main", "work"));
        long thread = store.thread(11, "main", 1, false, 0, null);
        long begin = System.nanoTime() - 60 * SECOND;
        store.write(new SampleRecord().begin(CPU, begin, 40_000_000).stack(thread, stack, 0, 0));
        store.write(
            new SampleRecord()
                .begin(CPU, begin + 3 * SECOND, 20_000_000)
                .stack(thread, stack, 0, 0));
        Counters counters =
            new Counters()
                .set(Counter.INTERVAL, 10_000_000)
                .set(Counter.TAKEN, 6)
                .set(Counter.THINNED, 4)
                .set(Counter.WRITTEN, 2);
        store.status(new SamplerFigures("perf", "", "", counters, Map.of()));
      }
      recording.dump(file);
    }
    return SampledRecording.open(file, ReadingProgress.NONE);
  }

  private static void write(EventStore store, int slowPercent) {
    long libc = ManyStacks.module(store, "/usr/lib/libc.so.6", "aa11");
    long jvm = ManyStacks.module(store, "/opt/jdk/lib/server/libjvm.so", "bb22");
    long zip = ManyStacks.module(store, "/opt/app/libzip.so", "0123456789abcdef");
    MethodDefinition start = MethodDefinition.symbol(libc, "start_thread", 16);
    MethodDefinition run = MethodDefinition.symbol(jvm, "Thread::run()", 32);
    MethodDefinition helper = MethodDefinition.symbol(jvm, "JavaCalls::call()", 64);
    MethodDefinition stub = MethodDefinition.stub("call_stub");
    MethodDefinition main = java("app.Main", "work");
    MethodDefinition walk = java("app.Tree", "walk");
    MethodDefinition visit = java("app.Tree", "visit");
    MethodDefinition pack = java("app.Zip", "pack");
    MethodDefinition compress = java("app.Zip", "compress0");
    MethodDefinition deflate = MethodDefinition.symbol(zip, "deflate", 48);
    MethodDefinition write = MethodDefinition.symbol(0, "ksys_write", 1 << 20);
    MethodDefinition enter = MethodDefinition.symbol(0, "do_syscall_64", 1 << 19);
    long zipping =
        stack(
            store, 0, start, 0, run, 0, helper, 7, stub, 4, main, 4, pack, 6, compress, 0, deflate);
    long writing =
        stack(
            store, 0, start, 0, run, 0, helper, 7, stub, 4, main, 4, pack, 6, compress, 0, deflate,
            1, enter, 1, write);
    long walking =
        stack(
            store, 0, start, 0, run, 0, helper, 7, stub, 4, main, 4, walk, 4, walk, 5, visit, 4,
            walk);
    long slow =
        stack(store, 0, start, 0, run, 0, helper, 7, stub, 4, main, 4, java("app.Main", "slow"));
    long zipThread = store.thread(11, "zip", 2, false, 0, null);
    long webThread = store.thread(12, "web", 3, false, 0, null);
    // The first sample is at 0, the last in the last hundredth of the ten seconds.
    long begin = System.nanoTime() - 60 * SECOND;
    for (int i = 0; i < SAMPLES / 2; i++) {
      long time = begin + i * (SECOND / 100);
      boolean isPhase = i >= 400 && i < 600;
      store.write(
          new SampleRecord()
              .begin(CPU, time, 10_000_000)
              .stack(zipThread, i % 4 == 3 ? writing : zipping, 0, 0));
      boolean isSlow = isPhase && i % 100 < slowPercent;
      store.write(
          new SampleRecord()
              .begin(CPU, time, 10_000_000)
              .stack(webThread, isSlow ? slow : walking, 0, 0)
              .state(i % 10 == 9 ? 1 : 0));
    }
  }

  private static MethodDefinition java(String type, String method) {
    return MethodDefinition.java(type, method, "()V", 1, "");
  }
}
