package stackweave.jfr.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import stackweave.jfr.event.Blocked;
import stackweave.jfr.event.NativeSample;
import stackweave.jfr.event.WallSample;

/** Which recordings ask: one difference per case. */
class SamplingRuleTest {
  private static final String SAMPLE = "stackweave.NativeSample#";
  private static final String WALL = "stackweave.WallSample#";
  private static final String BLOCKED = "stackweave.Blocked#";
  private static final EventIds TYPE_ID =
      new EventIds(Map.of(NativeSample.NAME, 4711L, WallSample.NAME, 4712L, Blocked.NAME, 4713L));

  private final SamplingRule rule = new SamplingRule(false, waiting(0, 0));
  private final SamplingRule explicit = new SamplingRule(true, waiting(0, 0));

  private static SamplingDefaults waiting(long wallNanos, long blockedNanos) {
    Map<SampledFeature, Long> features = new EnumMap<>(SampledFeature.class);
    features.put(SampledFeature.WAITING, wallNanos);
    features.put(SampledFeature.BLOCKED, blockedNanos);
    features.values().removeIf(value -> value == 0);
    return new SamplingDefaults(10_000_000, "auto", 1024, SampledEvent.CPU, features);
  }

  private static boolean isOpen(SamplingRule rule, SamplingRule.Facts facts, String event) {
    return rule.leftOpen(facts, TYPE_ID).containsKey(event);
  }

  private static OptionalLong threshold(SamplingRule rule, SamplingRule.Facts facts) {
    Long threshold = rule.leftOpen(facts, TYPE_ID).get(Blocked.NAME);
    return threshold == null ? OptionalLong.empty() : OptionalLong.of(threshold);
  }

  @Test
  void nothingRuns() {
    assertNull(rule.decide(List.of(), TYPE_ID));
  }

  @Test
  void anUnnamedRecordingOfSomeLibrary() {
    assertNull(rule.decide(List.of(library(Map.of("jdk.CPULoad#enabled", "true"))), TYPE_ID));
  }

  @Test
  void aRecordingStreamHasANameThatNobodyGave() {
    assertNull(
        rule.decide(List.of(named("Recording Stream: 2026-01-01T00:00:00Z", Map.of())), TYPE_ID));
  }

  @Test
  void aRecordingStreamThatNamesTheEvent() {
    assertNotNull(
        rule.decide(
            List.of(named("Recording Stream: 2026", Map.of(SAMPLE + "enabled", "true"))), TYPE_ID));
  }

  @Test
  void aPersonsRecording() {
    SamplingRequest request = rule.decide(List.of(named("mine", Map.of())), TYPE_ID);
    assertEquals(
        new SamplingRequest(10_000_000, "auto", 1024, false, List.of("mine"), List.of()), request);
  }

  @Test
  void aPersonsRecordingUnderExplicit() {
    assertNull(explicit.decide(List.of(named("mine", Map.of())), TYPE_ID));
  }

  @Test
  void aSettingThatLeavesOpenWhetherTheEventIsEnabled() {
    assertTrue(isOpen(rule, library(Map.of(SAMPLE + "interval", "1 ms")), NativeSample.NAME));
    assertTrue(isOpen(rule, library(Map.of("4711#depth", "7")), NativeSample.NAME));
    assertFalse(isOpen(rule, library(Map.of(SAMPLE + "enabled", "false")), NativeSample.NAME));
    assertFalse(
        isOpen(rule, named("mine", Map.of("jdk.CPULoad#period", "1 s")), NativeSample.NAME));
  }

  @Test
  void anyNamedSettingAsksUnderExplicit() {
    SamplingRequest request =
        explicit.decide(List.of(library(Map.of(SAMPLE + "interval", "1 ms"))), TYPE_ID);
    assertEquals(1_000_000, request.intervalNanos());
  }

  @Test
  void aDestination() {
    assertNotNull(
        rule.decide(
            List.of(new SamplingRule.Facts("1", false, true, false, true, Map.of())), TYPE_ID));
  }

  @Test
  void aBareCommand() {
    assertNotNull(
        rule.decide(
            List.of(new SamplingRule.Facts("1", false, false, true, true, Map.of())), TYPE_ID));
  }

  @Test
  void aPersonsRecordingThatDisables() {
    assertNull(rule.decide(List.of(named("mine", Map.of(SAMPLE + "enabled", "false"))), TYPE_ID));
  }

  @Test
  void oneDisablesAndNoneEnables() {
    assertNull(
        rule.decide(
            List.of(named("mine", Map.of()), library(Map.of(SAMPLE + "enabled", "false"))),
            TYPE_ID));
  }

  @Test
  void oneDisablesAndOneEnables() {
    SamplingRequest request =
        rule.decide(
            List.of(
                named("a", Map.of(SAMPLE + "enabled", "false", SAMPLE + "interval", "1 ms")),
                named("b", Map.of(SAMPLE + "enabled", "true", SAMPLE + "interval", "20 ms"))),
            TYPE_ID);
    assertEquals(List.of("b"), request.recordings());
    assertEquals(20_000_000, request.intervalNanos());
  }

  @Test
  void theShortestIntervalAndTheLargestDepth() {
    SamplingRequest request =
        rule.decide(
            List.of(
                named("a", Map.of(SAMPLE + "interval", "5ms", SAMPLE + "depth", "2000")),
                named("b", Map.of(SAMPLE + "interval", "500 us", SAMPLE + "engine", "perf")),
                named("c", Map.of())),
            TYPE_ID);
    assertEquals(500_000, request.intervalNanos());
    assertEquals(2000, request.depth());
    assertEquals("perf", request.engine());
  }

  @Test
  void waitingIsSampledOnlyWhereItIsAskedFor() {
    assertEquals(
        0, rule.decide(List.of(named("a", Map.of())), TYPE_ID).valueOf(SampledFeature.WAITING));
    assertEquals(0, wallOf(named("a", Map.of(WALL + "enabled", "false"))));
    assertEquals(20_000_000, wallOf(named("a", Map.of(WALL + "enabled", "true"))));
    assertEquals(5_000_000, wallOf(named("a", Map.of(WALL + "interval", "5 ms"))));
    assertEquals(7_000_000, wallOf(library(Map.of("4712#interval", "7ms"))));
    assertEquals(
        5_000_000,
        wallOf(
            named("a", Map.of(WALL + "interval", "50 ms")),
            named("b", Map.of(WALL + "interval", "5 ms")),
            named("c", Map.of())));
  }

  @Test
  void theAgentsOptionIsForRecordingsThatSayNothingOfWaiting() {
    SamplingRule byOption = new SamplingRule(false, waiting(30_000_000, 0));
    assertEquals(
        30_000_000,
        byOption.decide(List.of(named("a", Map.of())), TYPE_ID).valueOf(SampledFeature.WAITING));
    assertEquals(
        0,
        byOption
            .decide(List.of(named("a", Map.of(WALL + "enabled", "false"))), TYPE_ID)
            .valueOf(SampledFeature.WAITING));
    assertNull(byOption.decide(List.of(library(Map.of())), TYPE_ID));
    assertTrue(isOpen(byOption, named("a", Map.of()), WallSample.NAME));
    assertFalse(isOpen(byOption, library(Map.of()), WallSample.NAME));
  }

  /** JFR has the event off by default, and the other one on. */
  @Test
  void bothEventsAreEnabledWhereOnlyTheIntervalOfWaitingIsSaid() {
    SamplingRule.Facts facts = library(Map.of(WALL + "interval", "5 ms"));
    assertTrue(isOpen(rule, facts, WallSample.NAME));
    assertTrue(isOpen(rule, facts, NativeSample.NAME));
    SamplingRule.Facts off = library(Map.of(WALL + "enabled", "false"));
    assertFalse(isOpen(rule, off, WallSample.NAME));
    assertFalse(isOpen(rule, off, NativeSample.NAME));
    assertFalse(isOpen(rule, named("a", Map.of()), WallSample.NAME));
  }

  @Test
  void blockedThreadsAreTimedOnlyWhereThatIsAskedFor() {
    assertEquals(0, blockedOf(named("a", Map.of())));
    assertEquals(0, blockedOf(named("a", Map.of(BLOCKED + "enabled", "false"))));
    assertEquals(5_000_000, blockedOf(named("a", Map.of(BLOCKED + "enabled", "true"))));
    assertEquals(8_000_000, blockedOf(named("a", Map.of(BLOCKED + "threshold", "8 ms"))));
    assertEquals(7_000_000, blockedOf(library(Map.of("4713#threshold", "7ms"))));
    assertEquals(
        8_000_000,
        blockedOf(
            named("a", Map.of(BLOCKED + "threshold", "50 ms")),
            named("b", Map.of(BLOCKED + "threshold", "8 ms")),
            named("c", Map.of())));
    List<String> notes = new ArrayList<>();
    List<SamplingRule.Facts> none = List.of(named("a", Map.of(BLOCKED + "threshold", "0 ns")));
    assertEquals(5_000_000, rule.decide(none, TYPE_ID, notes).valueOf(SampledFeature.BLOCKED));
    assertEquals(
        List.of(
            "recording a asks for threshold '0 ns' of stackweave.Blocked, which is not a time from"
                + " 1ms to 60s, such as 5ms; 5 ms is used"),
        notes);
  }

  /** JFR has the event off by default, and a threshold of its own. */
  @Test
  void theSettingsOfBlockedThreadsAreCompleted() {
    SamplingRule byOption = new SamplingRule(false, waiting(0, 3_000_000));
    SamplingRule.Facts silent = named("a", Map.of());
    assertEquals(
        3_000_000, byOption.decide(List.of(silent), TYPE_ID).valueOf(SampledFeature.BLOCKED));
    assertEquals(OptionalLong.of(3_000_000), threshold(byOption, silent));
    assertEquals(OptionalLong.empty(), threshold(rule, silent));
    assertEquals(OptionalLong.empty(), threshold(byOption, library(Map.of())));
    SamplingRule.Facts half = library(Map.of(BLOCKED + "enabled", "true"));
    assertEquals(OptionalLong.of(5_000_000), threshold(rule, half));
    assertTrue(isOpen(rule, half, NativeSample.NAME));
    SamplingRule.Facts whole =
        library(Map.of(BLOCKED + "enabled", "true", BLOCKED + "threshold", "9 ms"));
    assertEquals(OptionalLong.empty(), threshold(byOption, whole));
    SamplingRule.Facts off = named("a", Map.of(BLOCKED + "enabled", "false"));
    assertEquals(OptionalLong.empty(), threshold(byOption, off));
  }

  private long blockedOf(SamplingRule.Facts... running) {
    return rule.decide(List.of(running), TYPE_ID).valueOf(SampledFeature.BLOCKED);
  }

  @Test
  void waitingAloneIsNotSampled() {
    List<String> notes = new ArrayList<>();
    Map<String, String> settings = Map.of(WALL + "enabled", "true", SAMPLE + "enabled", "false");
    assertNull(rule.decide(List.of(named("a", settings)), TYPE_ID, notes));
    assertTrue(notes.get(0).contains("disables stackweave.NativeSample"), notes.toString());
  }

  @Test
  void anIntervalOfWaitingThatIsNone() {
    SamplingRequest request =
        rule.decide(
            List.of(named("a", Map.of(WALL + "interval", "10 us", WALL + "depth", "7"))), TYPE_ID);
    assertEquals(1_000_000, request.valueOf(SampledFeature.WAITING));
    assertEquals(
        List.of(
            "recording a sets stackweave.WallSample#depth, which is unknown, so nothing follows it"
                + " (there are: enabled, interval)",
            "recording a asks for interval '10 us' of stackweave.WallSample, which is not a time"
                + " from 1ms to 60s, such as 20ms; 1 ms is used"),
        request.notes());
  }

  private long wallOf(SamplingRule.Facts... running) {
    return rule.decide(List.of(running), TYPE_ID).valueOf(SampledFeature.WAITING);
  }

  @Test
  void aSettingByEventTypeId() {
    SamplingRequest request =
        rule.decide(List.of(library(Map.of("4711#enabled", "true"))), TYPE_ID);
    assertNotNull(request);
  }

  @Test
  void anIntervalThatIsNone() {
    SamplingRequest request =
        rule.decide(List.of(named("a", Map.of(SAMPLE + "interval", "often"))), TYPE_ID);
    assertEquals(10_000_000, request.intervalNanos());
    assertTrue(request.notes().get(0).contains("'often'"), request.notes().toString());
  }

  @Test
  void anIntervalTooShort() {
    SamplingRequest request =
        rule.decide(List.of(named("a", Map.of(SAMPLE + "interval", "1 ns"))), TYPE_ID);
    assertEquals(SamplingSettings.MIN_INTERVAL_NANOS, request.intervalNanos());
    assertEquals(1, request.notes().size());
  }

  @Test
  void anIntervalTooLong() {
    SamplingRequest request =
        rule.decide(List.of(named("a", Map.of(SAMPLE + "interval", "99999 s"))), TYPE_ID);
    assertEquals(60_000_000_000L, request.intervalNanos());
    assertEquals(
        List.of(
            "recording a asks for interval 99999 s, which is not a time from 100us to 60s, such as"
                + " 10ms; 60 s is used"),
        request.notes());
  }

  @Test
  void anEngineThatIsNone() {
    SamplingRequest request =
        rule.decide(List.of(named("a", Map.of(SAMPLE + "engine", "foo"))), TYPE_ID);
    assertEquals("auto", request.engine());
    assertEquals(
        List.of(
            "recording a asks for engine 'foo', which is unknown (there are: auto, perf, timer,"
                + " perf-thread, perf-user); auto is used"),
        request.notes());
  }

  @Test
  void aSettingThatIsNone() {
    for (String event : List.of(SAMPLE, "4711#")) {
      SamplingRequest request =
          rule.decide(List.of(named("a", Map.of(event + "intervall", "5ms"))), TYPE_ID);
      assertEquals(10_000_000, request.intervalNanos());
      assertEquals(
          List.of(
              "recording a sets stackweave.NativeSample#intervall, which is unknown, so nothing"
                  + " follows it (did you mean interval? There are: enabled, interval, depth,"
                  + " engine, event)"),
          request.notes());
    }
  }

  @Test
  void settingsThatJfrKnows() {
    SamplingRequest request =
        rule.decide(
            List.of(named("a", Map.of(SAMPLE + "stackTrace", "true", SAMPLE + "enabled", "TRUE"))),
            TYPE_ID);
    assertEquals(List.of(), request.notes());
  }

  /** It asks for nothing, and is told all the same. */
  @Test
  void whatIsSaidWhereNobodyAsks() {
    List<String> notes = new ArrayList<>();
    assertNull(
        rule.decide(
            List.of(
                library(Map.of("stackweave.NativeSampel#interval", "1 ms")),
                named("b", Map.of(SAMPLE + "enabled", "ture"))),
            TYPE_ID,
            notes));
    assertEquals(
        List.of(
            "recording 1 sets stackweave.NativeSampel#interval, of an event that is unknown, so"
                + " nothing follows it (did you mean stackweave.NativeSample?)",
            "recording b sets stackweave.NativeSample#enabled='ture', which is neither true nor"
                + " false, so JFR takes it for false"),
        notes);
  }

  @Test
  void theDefaultByItsName() {
    SamplingRequest request =
        rule.decide(List.of(named("a", Map.of(SAMPLE + "interval", "default"))), TYPE_ID);
    assertEquals(10_000_000, request.intervalNanos());
    assertEquals(List.of(), request.notes());
  }

  @Test
  void twoEngines() {
    SamplingRequest request =
        rule.decide(
            List.of(
                named("a", Map.of(SAMPLE + "engine", "perf")),
                named("b", Map.of(SAMPLE + "engine", "timer"))),
            TYPE_ID);
    assertEquals("perf", request.engine());
    assertEquals(1, request.notes().size());
  }

  @Test
  void aRecordingInMemory() {
    assertTrue(
        rule.decide(
                List.of(new SamplingRule.Facts("m", true, false, false, false, Map.of())), TYPE_ID)
            .inMemory());
  }

  private static SamplingRule.Facts library(Map<String, String> settings) {
    return new SamplingRule.Facts("1", false, false, false, true, settings);
  }

  private static SamplingRule.Facts named(String name, Map<String, String> settings) {
    return new SamplingRule.Facts(name, true, false, false, true, settings);
  }
}
