package stackweave.agent.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.agent.option.Options.Hooks;
import stackweave.agent.option.Options.Jit;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SampledFeature;
import stackweave.linux.MemoryAccess;
import stackweave.testing.Promised;

class OptionsTest {

  private static final String NAME = "[a-z0-9_-]+";
  private static final Options DEFAULTS = parse("");

  private static Options parse(String text) {
    try {
      return Options.parse(text);
    } catch (InvalidOptionException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The values of all options, in the order of the table but interval and depth. */
  private static List<Object> values(Options options) {
    return List.of(
        options.intervalNanos(),
        options.depth(),
        options.engine(),
        options.explicit(),
        options.recordFailures(),
        options.switchFile(),
        options.drainPercent(),
        options.perfMemoryBytes(),
        options.minHeapMebibytes(),
        options.hooks(),
        options.memory(),
        options.jit(),
        options.weave(),
        options.wallThreads(),
        options.calls(),
        options.event(),
        options.features());
  }

  /** With {@code -Doptions.page=write} the test writes the table. */
  @Test
  void thePageHasTheTable() throws IOException {
    Path page = Path.of("../docs/options.md");
    String text = Files.readString(page);
    String table = String.join("\n", markdown()) + "\n";
    if ("write".equals(System.getProperty("options.page"))) {
      Files.writeString(
          page,
          text.replaceFirst("(?m)^\\| option \\|.*\n(\\|.*\n)*", Matcher.quoteReplacement(table)));
    }
    assertTrue(Files.readString(page).contains(table), () -> "docs/options.md lacks:\n" + table);
  }

  /** What users have in their command lines means what it meant. */
  @Test
  void whatWasPromisedIsThere() throws IOException {
    List<String> present = new ArrayList<>();
    for (Option option : Option.values()) {
      present.add(option.text() + (option.isStandard ? "=" + option.example : ""));
      // Names are a line each, for more of them take nothing away.
      boolean hasNames = option.values.matches(NAME + "(, .*)?");
      List<String> rest = new ArrayList<>(List.of(option.values.split(hasNames ? ", " : "$")));
      rest.stream()
          .filter(value -> value.matches(NAME))
          .forEach(value -> present.add(option.text() + ": " + value));
      rest.removeIf(value -> value.matches(NAME));
      if (!rest.isEmpty()) {
        present.add(option.text() + ": " + String.join(", ", rest));
      }
    }
    Promised.compare("agent", present);
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(strings = " ")
  void nothingSaidIsTheStandard(String text) throws InvalidOptionException {
    assertEquals(
        List.of(
            10_000_000L,
            4_096,
            "auto",
            false,
            "",
            "",
            10,
            64L << 20,
            64,
            Hooks.AUTO,
            MemoryAccess.AUTO,
            Jit.C1,
            false,
            "",
            "",
            SampledEvent.CPU,
            Map.of()),
        values(Options.parse(text)));
  }

  @Test
  void allTogetherInAnyOrder() throws InvalidOptionException {
    assertEquals(
        List.of(
            1_000_000L,
            512,
            "perf",
            true,
            "/a dir",
            "/an/off",
            25,
            8L << 20,
            128,
            Hooks.OFF,
            MemoryAccess.PROCESS_VM_READV,
            Jit.ALL,
            true,
            "worker-*|!worker-9",
            "org.rocksdb.RocksDB::*;a.B::get*",
            SampledEvent.CPU,
            Map.of(SampledFeature.WAITING, 20_000_000L, SampledFeature.BLOCKED, 7_000_000L)),
        values(
            Options.parse(
                "sample=explicit, engine=perf, drain=25,depth=512 ,record-failures=/a dir,switch=/an/off,perf-memory=8,min-heap=128,hooks=off,interval=1ms,memory=process_vm_readv,jit=all,weave=on,wall=20ms,blocked=7ms,wall-threads=worker-*|!worker-9,calls=org.rocksdb.RocksDB::*;a.B::get*")));
  }

  @ParameterizedTest
  @CsvSource({
    "'', true, false",
    "hooks=auto, true, false",
    "hooks=on, true, true",
    "hooks=early, true, true",
    "hooks=off, false, false"
  })
  void whoComesLateInstrumentsWhenAskedTo(String text, boolean started, boolean attached)
      throws InvalidOptionException {
    assertEquals(started, Options.parse(text, false).mayInstrument());
    assertEquals(attached, Options.parse(text, true).mayInstrument());
  }

  @ParameterizedTest
  @CsvSource({
    "100us, 100000",
    "250 us, 250000",
    "10ms, 10000000",
    "1s, 1000000000",
    "500000ns, 500000",
    "60s, 60000000000",
    "1m, 60000000000"
  })
  void intervalsInTheirUnits(String text, long nanos) throws InvalidOptionException {
    assertEquals(nanos, Options.parse("interval=" + text).intervalNanos());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "intervall=1ms         | unknown option 'intervall' (known: interval, depth, engine, sample, record-failures, switch, drain, perf-memory, min-heap, hooks, memory, jit, weave, wall, blocked, wall-threads, calls, event, native-memory)",
        "INTERVAL=1ms          | unknown option 'INTERVAL' (known: interval, depth, engine, sample, record-failures, switch, drain, perf-memory, min-heap, hooks, memory, jit, weave, wall, blocked, wall-threads, calls, event, native-memory)",
        "interval=1ms,         | unknown option '' (known: interval, depth, engine, sample, record-failures, switch, drain, perf-memory, min-heap, hooks, memory, jit, weave, wall, blocked, wall-threads, calls, event, native-memory)",
        "interval=1ms,interval=2ms | option 'interval' is given twice",
        "interval              | option 'interval' can't be '' (wanted: a time from 100us to 60s, such as 10ms)",
        "interval=10           | option 'interval' can't be '10' (wanted: a time from 100us to 60s, such as 10ms)",
        "interval=-1ms         | option 'interval' can't be '-1ms' (wanted: a time from 100us to 60s, such as 10ms)",
        "interval=99us         | option 'interval' can't be '99us' (wanted: a time from 100us to 60s, such as 10ms)",
        "interval=61s          | option 'interval' can't be '61s' (wanted: a time from 100us to 60s, such as 10ms)",
        "interval=999999999s   | option 'interval' can't be '999999999s' (wanted: a time from 100us to 60s, such as 10ms)",
        "perf-memory=0         | option 'perf-memory' can't be '0' (wanted: MiB, from 1 to 65536)",
        "perf-memory=65537     | option 'perf-memory' can't be '65537' (wanted: MiB, from 1 to 65536)",
        "perf-memory=64m       | option 'perf-memory' can't be '64m' (wanted: MiB, from 1 to 65536)",
        "min-heap=47           | option 'min-heap' can't be '47' (wanted: MiB, from 48 to 65536)",
        "min-heap=64m          | option 'min-heap' can't be '64m' (wanted: MiB, from 48 to 65536)",
        "depth=0               | option 'depth' can't be '0' (wanted: a number of frames from 1 to 8192)",
        "depth=8193            | option 'depth' can't be '8193' (wanted: a number of frames from 1 to 8192)",
        "engine=magic          | option 'engine' can't be 'magic' (wanted: auto, perf, timer, perf-thread, perf-user)",
        "sample=never          | option 'sample' can't be 'never' (wanted: explicit)",
        "record-failures       | option 'record-failures' can't be '' (wanted: a directory)",
        "switch=off           | option 'switch' can't be 'off' (wanted: the absolute path of a file)",
        "drain                 | option 'drain' can't be '' (wanted: how many percent of a core, from 1 to 100)",
        "drain=0               | option 'drain' can't be '0' (wanted: how many percent of a core, from 1 to 100)",
        "drain=101             | option 'drain' can't be '101' (wanted: how many percent of a core, from 1 to 100)",
        "drain=10%             | option 'drain' can't be '10%' (wanted: how many percent of a core, from 1 to 100)",
        "memory=process-vm-readv | option 'memory' can't be 'process-vm-readv' (wanted: auto, process_vm_readv, proc_self_mem)",
        "blocked=0             | option 'blocked' can't be '0' (wanted: a time from 1ms to 60s, such as 5ms)",
        "blocked=999us         | option 'blocked' can't be '999us' (wanted: a time from 1ms to 60s, such as 5ms)",
        "hooks=late            | option 'hooks' can't be 'late' (wanted: auto, on, off, early)",
      })
  void whatIsNotUnderstoodIsSaid(String text, String message) {
    InvalidOptionException e =
        assertThrows(InvalidOptionException.class, () -> Options.parse(text));
    assertEquals(message, e.getMessage());
  }

  /** The table as docs/options.md has it. */
  private static List<String> markdown() {
    List<String> rows =
        new ArrayList<>(List.of("| option | values | default | |", "|---|---|---|---|"));
    for (Option option : Option.values()) {
      rows.add(
          String.format(
              Locale.ROOT,
              "| `%s=%s` | %s | %s | %s |",
              option.text(),
              option.example,
              option.values.replace("|", "\\|"),
              option.isStandard ? "`" + option.example + "`" : "",
              option.description));
    }
    return rows;
  }
}
