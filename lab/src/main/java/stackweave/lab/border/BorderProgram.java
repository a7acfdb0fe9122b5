package stackweave.lab.border;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import stackweave.lab.Sampling;

/**
 * Loads libraries, calls native methods and holds critical sections, and prints how often, and how
 * long that took by its own clock: {@code what name number nanoseconds}. Argument: the directory of
 * the libraries, which {@link Border} makes.
 */
public final class BorderProgram {
  private static final int QUICK = 300_000;
  private static final int THREADS = 8;
  private static final int CALLS = 40;
  private static final int HOLDS = 8;
  private static final int HOLD_MICROS = 200_000;
  private static final int PAUSE_MILLIS = 100;

  private static final Map<String, LongAdder[]> TRUTH = new ConcurrentHashMap<>();
  private static final AtomicReference<byte[]> GARBAGE = new AtomicReference<>();

  private BorderProgram() {}

  /** Calls that are timed by who calls. */
  private interface Work {
    void run() throws IOException;
  }

  /** An enum's methods are timed although enums are Serializable. */
  private enum Kind {
    ONE;

    native void ofEnum(long micros);
  }

  private static final class Instance {
    native void ofInstance(long micros);
  }

  static native void quick();

  static native void sleep(long micros);

  static native void compute(long micros);

  static native void ofThreads(long micros);

  static synchronized native void locked(long micros);

  static native void thrower(long micros) throws IOException;

  static native int recursive(int depth, long micros);

  static native void overloaded(int micros);

  static native void overloaded(long micros);

  static native void critical(byte[] data, long micros);

  public static void main(String[] arguments) throws Exception {
    Path libraries = Path.of(arguments[0]);
    load(libraries.resolve("libborder.so"));
    Sampling.await();
    load(libraries.resolve("libconstructor.so"));
    Thread loader = new Thread(() -> load(libraries.resolve("libonload.so")), "loader");
    loader.start();
    loader.join();
    Path extracted = Files.createTempFile(libraries, "extracted", ".so");
    Files.write(extracted, Files.readAllBytes(libraries.resolve("libsecond.so")));
    load(extracted);
    Files.delete(extracted);
    call();
    hold();
    new TreeMap<>(TRUTH)
        .forEach((what, sum) -> System.out.println(what + " " + sum[0] + " " + sum[1]));
  }

  private static void load(Path library) {
    timed("load " + library.getFileName(), () -> System.load(library.toString()));
  }

  private static void timed(String what, Work work) {
    long begin = System.nanoTime();
    try {
      work.run();
    } catch (IOException e) {
      if (!e.getMessage().equals("thrown")) {
        throw new IllegalStateException(e);
      }
    }
    long nanos = System.nanoTime() - begin;
    LongAdder[] sum =
        TRUTH.computeIfAbsent(what, key -> new LongAdder[] {new LongAdder(), new LongAdder()});
    sum[0].increment();
    sum[1].add(nanos);
  }

  private static void call() throws InterruptedException {
    Instance instance = new Instance();
    long begin = System.nanoTime();
    for (int i = 0; i < QUICK; i++) {
      quick();
    }
    LongAdder[] all = {new LongAdder(), new LongAdder()};
    all[0].add(QUICK);
    all[1].add(System.nanoTime() - begin);
    TRUTH.put("call quick()V", all);
    for (int i = 0; i < CALLS; i++) {
      timed("call sleep(J)V", () -> sleep(20_000));
      timed("call compute(J)V", () -> compute(5_000));
      timed("call ofInstance(J)V", () -> instance.ofInstance(2_000));
      timed("call ofEnum(J)V", () -> Kind.ONE.ofEnum(2_000));
      timed("call thrower(J)V", () -> thrower(12_000));
      timed("call overloaded(I)V", () -> overloaded(2_000));
      timed("call overloaded(J)V", () -> overloaded(3_000L));
      if (i % 8 == 0) {
        again(4, 3_000);
      }
    }
    Thread[] threads = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      threads[i] = new Thread(BorderProgram::callOften, "caller-" + i);
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void callOften() {
    for (int i = 0; i < CALLS; i++) {
      for (int j = 0; j < 10; j++) {
        timed("call ofThreads(J)V", () -> ofThreads(300));
      }
      synchronized (BorderProgram.class) { // so that the wait for it is not in the clock
        timed("call locked(J)V", () -> locked(1_000));
      }
    }
  }

  /** Called by the native method that it calls, until the depth is 1. */
  static int again(int depth, long micros) {
    timed("call recursive(IJ)I", () -> recursive(depth, micros));
    return depth;
  }

  private static void hold() throws InterruptedException {
    Thread allocator =
        new Thread(
            () -> {
              while (true) {
                GARBAGE.set(new byte[20_000]);
              }
            },
            "allocator");
    allocator.setDaemon(true);
    allocator.start();
    byte[] data = new byte[1_000];
    for (int i = 0; i < HOLDS; i++) {
      timed("held critical", () -> critical(data, HOLD_MICROS));
      Thread.sleep(PAUSE_MILLIS);
    }
  }
}
