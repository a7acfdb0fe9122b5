package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.RecordingReader;
import stackweave.jfr.read.StackProfile;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.ModuleDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

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
          "0=native,1=kernel,4=C2,7=stub",
          "0=complete,2=truncated,3=unreadable memory",
          "0",
          "0=running");

  @Test
  void linesOfEverySort(@TempDir Path directory) throws Exception {
    assertEquals(
        """
        [stopped: unreadable memory] 1
        [stopped: unreadable memory];lost_frame [libdeep.so] 1
        [truncated];lost_frame [libdeep.so] 1
        thread_start [libc.so.6+0x1234];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so] 2
        thread_start [libc.so.6+0x1234];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so];do_syscall_64 [kernel] 1
        thread_start [libc.so.6+0x1234];clock [vdso] 1
        """,
        export(directory, false));
  }

  @Test
  void threadsComeFirst(@TempDir Path directory) throws Exception {
    assertEquals(
        """
        [a,b];[stopped: unreadable memory] 1
        [a,b];[truncated];lost_frame [libdeep.so] 1
        [a,b];thread_start [libc.so.6+0x1234];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so] 1
        [a,b];thread_start [libc.so.6+0x1234];clock [vdso] 1
        [main];[stopped: unreadable memory];lost_frame [libdeep.so] 1
        [main];thread_start [libc.so.6+0x1234];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so] 1
        [main];thread_start [libc.so.6+0x1234];call_stub;com.example.Main.run;ns::op<a,b>() [libdeep.so];do_syscall_64 [kernel] 1
        """,
        export(directory, true));
  }

  private static String export(Path directory, boolean threads) throws Exception {
    Path file = directory.resolve("stacks.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        write(store);
      }
      recording.dump(file);
    }
    StackProfile profile = RecordingReader.profile(file);
    assertEquals(0, profile.unresolved());
    StringBuilder text = new StringBuilder();
    CollapsedExport.write(profile, threads, text);
    return text.toString();
  }

  private static void write(EventStore store) {
    long deep = store.module(module("/opt/app/libdeep.so"));
    long vdso = store.module(module("[vdso]"));
    long libc = store.module(module("/usr/lib/libc.so.6"));
    long start =
        store.node(
            EventStore.ROOT,
            store.method(MethodDefinition.symbol(libc, "thread_start [libc.so.6+0x1234]", 0x1234)),
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
    assertEquals(true, store.sample(System.nanoTime(), thread, 0, 10_000_000, stack, end, 0));
  }

  private static ModuleDefinition module(String path) {
    return new ModuleDefinition(path, "", 4096, 8192, "eh_frame", "", 10, ".symtab");
  }
}
