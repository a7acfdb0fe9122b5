package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jdk.jfr.Recording;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.ModuleDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.jfr.store.Unpooled;

/** Recordings with something of all that an export must cope with. */
public final class ManyStacks {
  public static final int NATIVE = 0;
  public static final int KERNEL = 1;
  public static final int INTERPRETED = 2;
  public static final int C2 = 4;
  public static final int INLINED = 5;
  public static final int STUB = 7;
  public static final int TRUNCATED = 2;

  /** Names that somebody who knows the formats would choose. */
  public static final String HOSTILE =
      "</script><b onclick=\"x('1')\">\\u0000\0\u001b]0;x\u0007\n;\"'\\&amp;\u2028\ud800\u202efdp\u2066";

  public static final String LONG = "n".repeat(4_000);

  private static final SessionInfo SESSION =
      new SessionInfo(
          "test",
          "x86_64-linux-gnu",
          Unpooled.legend(
              "0=native,1=kernel,2=interpreted,3=C1,4=C2,5=inlined,6=native method,7=stub"),
          Unpooled.legend("0=complete,1=thread entry,2=truncated,3=unreadable memory"),
          "0,1",
          Unpooled.legend("0=on CPU,1=waiting"));

  /** Writes samples. */
  public interface Content {
    void write(EventStore store);
  }

  private ManyStacks() {}

  /** A recording of one process. */
  public static SampledRecording record(Path file, Content content) throws Exception {
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        content.write(store);
      }
      recording.dump(file);
    }
    return SampledRecording.open(file);
  }

  /** Opens a recording with other samples than those of CPU time. */
  public static SampledRecording open(Path file, SampleChoice choice) throws RecordingException {
    return SampledRecording.open(
        file, ReadingProgress.NONE, true, SampledFrame.Change.NONE, choice);
  }

  /** All sorts of frames, threads, states, ends and names. */
  public static SampledRecording all(Path directory) throws Exception {
    return record(directory.resolve("all.jfr"), ManyStacks::writeAll);
  }

  /** One sample without any frame. */
  public static SampledRecording one(Path directory) throws Exception {
    return record(
        directory.resolve("one.jfr"),
        store -> sample(store, store.thread(7, "", 0, false, 0, null), 0, 5, 0, 0, 0));
  }

  /** Two processes with the same threads and stacks. */
  public static SampledRecording twoProcesses(Path directory) throws Exception {
    record(directory.resolve("a.jfr"), ManyStacks::writeAll);
    Workload.record(directory.resolve("b.jfr"));
    Path both = directory.resolve("both.jfr");
    try (OutputStream out = Files.newOutputStream(both, StandardOpenOption.CREATE_NEW)) {
      Files.copy(directory.resolve("a.jfr"), out);
      Files.copy(directory.resolve("b.jfr"), out);
    }
    return SampledRecording.open(both);
  }

  /** The library {@code path}, whose code is somewhere. */
  public static long module(EventStore store, String path, String buildId) {
    return store.module(
        new ModuleDefinition(
            path, buildId, 0x7f00_0000_1000L, 0x7f00_0009_9000L, "eh_frame", "", 10, ".symtab"));
  }

  /** Writes a sample. */
  public static void sample(
      EventStore store, long thread, int state, long weight, long node, int end, long context) {
    assertTrue(
        store.write(
            new SampleRecord()
                .begin(CPU, System.nanoTime(), weight)
                .stack(thread, node, end, context)
                .state(state)));
  }

  private static void writeAll(EventStore store) {
    long deep = module(store, "/opt/app/libdeep.so", "0123456789abcdef0123456789abcdef01234567");
    long plain = module(store, "/opt/" + HOSTILE + "/libodd.so", "");
    long high = module(store, "[vsyscall]", "");
    long start = native_(store, EventStore.ROOT, deep, "thread_start", 0x12, 1);
    long other = native_(store, EventStore.ROOT, deep, "thread_start", 0x12, 9);
    long stub = store.node(start, store.method(MethodDefinition.stub("call_stub")), STUB, -1, 0);
    long run = store.method(MethodDefinition.java("com.a.Main", "run", "()V", 1, "Main.java"));
    long in = store.method(MethodDefinition.java("com.a.Inner", "in", "()V", 1, "Inner.java"));
    long odd = store.method(MethodDefinition.java("com." + HOSTILE, HOSTILE, "()V", 1, HOSTILE));
    long large = store.method(MethodDefinition.java("com.a." + LONG, LONG, "()V", 1, LONG));
    long interpreted = store.node(stub, run, INTERPRETED, 12, 3);
    long compiled = store.node(stub, run, C2, 12, 3);
    long inlined = store.node(store.node(compiled, in, INLINED, 5, 1), odd, INLINED, 6, 2);
    long deepest = store.node(inlined, large, C2, 70_000, 40_000);
    long main = store.thread(10, "main", 1, false, 0, Thread.currentThread());
    long twin = store.thread(11, "main", 2, false, 0, null);
    long bad = store.thread(12, HOSTILE, 3, false, 0, null);
    long virtual = store.thread(13, "", 44, true, 9, null);
    long nameless = store.thread(14, "", 0, false, 0, null);
    long[] threads = {main, twin, bad, virtual, nameless};
    for (int i = 0; i < threads.length; i++) {
      sample(store, threads[i], 0, 10_000_000 + i, interpreted, 0, 0);
      sample(store, threads[i], 1, 10_000_000, compiled, 0, 0);
      sample(store, threads[i], 0, 1, inlined, 0, 0x1234_5678_9abcL);
      sample(store, threads[i], 0, 0, deepest, 0, -1);
    }
    sample(store, main, 0, 3, native_(store, other, plain, "libodd.so+0x80", 0x80, 4), 0, 0);
    sample(store, main, 0, 3, native_(store, start, plain, "", 0, 4), 0, 0);
    sample(
        store, main, 0, 3, native_(store, start, high, "gettime", 0xffff_ffff_ff60_0000L, 4), 0, 0);
    sample(
        store, main, 0, 3, native_(store, start, 0, "[unknown code]", 0, 0x7f11_2233_4455L), 0, 0);
    long kernel = store.method(MethodDefinition.symbol(0, "do_syscall_64", 0xffff_ffff_8100_0000L));
    sample(store, main, 0, 4, store.node(start, kernel, KERNEL, -1, 8), 0, 0);
    sample(store, main, 0, 4, start, TRUNCATED, 0);
    sample(store, main, 0, 4, start, 3, 0);
    sample(store, main, 0, 4, 0, TRUNCATED, 0);
    sample(store, main, 0, 4, 0, 0, 0);
  }

  private static long native_(
      EventStore store, long parent, long module, String name, long start, long offset) {
    long method = store.method(MethodDefinition.symbol(module, name, start));
    return store.node(parent, method, NATIVE, -1, offset);
  }
}
