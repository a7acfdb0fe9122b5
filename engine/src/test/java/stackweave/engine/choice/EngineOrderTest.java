package stackweave.engine.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import stackweave.engine.EngineConfig;
import stackweave.engine.KernelVersion;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.MemoryAccess;

/** Which engine is right on which kernel. */
class EngineOrderTest {

  @ParameterizedTest
  @CsvSource({
    "6.18.44, PERF TIMER PERF_THREAD PERF_USER",
    "5.9-rc1, PERF TIMER PERF_THREAD PERF_USER",
    "5.8.18, PERF PERF_THREAD PERF_USER TIMER",
    "4.18.0-553.el8_10.x86_64, PERF PERF_THREAD PERF_USER TIMER",
    "something, PERF TIMER PERF_THREAD PERF_USER"
  })
  void theOrderIsTheKernels(String release, String order) {
    assertEquals(order, kinds(EngineChooser.order(null, KernelVersion.of(release))));
  }

  /** What may be asked for is what there is. */
  @Test
  void theNamesAreThoseOfTheSettings() {
    List<String> names = new ArrayList<>(List.of(SamplingSettings.DEFAULT_ENGINE));
    for (EngineKind kind : EngineKind.values()) {
      names.add(kind.label());
    }
    assertEquals(SamplingSettings.ENGINES, String.join(", ", names));
    names.forEach(name -> assertTrue(SamplingSettings.isEngine(name), name));
  }

  @Test
  void whatTheUserPrefersComesFirst() {
    assertEquals(
        "PERF_THREAD PERF TIMER PERF_USER",
        kinds(EngineChooser.order(EngineKind.PERF_THREAD, KernelVersion.of("5.10.0"))));
    assertEquals(
        "TIMER PERF PERF_THREAD PERF_USER",
        kinds(EngineChooser.order(EngineKind.TIMER, KernelVersion.of("4.18.0"))));
  }

  /** Signals and events of threads would be this process's. */
  @ParameterizedTest
  @EnumSource(
      value = EngineKind.class,
      names = {"PERF_THREAD", "PERF_USER", "TIMER"})
  void anotherProcessHasNoEngineButPerf(EngineKind preferred) {
    EngineConfig config =
        new EngineConfig(
            10_000_000,
            0,
            preferred,
            MemoryAccess.AUTO,
            SampledEvent.CPU,
            SampledProcess.other((int) ProcessHandle.current().parent().orElseThrow().pid()));
    EngineChoice choice = EngineChooser.start(config);
    assertTrue(choice.reasons().contains("it samples its own process alone"), choice.reasons());
    choice
        .engine()
        .ifPresent(
            engine -> {
              assertEquals(EngineKind.PERF, engine.description().kind());
              engine.close();
            });
  }

  private static String kinds(List<EngineKind> order) {
    return order.stream().map(EngineKind::name).collect(Collectors.joining(" "));
  }
}
