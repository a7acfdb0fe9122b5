package stackweave.engine.perf.event;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.sun.jna.NativeLibrary;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.engine.EngineConfig;
import stackweave.engine.choice.EngineChoice;
import stackweave.engine.choice.EngineChooser;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.MemoryAccess;
import stackweave.testing.Gcc;

/** An event that can't be had is refused in one line, and no engine takes its place. */
class EventRefusalsTest {
  private static EngineChoice start(EngineKind preferred, String event) {
    return EngineChooser.start(
        new EngineConfig(
            10_000_000,
            EngineConfig.MAX_STACK_BYTES,
            preferred,
            MemoryAccess.AUTO,
            SampledEvent.parse(event),
            SampledProcess.OWN));
  }

  private static void assertRefused(EngineChoice choice, String... words) {
    try (var engine = choice.engine().orElse(null)) {
      assertTrue(engine == null, "an engine runs");
    }
    String line = choice.reasons();
    assertFalse(line.contains("\n"), line);
    for (String word : words) {
      assertTrue(line.contains(word), line);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "libc.so.6:no_such_function, has no function no_such_function",
    "libnosuch.so:malloc, has not mapped a library libnosuch.so",
    "nosuch:tracepoint, trac"
  })
  void whatDoesNotExist(String event, String why) {
    assertRefused(start(null, event), "event " + event, why);
  }

  /** The kernel would put the probe into another file, and nothing would come. */
  @Test
  void aLibraryThatWasReplaced(@TempDir Path directory) throws Exception {
    Path library = Gcc.library(directory, "replaced", "int replaced(void) { return 1; }");
    Path other = Gcc.library(directory, "other", "int replaced(void) { return 2; }");
    NativeLibrary.getInstance(library.toString());
    Files.move(other, library, StandardCopyOption.REPLACE_EXISTING);
    assertRefused(
        start(null, library.getFileName() + ":replaced"), "was deleted or replaced after");
  }

  @Test
  void twoLibrariesOfOneName(@TempDir Path directory) throws Exception {
    Path one = Gcc.library(directory, "twin", "int twin(void) { return 1; }");
    Path other = Files.createDirectory(directory.resolve("other")).resolve(one.getFileName());
    Files.copy(one, other);
    NativeLibrary.getInstance(one.toString());
    NativeLibrary.getInstance(other.toString());
    assertRefused(
        start(null, one.getFileName() + ":twin"),
        one.toString(),
        other.toString(),
        "say which by its path");
  }

  /** It may be loaded later. */
  @Test
  void aLibraryIsLookedForAgain() {
    assertTrue(start(null, "libnosuch.so:malloc").mayPass());
    assertFalse(start(null, "libc.so.6:no_such_function").mayPass());
  }

  @Test
  void countersOfTheProcessorWhereThereAreNone() {
    assumeFalse(new File("/sys/bus/event_source/devices/cpu").exists());
    assertRefused(start(null, "cycles"), "event cycles: this machine has no counter", "[ENO");
  }

  /** The timer engine counts CPU time alone, and does not do so for an event. */
  @Test
  void timersAreNoReplacement() {
    assertRefused(
        start(EngineKind.TIMER, "nosuch:tracepoint"),
        "timer",
        "it is sampled by perf-thread alone");
  }

  @Test
  void anEventRunsWherePerfMay() {
    EngineChoice choice = start(null, "page-faults");
    try (var engine = choice.engine().orElse(null)) {
      if (engine == null) {
        assertTrue(choice.reasons().startsWith("perf"), choice.reasons());
      } else {
        assertEquals("page-faults", engine.description().event().name());
        assertTrue(engine.description().kind().usesPerfEvents());
      }
    }
  }
}
