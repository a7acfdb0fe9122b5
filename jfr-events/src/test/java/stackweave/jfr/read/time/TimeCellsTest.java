package stackweave.jfr.read.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Cells against sums by the samples' own times. */
class TimeCellsTest {
  private static final long MILLI = 1_000_000;
  private static final long START = 1_700_000_000_000_000_000L;

  private record Given(int series, long nanos, long weight) {}

  @Test
  void tenMinutesHaveCellsOf20Millis() {
    check(new TimeCells(), samples(20_000, 600_000, 3), 20);
  }

  @Test
  void aDayHasCellsOfASecond() {
    check(new TimeCells(), samples(50_000, 86_400_000, 5), 1_000);
  }

  @Test
  void aYearHasAsFewCells() {
    TimeCells cells = new TimeCells();
    check(cells, samples(1_000, 365L * 86_400_000, 2), 600_000);
    assertTrue(cells.count() <= TimeCells.MAX_CELLS);
  }

  /**
   * 20 ms, 40, 200, 1,000, 2,000, 10,000: there are counts for less than a tenth of the samples.
   */
  @Test
  void manyCountsMakeCellsGrow() {
    List<Given> samples = samples(20_000, 600_000, 3);
    samples.sort(Comparator.comparingLong(Given::nanos));
    check(new TimeCells(TimeCells.MAX_CELLS, 300), samples, 10_000);
  }

  @Test
  void aSeriesOfASampleEachNeedsNoGrowth() {
    List<Given> samples = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      samples.add(new Given(i, START + i * 100 * MILLI, 7));
    }
    check(new TimeCells(TimeCells.MAX_CELLS, 10), samples, 20);
  }

  /** Two recordings of a minute, three days apart, in whatever order they are. */
  @Test
  void manyTimesFarAwayAreCountedWhereTheyAre() {
    for (int few : new int[] {100, 2_500}) {
      List<Given> samples = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        long day = i < few ? 0 : 3;
        samples.add(new Given(0, START + day * 86_400_000 * MILLI + i * 10 * MILLI, 7));
      }
      check(new TimeCells(), samples, 10_000);
    }
  }

  @Test
  void timesOfADamagedRecordingAreTaken() {
    TimeCells cells = new TimeCells();
    CellSeries series = cells.series();
    for (long nanos : new long[] {START, Long.MIN_VALUE, Long.MAX_VALUE, 0, -1}) {
      cells.add(series, nanos, Long.MIN_VALUE);
    }
    long[] count = new long[1];
    cells.forEach(
        series,
        (cell, samples, weight) -> {
          assertTrue(cell >= 0 && cell < cells.count());
          count[0] += samples;
        });
    assertEquals(5, count[0]);
    assertTrue(cells.count() <= TimeCells.MAX_CELLS);
  }

  @Test
  void withoutSamplesThereIsNoCell() {
    assertEquals(0, new TimeCells().count());
  }

  /** Samples of three stacks, in no order; the first and last are the ends of the time. */
  private static List<Given> samples(int count, long millis, int series) {
    Random random = new Random(count);
    List<Given> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long at = i == 0 ? millis - 1 : i == 1 ? 0 : (long) (random.nextDouble() * (millis - 1));
      long weight = random.nextInt(3) == 0 ? random.nextInt(1_000_000) : 10 * MILLI;
      samples.add(new Given(random.nextInt(series), START + at * MILLI, weight));
    }
    return samples;
  }

  private static void check(TimeCells cells, List<Given> samples, long widthMillis) {
    Map<Integer, CellSeries> series = new TreeMap<>();
    for (Given sample : samples) {
      series.computeIfAbsent(sample.series, key -> cells.series());
      cells.add(series.get(sample.series), sample.nanos, sample.weight);
    }
    assertEquals(widthMillis * MILLI, cells.widthNanos());
    Map<String, long[]> expected = new TreeMap<>();
    for (Given sample : samples) {
      long cell = Math.floorDiv(sample.nanos - cells.startNanos(), cells.widthNanos());
      add(expected, sample.series + " " + cell, 1, sample.weight);
    }
    Map<String, long[]> found = new TreeMap<>();
    series.forEach(
        (number, each) ->
            cells.forEach(
                each, (cell, count, weight) -> add(found, number + " " + cell, count, weight)));
    assertEquals(text(expected), text(found));
    assertTrue(found.keySet().stream().anyMatch(key -> key.endsWith(" 0")), "the first cell");
  }

  private static void add(Map<String, long[]> sums, String key, long count, long weight) {
    long[] sum = sums.computeIfAbsent(key, k -> new long[2]);
    sum[0] += count;
    sum[1] += weight;
  }

  private static String text(Map<String, long[]> sums) {
    StringBuilder text = new StringBuilder();
    sums.forEach((key, sum) -> text.append(key).append(Arrays.toString(sum)).append('\n'));
    return text.toString();
  }
}
