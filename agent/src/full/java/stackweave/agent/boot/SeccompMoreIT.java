package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Works;
import stackweave.testing.Commands;

/** More filters, and what the user says of them. */
@Order(5)
class SeccompMoreIT extends FilteredJvm {
  /** One call at a time; naming timers vouches for nothing. */
  static Stream<Arguments> filters() {
    Jvm oldest = Jvm.all().findFirst().orElseThrow();
    return Stream.of(
        Arguments.of(oldest, "perf_event_open", "auto"),
        Arguments.of(oldest, "process_vm_readv", "auto"),
        Arguments.of(oldest, "memfd_create", "timer"),
        Arguments.of(oldest, "get_robust_list", "timer"));
  }

  @ParameterizedTest
  @MethodSource("filters")
  void aFilterThatKillsIsNotMet(Jvm jvm, String calls, String engine) throws Exception {
    assertNotMet(jvm, calls, engine);
  }

  /** The command line attaches and leaves, under such a filter itself, and leaves nothing new. */
  @Test
  void recordsByTheCommandLine() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    List<String> app = List.of("-cp", Jars.apps().toString(), Works.class.getName());
    try (LiveJvm live =
        LiveJvm.start(jvm, directory, killing.whoCalls(ALL), app, new ArrayList<>())) {
      long[] code = new long[2];
      for (int round = 0; round < 2; round++) {
        Path recording = directory.resolve("rec" + round + ".jfr");
        List<Object> command = recordUnderFilter(jvm);
        command.addAll(List.of(live.pid(), "-d", "2s", "-o", recording, "--interval", "2ms"));
        String said = Commands.run(command.toArray()).successfully().err();
        assertTrue(said.contains(NOT_TRIED), said);
        code[round] = anonymousCode(live.pid());
      }
      assertTrue(code[0] > 0, "no code of the handler");
      assertEquals(code[0], code[1], "the second agent uses what the first has left");
    }
  }

  /** The user's word, which all readers keep to. */
  @ParameterizedTest
  @CsvSource({
    "true, process_vm_readv, 0",
    "false, proc_self_mem, " + READERS,
    "false, auto, 0",
  })
  void memoryIsReadAsAsked(boolean filtered, String access, int memoryFiles) throws Exception {
    Jvm jvm = Jvm.all().max(Comparator.comparing(Jvm::feature)).orElseThrow();
    List<String> under = filtered ? killing.whoCalls("kcmp") : List.of();
    List<String> arguments = works("engine=timer,memory=" + access);
    try (LiveJvm live = LiveJvm.start(jvm, directory, under, arguments, new ArrayList<>())) {
      live.awaitSamplesOf("busy", WORK);
      assertFalse(live.status().contains("/proc/self/mem"), live.status());
      assertEquals(memoryFiles, memoryFiles(live.pid()));
      assertEquals(0, live.end().exit());
    }
    assertHasSamples();
  }

  /** Executable memory without a file that can't be written. */
  private static long anonymousCode(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream()
        .filter(line -> line.matches("\\S+ r-xp 00000000 00:00 0 *"))
        .count();
  }
}
