package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static stackweave.jfr.event.SampleRecord.Kind.CPU;

import java.nio.file.Path;
import java.util.UUID;
import java.util.function.Consumer;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.ModuleDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.jfr.store.Unpooled;

/** From stored stacks to lines of text, through a real recording. */
class CollapsedExportTest {
  private static final int NATIVE = 0;
  private static final int KERNEL = 1;
  private static final int C2 = 4;
  private static final int STUB = 7;
  private static final int COMPLETE = 0;
  private static final int TRUNCATED = 2;
  private static final int UNREADABLE = 3;

  private static final SessionInfo SESSION =
      new SessionInfo(
          "test",
          "x86_64",
          Unpooled.legend("0=native,1=kernel,4=C2,7=stub"),
          Unpooled.legend("0=complete,2=truncated,3=unreadable memory"),
          "0",
          "0=running");

  @Test
  void linesOfEverySort(@TempDir Path directory) throws Exception {
    assertEquals(
        """
        [stopped: unreadable memory] 1
        [stopped: unreadable memory];lost_frame [libdeep.so] 1
        [truncated];lost_frame [libdeep.so] 1
        thread_start [libc.so.6];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so] 2
        thread_start [libc.so.6];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so];do_syscall_64 [kernel] 1
        thread_start [libc.so.6];clock [vdso] 1
        """,
        export(directory, false));
  }

  @Test
  void threadsComeFirst(@TempDir Path directory) throws Exception {
    assertEquals(
        """
        [a,b];[stopped: unreadable memory] 1
        [a,b];[truncated];lost_frame [libdeep.so] 1
        [a,b];thread_start [libc.so.6];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so] 1
        [a,b];thread_start [libc.so.6];clock [vdso] 1
        [main];[stopped: unreadable memory];lost_frame [libdeep.so] 1
        [main];thread_start [libc.so.6];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so] 1
        [main];thread_start [libc.so.6];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so];do_syscall_64 [kernel] 1
        """,
        export(directory, true));
  }

  @Test
  void aRenamedThreadHasTheNameOfTheTime(@TempDir Path directory) throws Exception {
    assertEquals(
        """
        [exec-1 GET /0];[no frames] 1
        [exec-1 GET /1];[no frames] 1
        [job A];[no frames] 1
        [job B];[no frames] 1
        """,
        export(directory, true, CollapsedExportTest::writeRenamed));
  }

  private static void writeRenamed(EventStore store) {
    Thread thread = Thread.currentThread();
    for (int i = 0; i < 2; i++) {
      String name = "exec-1 GET /" + i;
      sample(store, store.thread(10, name, 1, false, 0, thread), EventStore.ROOT, COMPLETE);
    }
    sample(store, store.thread(11, "job A", 2, false, 0, thread), EventStore.ROOT, COMPLETE);
    sample(store, store.thread(11, "job B", 2, false, 0, thread), EventStore.ROOT, COMPLETE);
  }

  /** Where samples were left out, those that remain count for them. */
  @Test
  void aSampleCountsForThoseThatItStandsFor(@TempDir Path directory) throws Exception {
    SampledRecording recording = TimedWork.recordThinned(directory.resolve("thinned.jfr"));
    StringBuilder text = new StringBuilder();
    ExportedStacks.collapsed(false).writeText(recording, text);
    assertEquals("app.Main.work 6\n", text.toString());
  }

  /** What a library is called, and its functions without a symbol; as written today and before. */
  @Test
  void namesOfLibraries(@TempDir Path directory) throws Exception {
    assertEquals(
        """
        [unknown code] 2
        [vdso]+0x10 1
        clock[abi:2] [libdeep.so] 1
        libdeep.so+0x100 2
        libdeep.so+0x200..0x300 1
        librocksdbjni.so+0x6975e0 3
        open [librocksdbjni.so] 2
        snappy-1.1.10-libsnappyjava.so+0x100 1
        sqlite-3.46.1.0-libsqlitejdbc.so@0123abcd+0x80 2
        sqlite-3.46.1.0-libsqlitejdbc.so@fedc9876+0x80 1
        step [sqlite-3.46.1.0-libsqlitejdbc.so] 2
        """,
        export(directory, false, CollapsedExportTest::writeLibraries));
  }

  private static void writeLibraries(EventStore store) {
    long deep = store.module(module("/opt/app/libdeep.so"));
    long vdso = store.module(module("[vdso]"));
    frame(store, deep, "libdeep.so+0x100", 1);
    frame(store, deep, "libdeep.so+0x100", 2);
    frame(store, deep, "libdeep.so+0x200..0x300", 1);
    frame(store, deep, "clock[abi:2]", 1);
    frame(store, vdso, "[vdso]+0x10", 1);
    frame(store, 0, "[unknown code]", 0x7f1122334455L);
    frame(store, 0, "0x7f1122334466", 0);
    // Extracted twice; the second time by an agent that left the number in the name.
    long rocks = store.module(module("/tmp/librocksdbjni10162033771412059837.so", "12ab34cd56"));
    long again = store.module(module("/tmp/librocksdbjni7735339029912841903.so", "12ab34cd56"));
    frame(store, rocks, "librocksdbjni.so+0x6975e0", 3);
    frame(store, rocks, "librocksdbjni.so+0x6975e0", 9);
    frame(store, again, "librocksdbjni7735339029912841903.so+0x6975e0", 0);
    frame(store, rocks, "open", 1);
    frame(store, again, "open", 1);
    String snappy = "/tmp/snappy-1.1.10-168f49a3-564b-40c8-bf60-2da16c5899cb-libsnappyjava.so";
    frame(store, store.module(module(snappy)), "snappy-1.1.10-libsnappyjava.so+0x100", 1);
    // Two builds of one name: at the same offset they have different functions.
    String sqlite = "/tmp/sqlite-3.46.1.0-%s-libsqlitejdbc.so";
    String name = "sqlite-3.46.1.0-libsqlitejdbc.so+0x80";
    long one = store.module(module(sqlite.formatted(UUID.randomUUID()), "0123abcd0000"));
    long same = store.module(module(sqlite.formatted(UUID.randomUUID()), "0123abcd0000"));
    long other = store.module(module(sqlite.formatted(UUID.randomUUID()), "fedc98760000"));
    frame(store, one, name, 1);
    frame(store, same, name, 1);
    frame(store, other, name, 1);
    frame(store, one, "step", 1);
    frame(store, other, "step", 1);
  }

  private static void frame(EventStore store, long module, String method, long offset) {
    long id = store.method(MethodDefinition.symbol(module, method, 0));
    long thread = store.thread(10, "main", 1, false, 0, Thread.currentThread());
    sample(store, thread, store.node(EventStore.ROOT, id, NATIVE, -1, offset), COMPLETE);
  }

  private static String export(Path directory, boolean threads) throws Exception {
    return export(directory, threads, CollapsedExportTest::write);
  }

  private static String export(Path directory, boolean threads, Consumer<EventStore> stacks)
      throws Exception {
    Path file = directory.resolve("stacks.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        stacks.accept(store);
      }
      recording.dump(file);
    }
    SampledRecording profile = SampledRecording.open(file);
    assertEquals(0, profile.unresolved());
    StringBuilder text = new StringBuilder();
    ExportedStacks.collapsed(threads).writeText(profile, text);
    return text.toString();
  }

  private static void write(EventStore store) {
    long deep = store.module(module("/opt/app/libdeep.so"));
    long vdso = store.module(module("[vdso]"));
    long libc = store.module(module("/usr/lib/libc.so.6"));
    long start =
        store.node(
            EventStore.ROOT,
            store.method(MethodDefinition.symbol(libc, "thread_start", 0x1234)),
            NATIVE,
            -1,
            20);
    long stub = store.node(start, store.method(MethodDefinition.stub("call_stub")), STUB, -1, 9);
    long run =
        store.method(MethodDefinition.java("com.example.Main", "run", "()V", 1, "Main.java"));
    long java = store.node(stub, run, C2, 12, 3);
    long javaOtherLine = store.node(stub, run, C2, 13, 8);
    long op = store.method(MethodDefinition.symbol(deep, "ns::op<a;b>()", 64));
    long kernel = store.method(MethodDefinition.symbol(0, "do_syscall_64", 0));
    long lost = store.method(MethodDefinition.symbol(deep, "lost_frame", 128));
    long clock = store.method(MethodDefinition.symbol(vdso, "clock", 0));

    long main = store.thread(10, "main", 1, false, 0, Thread.currentThread());
    long other = store.thread(11, "a;b", 2, false, 0, null);
    long inOp = store.node(java, op, NATIVE, -1, 5);
    sample(store, main, inOp, COMPLETE);
    sample(store, other, store.node(javaOtherLine, op, NATIVE, -1, 6), COMPLETE);
    sample(store, main, store.node(inOp, kernel, KERNEL, -1, 0), COMPLETE);
    sample(store, other, store.node(start, clock, NATIVE, -1, 0), COMPLETE);
    long orphan = store.node(EventStore.ROOT, lost, NATIVE, -1, 1);
    sample(store, other, orphan, TRUNCATED);
    sample(store, main, orphan, UNREADABLE);
    sample(store, other, 0, UNREADABLE);
  }

  private static void sample(EventStore store, long thread, long stack, int end) {
    assertEquals(
        true,
        store.write(
            new SampleRecord()
                .begin(CPU, System.nanoTime(), 10_000_000)
                .stack(thread, stack, end, 0)));
  }

  private static ModuleDefinition module(String path) {
    return module(path, "");
  }

  private static ModuleDefinition module(String path, String buildId) {
    return new ModuleDefinition(path, buildId, 4096, 8192, "eh_frame", "", 10, ".symtab");
  }
}
