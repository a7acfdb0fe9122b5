package stackweave.agent.engine.choice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.agent.engine.EngineRefusal;
import stackweave.agent.engine.EngineRefusal.Reason;
import stackweave.agent.engine.KernelVersion;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingSettings;

/** Which engine is right on which kernel. */
class EngineOrderTest {

  @ParameterizedTest
  @CsvSource({
    "6.18.44, PERF TIMER PERF_USER",
    "5.13.0, PERF TIMER PERF_USER",
    "5.12.19, TIMER PERF PERF_USER",
    "5.10.0-32-amd64, TIMER PERF PERF_USER",
    "5.9-rc1, TIMER PERF PERF_USER",
    "5.8.18, PERF PERF_USER TIMER",
    "4.18.0-553.el8_10.x86_64, PERF PERF_USER TIMER",
    "something, PERF TIMER PERF_USER"
  })
  void theOrderIsTheKernels(String release, String order) {
    assertEquals(order, kinds(EngineOrder.of(null, KernelVersion.of(release))));
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

  /** An engine that only runs for those who name it is nobody's fallback. */
  @ParameterizedTest
  @ValueSource(strings = {"6.18.44", "5.10.0", "5.4.0"})
  void onlyFallbacksAreTriedUnasked(String release) {
    Set<EngineKind> fallbacks = new HashSet<>(List.of(EngineKind.values()));
    fallbacks.removeIf(kind -> !kind.isFallback());
    KernelVersion kernel = KernelVersion.of(release);
    assertEquals(fallbacks, Set.copyOf(EngineOrder.of(null, kernel).kinds()));
    for (EngineKind preferred : EngineKind.values()) {
      Set<EngineKind> tried = new HashSet<>(fallbacks);
      tried.add(preferred);
      assertEquals(tried, Set.copyOf(EngineOrder.of(preferred, kernel).kinds()));
    }
  }

  @Test
  void thatPerfIsPassedOverIsSaid() {
    List<EngineRefusal> passedOver = EngineOrder.of(null, KernelVersion.of("5.10.0")).passedOver();
    assertEquals(1, passedOver.size());
    assertEquals(EngineKind.PERF, passedOver.get(0).engine());
    assertEquals(Reason.NOT_PREFERRED, passedOver.get(0).reason());
    assertTrue(passedOver.get(0).line().contains("child processes inherit"));
    assertEquals(List.of(), EngineOrder.of(null, KernelVersion.of("6.1.0")).passedOver());
  }

  @Test
  void whatTheUserPrefersComesFirst() {
    EngineOrder order = EngineOrder.of(EngineKind.PERF, KernelVersion.of("5.10.0"));
    assertEquals("PERF TIMER PERF_USER", kinds(order));
    assertEquals(List.of(), order.passedOver());
    assertEquals(
        "TIMER PERF PERF_USER",
        kinds(EngineOrder.of(EngineKind.TIMER, KernelVersion.of("4.18.0"))));
  }

  @Test
  void timersThatCanEndBlockingCallsAreSaid() {
    assertTrue(EngineOrder.note(EngineKind.TIMER, KernelVersion.of("5.4.0")).contains("EINTR"));
    assertEquals("", EngineOrder.note(EngineKind.TIMER, KernelVersion.of("5.9.1")));
    assertEquals("", EngineOrder.note(EngineKind.PERF, KernelVersion.of("5.4.0")));
  }

  private static String kinds(EngineOrder order) {
    return order.kinds().stream().map(EngineKind::name).collect(Collectors.joining(" "));
  }
}
