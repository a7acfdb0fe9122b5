package stackweave.jfr.export.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.chunk.EventConstants;
import stackweave.jfr.event.load.LoadEvents;
import stackweave.jfr.event.load.NativeLibraryLoad;
import stackweave.jfr.event.load.NativeLibraryMapped;

/** What is read of loads is what the JDK's own reader has of them. */
class RecordedLoadsTest {
  @TempDir private Path directory;

  /** They stay registered, for other tests in this JVM. */
  @BeforeEach
  void register() {
    LoadEvents.register();
  }

  private static void load(long number, String path, boolean loaded) {
    NativeLibraryLoad event = new NativeLibraryLoad();
    event.begin();
    event.load = number;
    event.path = path;
    event.loaded = loaded;
    event.foreign = number % 2 == 0;
    event.error = loaded ? "" : "no " + path;
    event.commit();
  }

  private static void deeper(int depth, Runnable last) {
    if (depth == 0) {
      last.run();
    } else {
      deeper(depth - 1, last);
    }
  }

  private static void mapped(long number, String path, long start) {
    NativeLibraryMapped event = new NativeLibraryMapped();
    event.load = number;
    event.path = path;
    event.start = start;
    event.fileKept = true;
    event.commit();
  }

  private Path record() throws Exception {
    Path file = directory.resolve("loads.jfr");
    try (Recording recording = new Recording()) {
      recording.enable(NativeLibraryLoad.NAME);
      recording.enable(NativeLibraryMapped.NAME);
      recording.start();
      load(1, "/a/libone.so", true);
      Thread thread =
          new Thread(() -> deeper(10, () -> load(2, "libtwo.so", true)), "loader of two");
      thread.start();
      thread.join();
      mapped(2, "/b/libtwo.so.1", 0x7000);
      load(3, "/a/libbad.so", false);
      recording.stop();
      recording.dump(file);
    }
    return file;
  }

  @Test
  void loadsAreThoseOfTheJdksReader() throws Exception {
    Path file = record();
    Map<String, String> expected = new HashMap<>();
    for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
      if (event.getEventType().getName().equals(NativeLibraryLoad.NAME)) {
        List<String> frames = new ArrayList<>();
        for (RecordedFrame frame : event.getStackTrace().getFrames()) {
          frames.add(
              frame.getMethod().getType().getName()
                  + "."
                  + frame.getMethod().getName()
                  + (frame.getLineNumber() > 0 ? ":" + frame.getLineNumber() : ""));
        }
        expected.put(
            event.getString("path"),
            event.getThread().getJavaName() + " " + event.getDuration().toNanos() + " " + frames);
      }
    }
    Map<String, String> read = new HashMap<>();
    for (RecordedLoads.Load load : RecordedLoads.read(file)) {
      List<String> frames = load.stack().stream().map(RecordedLoads::text).toList();
      read.put(load.raw().path(), load.thread() + " " + load.nanos() + " " + frames);
    }
    assertEquals(3, expected.size());
    assertEquals(expected, read);
    assertTrue(read.get("libtwo.so").contains("java.lang.Thread.run"), read::toString);
  }

  @Test
  void theyAreJoinedAndSaidInWords() throws Exception {
    List<RecordedLoads.Load> loads = RecordedLoads.read(record());
    LoadSections sections = new LoadSections(loads);
    assertEquals(List.of(), sections.sentences(Map.of("/b/libtwo.so.1", List.of(0x6000L))));
    assertEquals(List.of(), sections.sentences(Map.of("/a/libbad.so", List.of(0x6000L))));
    List<String> two = sections.sentences(Map.of("/b/libtwo.so.1", List.of(0x6000L, 0x7000L)));
    assertTrue(two.get(0).contains("java.lang.foreign"), two::toString);
    assertTrue(two.get(0).endsWith("on thread loader of two"), two::toString);
    // Where it lies was not said, so the path has to do.
    assertTrue(!sections.sentences(Map.of("/a/libone.so", List.of(1L))).isEmpty());
    ReportSection table = sections.table(2);
    assertEquals(2, table.rows.size());
    String text = String.join("\n", table.sentences);
    assertTrue(text.contains("Failed: /a/libbad.so: no /a/libbad.so"), text);
    assertTrue(text.contains("1 more loads"), text);
  }

  /** Frames by class alone, the innermost first. */
  private static List<EventConstants.Frame> stack(String... classes) {
    List<EventConstants.Frame> frames = new ArrayList<>();
    for (String each : classes) {
      frames.add(new EventConstants.Frame(each, "method", 1));
    }
    return frames;
  }

  /** The stacks are those of an attach to JDK 25. */
  @Test
  void whatTheAgentNeedsIsNoneOfTheApplications() {
    String loader = "jdk.internal.loader.NativeLibraries";
    String implementation = "sun.instrument.InstrumentationImpl";
    assertTrue(RecordedLoads.isOwn("stackweave-drain", List.of()));
    String own = "stackweave.agent.boot.Boot";
    List<EventConstants.Frame> ofAgent = stack(loader, "java.lang.System", own, implementation);
    assertTrue(RecordedLoads.isOwn("Attach Listener", ofAgent));

    List<EventConstants.Frame> ofOther =
        stack(loader, "java.lang.System", "a.Agent", implementation);
    assertFalse(RecordedLoads.isOwn("Attach Listener", ofOther), "another agent's");
    String observer = "stackweave.agent.feature.load.ObservedLoad";
    List<EventConstants.Frame> observed = stack(observer, observer, loader, "a.Main");
    assertFalse(RecordedLoads.isOwn("main", observed), "the event's own frames");
  }

  @Test
  void aRecordingWithoutLoadsSaysWhatToDo() throws Exception {
    ReportSection table = new LoadSections(List.of()).table(0);
    assertTrue(table.sentences.get(0).contains("hooks=early"), table.sentences::toString);
  }

  @Test
  void withoutSamplesThereAreTheLoads() throws Exception {
    Path file = record();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BorderReport.readLoads(file, "there are none", false, 0).write(null, out);
    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("NO SAMPLES\nthere are none\n"), text);
    assertTrue(text.contains("libone.so, by"), text);
    assertNull(BorderReport.read(file, "there are none", false), "no session of the agent");
  }
}
