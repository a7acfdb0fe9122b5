package stackweave.jfr.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.jfr.control.SampledEvent.Kind;

class SampledEventTest {

  @ParameterizedTest
  @CsvSource({
    "cpu, CPU, 0",
    "page-faults, SOFTWARE, 1",
    "Context-Switches, SOFTWARE, 1",
    "cycles, HARDWARE, 1000000",
    "cache-misses, HARDWARE, 1000",
    "sched:sched_switch, TRACEPOINT, 1",
    "libc.so.6:malloc, UPROBE, 1",
    "/opt/my app/libfoo:bar, , ",
    "/opt/app/libfoo:bar, UPROBE, 1",
    "libstdc++.so.6:_Znwm, UPROBE, 1"
  })
  void isOfAKind(String text, Kind kind, Long interval) {
    SampledEvent event = SampledEvent.parse(text);
    assertEquals(kind, event == null ? null : event.kind());
    if (event != null) {
      assertEquals(interval, event.interval());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "pagefaults", ":", "a:", ":b", "../x:id", "a/../b.so:f", "x:y/z", "a:b c"})
  void isNone(String text) {
    assertNull(SampledEvent.parse(text));
  }

  @ParameterizedTest
  @CsvSource({"1000, 1000", "default, 1", "0, ", "-1, ", "10ms, ", "1e6, ", "1000000000001, "})
  void intervalIsACount(String text, Long interval) {
    SampledEvent event = SampledEvent.parse("page-faults").every(text);
    assertEquals(interval, event == null ? null : event.interval());
  }

  private static SamplingRule.Facts recording(String name, Map<String, String> settings) {
    return new SamplingRule.Facts(name, true, true, false, true, settings);
  }

  private static Map<String, String> event(String event) {
    return Map.of("stackweave.NativeSample#event", event);
  }

  private final SamplingRule rule = new SamplingRule(false, SamplingDefaults.STANDARD);
  private final List<String> notes = new ArrayList<>();

  private SamplingRequest decide(SamplingRule.Facts... running) {
    return rule.decide(List.of(running), EventIds.NONE, notes);
  }

  @Test
  void whatIsNamedComesBeforeWhatIsLeftOpen() {
    SamplingRequest request =
        decide(recording("open", Map.of()), recording("named", event("page-faults")));
    assertEquals("page-faults", request.event().name());
    assertEquals(1, notes.size(), notes.toString());
    assertTrue(notes.get(0).startsWith("recording open has no samples of cpu"), notes.get(0));
  }

  @Test
  void whatIsNamedFirstComesBeforeTheRest() {
    SamplingRequest request =
        decide(recording("1", event("cpu")), recording("2", event("page-faults")));
    assertTrue(request.event().isCpu());
    assertEquals(10_000_000, request.intervalNanos());
    assertTrue(notes.get(0).startsWith("recording 2 has no samples of page-faults"), notes.get(0));
  }

  @Test
  void ofOneEventTheShortestIntervalIsUsed() {
    SamplingRequest request =
        decide(
            recording(
                "1",
                Map.of(
                    "stackweave.NativeSample#event", "page-faults",
                    "stackweave.NativeSample#interval", "100")),
            recording(
                "2",
                Map.of(
                    "stackweave.NativeSample#event", "page-faults",
                    "stackweave.NativeSample#interval", "10")));
    assertEquals(10, request.event().interval());
    assertEquals(List.of(), notes);
  }

  /** CPU time does not take its place. */
  @Test
  void whatIsNoEventIsRefusedByItsName() {
    SamplingRequest request = decide(recording("1", event("page-falts")));
    assertEquals(Kind.UNKNOWN, request.event().kind());
    assertFalse(request.event().isCpu());
    assertTrue(notes.get(0).contains("'page-falts', which is none of: cpu"), notes.get(0));
  }

  @Test
  void aTimeIsNoIntervalOfAnEvent() {
    SamplingRequest request =
        decide(
            recording(
                "1",
                Map.of(
                    "stackweave.NativeSample#event", "page-faults",
                    "stackweave.NativeSample#interval", "10 ms")));
    assertEquals(1, request.event().interval());
    assertTrue(notes.get(0).contains("is not a number of events"), notes.get(0));
  }
}
