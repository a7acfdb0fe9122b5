package stackweave.jfr.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SamplingSettingsTest {
  private static final String SAMPLE = "stackweave.NativeSample";

  @ParameterizedTest
  @CsvSource({
    "100us, 100000",
    "100000 ns, 100000",
    "' 10 ms ', 10000000",
    "60s, 60000000000",
    "1m, 60000000000"
  })
  void intervals(String text, long nanos) {
    assertEquals(OptionalLong.of(nanos), SamplingSettings.interval(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "10",
        "-1ms",
        "1.5ms",
        "5 parsecs",
        "99us",
        "61s",
        "2m",
        "1h",
        "99999s",
        "999999999999999999s",
        "0ms"
      })
  void whatIsNone(String text) {
    assertEquals(OptionalLong.empty(), SamplingSettings.interval(text));
  }

  @Test
  void depths() {
    assertEquals(OptionalInt.of(8192), SamplingSettings.depth(" 8192 "));
    assertEquals(OptionalInt.of(1), SamplingSettings.depth("1"));
    for (String none : new String[] {"0", "8193", "-1", "deep", "", "99999999999"}) {
      assertEquals(OptionalInt.empty(), SamplingSettings.depth(none), none);
    }
  }

  @Test
  void whatAnEngineWasMeantToBe() {
    assertTrue(SamplingSettings.isEngine("perf-user"));
    assertFalse(SamplingSettings.isEngine("Perf"));
    assertEquals(
        " (did you mean perf-user? There are: auto, perf, timer, perf-thread, perf-user)",
        SamplingSettings.meantEngine("PERF_USER"));
    assertEquals(
        " (did you mean timer? There are: auto, perf, timer, perf-thread, perf-user)",
        SamplingSettings.meantEngine("tiemr"));
    assertEquals(
        " (there are: auto, perf, timer, perf-thread, perf-user)",
        SamplingSettings.meantEngine("magic"));
  }

  @Test
  void whatASettingWasMeantToBe() {
    assertTrue(SamplingSettings.isSetting(SAMPLE, "stackTrace")); // JFR's own
    assertEquals(
        " (did you mean interval? There are: enabled, interval, depth, engine, event)",
        SamplingSettings.meantSetting(SAMPLE, "intervall"));
    assertEquals(" (did you mean interval?)", SamplingSettings.meantSetting(SAMPLE, "period"));
    assertEquals(
        " (there are: enabled, interval, depth, engine, event)",
        SamplingSettings.meantSetting(SAMPLE, "colour"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NativeSample",
        "stackweave.nativesample",
        "stackweave.NativeSampel",
        "stackweve.NativeSample",
        "stackweave.NativeSamples"
      })
  void theEventMisspelt(String name) {
    assertEquals(SAMPLE, SamplingSettings.misspelt(name));
  }

  @Test
  void theEventOfCallsMisspelt() {
    assertEquals("stackweave.NativeCall", SamplingSettings.misspelt("stackweave.NativeCalls"));
    assertEquals("stackweave.NativeCall", SamplingSettings.misspelt("NativeCall"));
    assertNull(SamplingSettings.misspelt("stackweave.NativeCallCounts"));
    assertEquals(
        " (did you mean filter? There are: enabled, filter, threshold)",
        SamplingSettings.meantSetting("stackweave.NativeCall", "fliter"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stackweave.NativeSample",
        "stackweave.NativeCall",
        "stackweave.SampledThread",
        "jdk.NativeMethodSample",
        "com.acme.NativeSample2",
        ""
      })
  void otherEvents(String name) {
    assertNull(SamplingSettings.misspelt(name), name);
  }
}
