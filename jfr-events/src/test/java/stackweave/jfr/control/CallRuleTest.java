package stackweave.jfr.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Which recordings ask for native calls, and for which. */
class CallRuleTest {
  private static final String KEY = "stackweave.NativeCall#";
  private static final long DEFAULT = 10_000_000;

  private final CallRule rule = new CallRule(false);
  private final List<String> notes = new ArrayList<>();

  private static SamplingRule.Facts recording(boolean isPersons, String... settings) {
    Map<String, String> all = new HashMap<>();
    for (int i = 0; i < settings.length; i += 2) {
      all.put(KEY + settings[i], settings[i + 1]);
    }
    return new SamplingRule.Facts("7", isPersons, false, false, true, all);
  }

  private CallRequest decide(SamplingRule.Facts... running) {
    return rule.decide(List.of(running), true, notes);
  }

  @Test
  void aPersonsRecordingAsksForAll() {
    CallRequest request = decide(recording(true));
    assertEquals(DEFAULT, request.thresholdNanos());
    assertTrue(request.asksFor("a.B", "c"));
  }

  @Test
  void aLibrarysRecordingMustNameTheEvent() {
    assertNull(decide(recording(false)));
    assertEquals(DEFAULT, decide(recording(false, "enabled", "true")).thresholdNanos());
    assertNull(decide(recording(true, "enabled", "false")));
    assertNull(new CallRule(true).decide(List.of(recording(true)), true, notes));
  }

  @Test
  void twoRecordingsGetWhatEitherAsksFor() {
    CallRequest request =
        decide(
            recording(false, "filter", "a.B::c", "threshold", "20 ms"),
            recording(false, "filter", "d.E::*;f.G::h", "threshold", "1 ms"));
    assertEquals(1_000_000, request.thresholdNanos());
    assertTrue(request.asksFor("a.B", "c") && request.asksFor("f.G", "h"));
    assertTrue(!request.asksFor("a.B", "d") && !request.asksFor("f.G", "c"));
    assertEquals(List.of(), notes);
  }

  @Test
  void zeroAsksForEachCall() {
    assertEquals(0, decide(recording(false, "threshold", "0 ns")).thresholdNanos());
    assertEquals(List.of(), notes);
  }

  @Test
  void whatIsNotUnderstoodIsSaid() {
    CallRequest request =
        decide(recording(false, "filter", "a.B", "threshold", "soon", "fitler", "x"));
    assertEquals(DEFAULT, request.thresholdNanos());
    assertTrue(request.asksFor("a.B", "c"));
    assertEquals(3, notes.size(), notes::toString);
    assertTrue(notes.get(0).contains("#fitler, which is unknown"), notes::toString);
    assertTrue(notes.get(1).contains("filter 'a.B'"), notes::toString);
    assertTrue(notes.get(2).contains("threshold 'soon'"), notes::toString);
  }

  @Test
  void withoutTimedMethodsARecordingThatNamesThemIsTold() {
    rule.look(List.of(recording(true)), notes);
    assertEquals(List.of(), notes);
    rule.look(List.of(recording(true, "filter", "a.B::c")), notes);
    assertTrue(notes.get(0).contains("no native method is timed"), notes::toString);
  }

  @Test
  void settingsWithoutEnabledAreCompleted() {
    assertEquals(OptionalLong.empty(), rule.leavesOpen(recording(true)));
    rule.tell(new Nobody());
    assertEquals(OptionalLong.of(DEFAULT), rule.leavesOpen(recording(true)));
    assertEquals(
        OptionalLong.of(3_000_000), rule.leavesOpen(recording(false, "threshold", "3 ms")));
    assertEquals(
        OptionalLong.empty(),
        rule.leavesOpen(recording(false, "threshold", "3 ms", "enabled", "true")));
    assertEquals(OptionalLong.empty(), rule.leavesOpen(recording(false)));
  }

  private static final class Nobody implements CallListener {
    @Override
    public void onCalls(CallRequest request) {
      // Not told in these tests.
    }

    @Override
    public boolean hasNotes() {
      return false;
    }

    @Override
    public List<String> takeNotes() {
      return List.of();
    }
  }
}
