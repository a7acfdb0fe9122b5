package stackweave.live.loads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.testing.ByChance;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/**
 * Loads of libraries are what the application did: compared with what it says itself, with its
 * memory map, and with the JVM's own event where the JDK has it (since 22).
 */
@Order(6)
class LoadsIT {
  private static final long SLOW_NANOS = 300_000_000;

  /** A function that only the file's .symtab names. */
  private static final String WORK =
      """
      static volatile unsigned long sink;
      static __attribute__((noinline)) unsigned long hidden_work(long n) {
        unsigned long h = 1;
        for (long i = 0; i < n; i++) { h = h * 31 + i; sink = h; }
        return h;
      }
      long Java_stackweave_live_loads_LoadsApp_work(void *e, void *c, long n) {
        return hidden_work(n);
      }
      """;

  private static final String SLOW =
      """
      #include <time.h>
      __attribute__((constructor)) static void slow(void) {
        struct timespec t = {0, 300000000L};
        while (nanosleep(&t, &t) != 0) {}
      }
      """;

  @TempDir static Path libraries;

  /** One JDK early, the others not: neither has much to do with the other. */
  static Stream<Arguments> runs() {
    Jdk oldest = Jdks.oldest();
    return Jdk.onEnds().map(jdk -> Arguments.of(jdk, jdk.equals(oldest) ? "early" : "auto"));
  }

  private static void compile() throws Exception {
    if (Files.exists(libraries.resolve("libnamed.so"))) {
      return;
    }
    Gcc.library(libraries, "slow", SLOW);
    Gcc.library(
        libraries, "bad", "int not_there(void); int f(void) { return not_there(); }", "-Wl,-z,now");
    Gcc.library(libraries, "work", WORK);
    Gcc.library(libraries, "foreign", "int foreign(void) { return 7; }");
    // The VM's own thread loads what wants an executable stack, for the thread that asks for it.
    Gcc.library(libraries, "stack", "int stack(void) { return 7; }", "-Wl,-z,execstack");
    Gcc.library(libraries, "named", "int named(void) { return 7; }");
  }

  /**
   * On the oldest JDK without root's capabilities, so that map_files does not lead to the deleted
   * file; others may be in a chroot, which needs them. By chance, since the JVM may end before the
   * sampling thread has said where a library is.
   */
  @ByChance
  @ParameterizedTest
  @MethodSource("runs")
  void loadsAreWhatTheApplicationDid(Jdk jdk, String hooks) throws Exception {
    compile();
    ForkedJvm jvm =
        Jvms.withoutLibraries(jdk)
            .options(
                "-Djava.library.path=" + libraries,
                "--add-opens=java.base/jdk.internal.loader=ALL-UNNAMED")
            .agent("interval=1ms", "drain=100", "hooks=" + hooks)
            .recording();
    boolean early = hooks.equals("early");
    if (early) {
      jvm.under("setpriv", "--bounding-set=-all", "--inh-caps=-all");
    }
    List<String> arguments = new ArrayList<>(List.of("" + libraries));
    if (!early) {
      arguments.add("wait");
    }
    Ended ended =
        jvm.run("stackweave.live.loads.LoadsApp", arguments.toArray(String[]::new)).successfully();
    Map<String, String> said = new HashMap<>();
    for (String line : ended.outLines()) {
      said.put(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1));
    }
    assertEquals("false", said.get("held"), "the file is held for ever");
    List<RecordedEvent> events = RecordingFile.readAllEvents(ended.recording());

    RecordedEvent slow = load(events, libraries.resolve("libslow.so"), "loadSlow", true);
    long nanos = slow.getDuration().toNanos();
    assertTrue(nanos >= SLOW_NANOS, () -> "slow: " + slow);
    assertTrue(nanos <= Long.parseLong(said.get("slow")) + 1_000_000, () -> "slow: " + slow);

    RecordedEvent bad = load(events, libraries.resolve("libbad.so"), "loadBad", false);
    assertTrue(bad.getString("error").contains("not_there"), () -> "bad: " + bad);
    assertTrue(said.get("bad").contains(bad.getString("error")), () -> "bad: " + bad);

    load(events, libraries.resolve("libnamed.so"), "main", true);
    String[] extracted = said.get("extracted").split(" ");
    RecordedEvent extract = load(events, Path.of(extracted[0]), "loadExtracted", true);
    RecordedEvent mapped = mapped(events, extract.getLong("load"));
    assertEquals(extracted[0], mapped.getString("path"));
    assertEquals(Long.parseLong(extracted[1], 16), mapped.getLong("start"));
    assertTrue(mapped.getBoolean("fileKept"), () -> "extracted: " + mapped);
    if (jdk.feature() >= 25) {
      Path library = libraries.resolve("libforeign.so");
      assertTrue(load(events, library, "loadForeign", true).getBoolean("foreign"));
      assertLikeTheJvms(events);
      assertTrue(
          Jvms.commandLine(jdk, "report", ended.recording().toString())
              .successfully()
              .out()
              .contains("This JVM has no event of them (jdk.GCLocker)"));
    }
    assertNamed(ended.recording(), Path.of(extracted[0]).getFileName().toString());

    Ended command = Jvms.commandLine(jdk, "libraries", ended.recording().toString());
    String out = command.successfully().out();
    assertEquals(
        1,
        out.lines().filter(line -> line.matches(" *[0-9.]+ .?s .* libstack\\.so.*")).count(),
        out);
    String text = out.replaceAll("\n +", " ");
    assertTrue(text.contains("libslow.so, by stackweave.live.loads.LoadsApp.loadSlow:"), text);
    assertTrue(text.contains("libbad.so FAILED, by"), text);
    assertTrue(text.contains("Loaded by: stackweave.live.loads.LoadsApp.loadExtracted:"), text);
  }

  private static RecordedEvent load(
      List<RecordedEvent> events, Path library, String method, boolean loaded) {
    List<RecordedEvent> found =
        events.stream()
            .filter(e -> e.getEventType().getName().equals("stackweave.NativeLibraryLoad"))
            .filter(e -> e.getString("path").equals(library.toString()))
            .toList();
    assertEquals(1, found.size(), () -> library + ": " + found);
    RecordedEvent event = found.get(0);
    assertEquals(loaded, event.getBoolean("loaded"), event::toString);
    assertEquals("main", event.getThread().getJavaName());
    assertTrue(
        event.getStackTrace().getFrames().stream()
            .anyMatch(frame -> frame.getMethod().getName().equals(method)),
        event::toString);
    return event;
  }

  private static RecordedEvent mapped(List<RecordedEvent> events, long load) {
    return events.stream()
        .filter(e -> e.getEventType().getName().equals("stackweave.NativeLibraryMapped"))
        .filter(e -> e.getLong("load") == load)
        .findFirst()
        .orElseThrow(() -> new AssertionError("load " + load + " of " + said(events)));
  }

  private static List<RecordedEvent> said(List<RecordedEvent> events) {
    return events.stream()
        .filter(e -> e.getEventType().getName().startsWith("stackweave.NativeLibrary"))
        .toList();
  }

  /** Each of the JVM's own events, which is of dlopen alone, is within one of ours. */
  private static void assertLikeTheJvms(List<RecordedEvent> events) {
    int compared = 0;
    for (RecordedEvent event : events) {
      boolean isOfApp =
          event.getEventType().getName().equals("jdk.NativeLibraryLoad")
              && event.getString("name").startsWith(libraries.toString());
      if (!isOfApp) {
        continue;
      }
      compared++;
      Instant middle = event.getStartTime().plus(event.getDuration().dividedBy(2));
      List<RecordedEvent> around =
          events.stream()
              .filter(e -> e.getEventType().getName().equals("stackweave.NativeLibraryLoad"))
              .filter(e -> e.getString("path").equals(event.getString("name")))
              .filter(e -> e.getStartTime().isBefore(middle) && e.getEndTime().isAfter(middle))
              .filter(e -> e.getBoolean("loaded") == event.getBoolean("success"))
              .toList();
      assertEquals(1, around.size(), event::toString);
    }
    assertTrue(compared >= 4, "the JVM has told of " + compared + " loads");
  }

  /** The deleted file's own names, where samples were taken. */
  private static void assertNamed(Path recording, String file) {
    Stacks stacks = Stacks.of(recording);
    List<String> names =
        stacks
            .of(s -> !s.frames().isEmpty() && s.innermost().module().equals(file))
            .map(s -> s.innermost().name())
            .filter(name -> !name.contains("plt"))
            .toList();
    assertFalse(names.isEmpty(), "no sample in " + file);
    assertTrue(names.contains("hidden_work"), names::toString);
    List<String> wrong =
        names.stream()
            .filter(n -> !n.equals("hidden_work") && !n.startsWith("Java_stackweave_live_loads"))
            .toList();
    assertEquals(List.of(), wrong);
  }
}
