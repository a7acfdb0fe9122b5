package stackweave.jfr.status;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** How figures are subtracted by the store and added up by the reader. */
class SamplerFiguresTest {
  private static final SamplerFigures EARLIER =
      figures("perf", "old", 100, 7, 1_000, Map.of("complete", 90L, "truncated", 10L));
  private static final SamplerFigures LATER =
      figures("", "", 130, 9, 800, Map.of("complete", 115L, "truncated", 10L, "too deep", 5L));

  private static SamplerFigures figures(
      String engine, String note, long taken, int skipped, long delay, Map<String, Long> ends) {
    Counters counters =
        new Counters()
            .set(Counter.TAKEN, taken)
            .set(Counter.THREADS_SKIPPED, skipped)
            .set(Counter.START_DELAY, delay);
    return new SamplerFigures(engine, "", note, counters, Map.of(Breakdown.ENDS, ends));
  }

  @Test
  void sinceAnEarlierOneSumsAreDifferencesAndTheRestIsAsItIs() {
    SamplerFigures since = LATER.since(EARLIER);
    assertEquals(30, since.get(Counter.TAKEN));
    assertEquals(9, since.get(Counter.THREADS_SKIPPED));
    assertEquals(800, since.get(Counter.START_DELAY));
    assertEquals(
        Map.of("complete", 25L, "truncated", 0L, "too deep", 5L), since.get(Breakdown.ENDS));
    assertEquals(Map.of(), since.get(Breakdown.LINKS));
    assertEquals(130, LATER.get(Counter.TAKEN), "changed what it was made of");
  }

  @Test
  void togetherSumsAddUpAndOthersAreTheLastOrTheLargest() {
    SamplerFigures both = EARLIER.plus(LATER);
    assertEquals(230, both.get(Counter.TAKEN));
    assertEquals(9, both.get(Counter.THREADS_SKIPPED));
    assertEquals(9, both.plus(SamplerFigures.NONE).get(Counter.THREADS_SKIPPED));
    assertEquals(1_000, both.get(Counter.START_DELAY));
    assertEquals(205, both.get(Breakdown.ENDS).get("complete"));
    assertEquals("perf", both.engine());
    assertEquals("old", both.note());
    assertEquals(EARLIER.get(Counter.TAKEN) * 2, EARLIER.plus(EARLIER).get(Counter.TAKEN));
  }

  @Test
  void aTimeWithoutSamplingIsOverWhenItSamplesAgain() {
    SamplerFigures off = figures("", "not sampling: switched off", 0, 0, 0, Map.of());
    SamplerFigures on = figures("perf", "", 9, 0, 0, Map.of());
    assertEquals("not sampling: switched off", on.plus(off).note());
    assertEquals("not sampling: switched off", off.plus(SamplerFigures.NONE).note());
    String past = "for a time not sampling: switched off";
    assertEquals(past, off.plus(on).note());
    assertEquals(past, off.plus(on).plus(on).note());
    assertEquals("old", off.plus(EARLIER).note());
  }

  @Test
  void countsByLabelAreTextAndBack() {
    Map<String, Long> counts = Breakdown.parse("pc in no module=3,a=b=4,x,=5,y=-1,complete=2");
    assertEquals(Map.of("pc in no module", 3L, "a=b", 4L, "complete", 2L), counts);
    SamplerFigures figures =
        new SamplerFigures("", "", "", new Counters(), Map.of(Breakdown.LINKS, counts));
    assertEquals("pc in no module=3,a=b=4,complete=2", figures.text(Breakdown.LINKS));
    assertEquals("", LATER.since(LATER).text(Breakdown.ENDS));
  }

  /** What was copied does not follow its source: the drain thread goes on counting in it. */
  @Test
  void theyDoNotChangeWithWhatTheyWereMadeOf() {
    Counters counters = new Counters().set(Counter.LOST, 1);
    SamplerFigures figures = SamplerFigures.NONE.with(counters);
    counters.add(Counter.LOST, 5);
    figures.counters().add(Counter.LOST, 5);
    assertEquals(1, figures.get(Counter.LOST));
  }
}
