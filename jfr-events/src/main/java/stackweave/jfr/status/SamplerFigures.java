package stackweave.jfr.status;

import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The figures of sampling over some time: since the agent started, between two status events, or
 * over a recording. Made by the agent, written by the store and summed up by the reader. Immutable.
 *
 * @param engine name of the engine, as last stated; empty while none runs
 * @param engineReason why this engine, and not the others
 * @param note what a reader should know; empty for nothing
 * @param counters the numbers; a copy
 * @param breakdowns the counts by label, unmodifiable; missing ones are empty
 */
public record SamplerFigures(
    String engine,
    String engineReason,
    String note,
    Counters counters,
    Map<Breakdown, Map<String, Long>> breakdowns) {
  /** Before anything was sampled. */
  public static final SamplerFigures NONE =
      new SamplerFigures("", "", "", new Counters(), Map.of());

  /** How a note begins that says why there is no sampling; the reason follows. */
  public static final String NOT_SAMPLING = "not sampling: ";

  /** Copies what can be changed. */
  public SamplerFigures {
    Map<Breakdown, Map<String, Long>> copies = new EnumMap<>(Breakdown.class);
    for (Map.Entry<Breakdown, Map<String, Long>> each : breakdowns.entrySet()) {
      copies.put(each.getKey(), Collections.unmodifiableMap(new LinkedHashMap<>(each.getValue())));
    }
    counters = counters.copy();
    breakdowns = Collections.unmodifiableMap(copies);
  }

  @Override
  public Counters counters() {
    return counters.copy();
  }

  /** The number of {@code counter}, in its unit. */
  public long get(Counter counter) {
    return counters.get(counter);
  }

  /** The counts of {@code breakdown} by label; unmodifiable. */
  public Map<String, Long> get(Breakdown breakdown) {
    return breakdowns.getOrDefault(breakdown, Map.of());
  }

  /** The counts of {@code breakdown} as in the event. */
  public String text(Breakdown breakdown) {
    return Breakdown.text(get(breakdown));
  }

  /** The same with other numbers. */
  public SamplerFigures with(Counters others) {
    return new SamplerFigures(engine, engineReason, note, others, breakdowns);
  }

  /** The same with another note. */
  public SamplerFigures with(String otherNote) {
    return new SamplerFigures(engine, engineReason, otherNote, counters, breakdowns);
  }

  /** How much of the CPU time the samples stand for. */
  public Coverage coverage() {
    return new Coverage(
        get(Counter.CPU_USED),
        get(Counter.CPU_COVERED),
        get(Counter.CPU_MISSED),
        get(Counter.START_DELAY));
  }

  /**
   * The increase since {@code earlier}; what is no sum stays. CPU time may be slightly below 0, as
   * it is from several clocks.
   */
  public SamplerFigures since(SamplerFigures earlier) {
    Map<Breakdown, Map<String, Long>> since = new EnumMap<>(Breakdown.class);
    for (Map.Entry<Breakdown, Map<String, Long>> each : breakdowns.entrySet()) {
      Map<String, Long> before = earlier.get(each.getKey());
      Map<String, Long> counts = new LinkedHashMap<>(each.getValue());
      for (Map.Entry<String, Long> count : counts.entrySet()) {
        count.setValue(count.getValue() - before.getOrDefault(count.getKey(), 0L));
      }
      since.put(each.getKey(), counts);
    }
    return new SamplerFigures(
        engine, engineReason, note, counters.copy().minus(earlier.counters), since);
  }

  /** The sum of this and later figures: numbers as they add up, texts as last stated. */
  public SamplerFigures plus(SamplerFigures later) {
    Map<Breakdown, Map<String, Long>> sums = new EnumMap<>(Breakdown.class);
    for (Breakdown breakdown : Breakdown.values()) {
      Map<String, Long> counts = new LinkedHashMap<>(get(breakdown));
      for (Map.Entry<String, Long> more : later.get(breakdown).entrySet()) {
        counts.merge(more.getKey(), more.getValue(), Long::sum);
      }
      sums.put(breakdown, counts);
    }
    return new SamplerFigures(
        orElse(later.engine, engine),
        orElse(later.engineReason, engineReason),
        noteUntil(later),
        counters.copy().plus(later.counters),
        sums);
  }

  /** The note as last stated. A note on time without sampling says that it is over, if it is. */
  private String noteUntil(SamplerFigures later) {
    boolean samplesAgain = !later.engine.isEmpty() && later.note.isEmpty();
    return samplesAgain && note.startsWith(NOT_SAMPLING)
        ? "for a time " + note
        : orElse(later.note, note);
  }

  private static String orElse(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }
}
