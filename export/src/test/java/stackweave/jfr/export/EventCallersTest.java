package stackweave.jfr.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static stackweave.jfr.event.SampleRecord.Kind.MEMORY;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.event.NativeMemory;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.export.report.ReportExport;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.read.choice.SampleChoice;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;

/** The Java caller that a report of memory names for a place. */
class EventCallersTest {
  private static final SessionInfo SESSION =
      new SessionInfo("", "", "0=native,4=C2", "0=complete", "0", "0=on CPU", "", "");

  @TempDir private Path directory;

  private static long java(EventStore store, long caller, String type, String name) {
    long method = store.method(MethodDefinition.java(type, name, "()V", 1, ""));
    return store.node(caller, method, 4, -1, 0);
  }

  /** 12 KiB for the application's class, 4 KiB for a stack of the JDK's classes alone. */
  @Test
  void theCallerIsTheFirstOutsideOfTheJdk() throws Exception {
    Path file = directory.resolve("memory.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(NativeMemory.NAME);
      recording.start();
      try (EventStore store = EventStore.open(SESSION, StoreLimits.DEFAULT)) {
        long start = System.nanoTime() - 1_000_000_000;
        long thread = store.thread(1, "main", 1, false, 0, null);
        long module = ManyStacks.module(store, "/opt/libtouch.so", "ab");
        long touch = store.method(MethodDefinition.symbol(module, "touch", 64));
        long main = java(store, EventStore.ROOT, "app.Main", "main");
        long cache = java(store, main, "javaish.Cache", "put");
        long buffer = java(store, cache, "java.nio.DirectByteBuffer", "<init>");
        long unsafe = java(store, buffer, "jdk.internal.misc.Unsafe", "setMemory0");
        long app = store.node(unsafe, touch, 0, -1, 8);
        long run = java(store, EventStore.ROOT, "java.lang.Thread", "run");
        long channel = java(store, run, "sun.nio.ch.IOUtil", "write");
        long jdk = store.node(channel, touch, 0, -1, 8);
        assertTrue(
            store.write(
                new SampleRecord()
                    .begin(MEMORY, start, 12_288)
                    .stack(thread, app, 0, 0)
                    .at(1 << 12)));
        assertTrue(
            store.write(
                new SampleRecord()
                    .begin(MEMORY, start, 4_096)
                    .stack(thread, jdk, 0, 0)
                    .at(9 << 12)));
        store.flush();
      }
      recording.dump(file);
    }
    SampledRecording memory = WaitingWork.open(file, SampleChoice.ofEvent("native-memory"));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new ReportExport("a recording", "memory.jfr", false).write(memory, out);
    List<String> rows =
        out.toString(StandardCharsets.UTF_8)
            .lines()
            .filter(line -> line.contains(" %  "))
            .map(String::strip)
            .toList();
    assertEquals(3, rows.size(), rows::toString);
    assertTrue(rows.get(0).endsWith("touch [libtouch.so]"), rows::toString);
    assertTrue(rows.get(1).startsWith("75.0 %"), rows::toString);
    assertTrue(rows.get(1).endsWith("javaish.Cache.put"), rows::toString);
    assertTrue(rows.get(2).endsWith("sun.nio.ch.IOUtil.write"), rows::toString);
  }
}
