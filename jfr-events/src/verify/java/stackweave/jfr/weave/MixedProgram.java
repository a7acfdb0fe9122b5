package stackweave.jfr.weave;

import static stackweave.jfr.event.SampleRecord.Kind.CPU;
import static stackweave.jfr.event.SampleRecord.Kind.WALL;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Recording;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.event.ThreadState;
import stackweave.jfr.event.WallSample;
import stackweave.jfr.read.Chunks;
import stackweave.jfr.status.Breakdown;
import stackweave.jfr.status.Counter;
import stackweave.jfr.status.Counters;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.ModuleDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

/**
 * A process with samples of all kinds of frames and threads, beside events of JFR with stack traces
 * of its own, in a recording of several chunks.
 */
public final class MixedProgram {
  private static final SessionInfo SESSION =
      new SessionInfo(
          "test",
          "x86_64-linux-gnu",
          "0=native,1=kernel,2=interpreted,3=C1,4=C2,5=inlined,6=native method,7=stub,8=unknown,9=continuation",
          "0=complete,1=thread entry,2=truncated,3=unreadable memory",
          "0,1",
          "0=running");

  private static final long MILLI = 1_000_000L;
  private static volatile long sink;

  final EventStore store;
  private final Random random;
  private final long mainThread;
  private final long vmThread;
  private long written;
  private long covered;

  MixedProgram(long seed) throws Exception {
    store = EventStore.open(SESSION, StoreLimits.DEFAULT);
    random = new Random(seed);
    Path self = Files.readSymbolicLink(Path.of("/proc/thread-self"));
    long tid = Long.parseLong(self.getFileName().toString());
    Thread current = Thread.currentThread();
    mainThread = store.thread(tid, current.getName(), current.getId(), false, 0, current);
    vmThread = store.thread(4_711, "G1 Conc#0", 0, false, 0, null);
  }

  /** An event with a stack trace, and a string and a class in JFR's constants. */
  @Name("test.Marker")
  static final class Marker extends Event {
    int number;
    String text;
    Class<?> type;
  }

  /**
   * Arguments: file, seed, chunks, samples of each, and {@code die} to be killed in the last chunk,
   * {@code weights} for samples of different weights, {@code pause} for a time without samples in
   * the middle, {@code whole} for stacks that all reach their root.
   */
  public static void main(String[] arguments) throws Exception {
    String flags = arguments.length > 4 ? arguments[4] : "";
    Path file = Path.of(arguments[0]);
    Recording recording = new Recording();
    recording.enable("jdk.ExecutionSample").withPeriod(Duration.ofMillis(10));
    recording.enable("jdk.NativeMethodSample").withPeriod(Duration.ofMillis(10));
    recording.enable("jdk.JVMInformation");
    recording.enable(WallSample.NAME);
    recording.enable("jdk.ActiveSetting");
    if (flags.equals("die")) {
      recording.setDestination(file);
    }
    recording.start();
    MixedProgram program = new MixedProgram(Long.parseLong(arguments[1]));
    int chunks = Integer.parseInt(arguments[2]);
    int samples = Integer.parseInt(arguments[3]);
    for (int chunk = 0; chunk < chunks; chunk++) {
      program.write(samples / 2, flags);
      program.mark(chunk * 100, arguments[1].equals("1"));
      burn(flags.equals("pause") ? 300 : 50);
      if (flags.equals("pause")) {
        program.status();
        burn(300);
        program.status(); // none since the one before
      }
      program.write(samples - samples / 2, flags);
      program.status();
      if (chunk < chunks - 1) {
        Recording other = new Recording();
        other.setToDisk(true);
        other.start(); // JFR begins another chunk
      }
    }
    if (flags.equals("die")) {
      Chunks.awaitFlush();
      Runtime.getRuntime().halt(9);
    }
    program.store.close();
    recording.dump(file);
    recording.close();
    System.out.println("sink=" + sink);
  }

  /** Uses so much CPU time, so that JFR takes samples of its own. */
  private static void burn(int millis) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + millis * MILLI;
    while (threads.getCurrentThreadCpuTime() < end) {
      sink += Long.toString(sink).hashCode();
    }
  }

  /** Markers from methods that differ between the JVMs of a test. */
  void mark(int first, boolean isOther) {
    for (int i = 0; i < 20; i++) {
      if (isOther) {
        Other.deeper(first + i, i % 7);
      } else {
        commit(first + i, "this JVM's text, which is long enough for a pool " + i % 3, Map.class);
      }
    }
  }

  private static void commit(int number, String text, Class<?> type) {
    Marker marker = new Marker();
    marker.number = number;
    marker.text = text;
    marker.type = type;
    marker.commit();
  }

  /** What only one of two JVMs runs. */
  private static final class Other {
    static void deeper(int number, int depth) {
      if (depth > 0) {
        deeper(number, depth - 1);
      } else {
        commit(number, "the other JVM's text, which has its own number " + number, Other.class);
      }
    }
  }

  void write(int count, String flags) {
    boolean isWhole = flags.equals("whole");
    boolean hasWeights = flags.equals("weights");
    for (int i = 0; i < count; i++) {
      store.beginStack();
      int end = !isWhole && random.nextInt(10) == 0 ? 2 : 0;
      long stack = !isWhole && random.nextInt(40) == 0 ? EventStore.ROOT : stack();
      long weight = hasWeights && i % 4 == 0 ? 5 * MILLI : MILLI;
      long thread = random.nextInt(3) == 0 ? vmThread : mainThread;
      if (!store.write(
          new SampleRecord().begin(CPU, System.nanoTime(), weight).stack(thread, stack, end, 0))) {
        throw new IllegalStateException("refused");
      }
      if (i % 3 == 0 && !wait(thread, stack)) {
        throw new IllegalStateException("refused");
      }
      written++;
      covered += weight;
    }
  }

  /** A sample of waiting, which nothing weaves. */
  private boolean wait(long thread, long stack) {
    return store.write(
        new SampleRecord()
            .begin(WALL, System.nanoTime(), 20 * MILLI)
            .stack(thread, stack, 0, 0)
            .state(ThreadState.PARK.code()));
  }

  void status() {
    store.status(
        new SamplerFigures(
            "synthetic",
            "",
            "",
            new Counters()
                .set(Counter.INTERVAL, MILLI)
                .set(Counter.TAKEN, written)
                .set(Counter.WRITTEN, written)
                .set(Counter.CPU_USED, covered)
                .set(Counter.CPU_COVERED, covered),
            Map.of(Breakdown.ENDS, Map.of("complete", written))));
  }

  private long stack() {
    long node = EventStore.ROOT;
    int depth = 1 + random.nextInt(60);
    for (int i = 0; i < depth; i++) {
      node = frame(node, random.nextInt(14), random.nextInt(4));
    }
    return node;
  }

  private long frame(long parent, int sort, int number) {
    return switch (sort) {
      case 0 -> node(parent, symbol("/lib/libc.so.6", "function" + number), 0);
      case 1 -> node(parent, symbol("/opt/libjvm.so", "Type::call(int, " + number + ")"), 0);
      case 2 -> node(parent, symbol("[vdso]", "__vdso_gettime" + number), 0);
      case 3 -> node(parent, symbol("/opt/libfoo.so", "libfoo.so+0x" + number + "80"), 0);
      case 4 -> node(parent, symbol("/opt/program", "main"), 0);
      case 5 -> node(parent, MethodDefinition.symbol(0, "do_syscall_" + number, 0), 1);
      case 6 -> node(parent, MethodDefinition.stub("StubRoutines (" + number + ")"), 7);
      case 7 -> node(parent, MethodDefinition.symbol(0, "[unknown code]", 0), 8);
      case 8 -> node(parent, MethodDefinition.stub("virtual thread"), 9);
      case 9 ->
          node(
              parent,
              MethodDefinition.java(
                  "com.example.Main$$Lambda/0x00007f0" + number, "run", "", 1, ""),
              2);
      case 10 -> node(parent, MethodDefinition.java("Plain", "nativeCall", "(IJ)V", 0x109, ""), 6);
      default ->
          node(
              parent,
              MethodDefinition.java(
                  "com.example.p" + number + ".Type", "m" + sort, "([I)Ljava/lang/String;", 9, ""),
              2 + (sort + number) % 4);
    };
  }

  private MethodDefinition symbol(String library, String name) {
    long module =
        store.module(new ModuleDefinition(library, "", 4096, 8192, "eh_frame", "", 10, ".symtab"));
    return MethodDefinition.symbol(module, name, 16);
  }

  private long node(long parent, MethodDefinition method, int kind) {
    boolean isJava = !method.className().isEmpty();
    return store.node(
        parent, store.method(method), kind, isJava ? 1 + random.nextInt(3) : -1, isJava ? 7 : 48);
  }
}
