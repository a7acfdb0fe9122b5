package stackweave.jfr.status;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jdk.jfr.EventType;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;
import stackweave.jfr.event.SamplerStatus;

/**
 * The event has a field for each figure, and a figure for each field.
 *
 * <p>Why the fields are written at all: jdk.jfr.EventFactory could make them of the figures, but
 * defines a class in the JDK's own module for each event type that it makes (jdk.jfr.DynamicEvent1
 * on 17 and 25), which stays when the agent is detached, and 20 to 35 classes more and some 10 ms
 * of CPU time come with it before sampling begins.
 */
class CounterTest {
  /** What the event has beside figures; JFR's own fields come before them. */
  private static final List<String> OTHERS =
      List.of(
          "startTime", "duration", "eventThread", "stackTrace", "engine", "engineReason", "note");

  private static final List<ValueDescriptor> FIELDS =
      EventType.getEventType(SamplerStatus.class).getFields();

  /** In the same order, so that the page and {@code jfr print} have them as they came. */
  @Test
  void everyFigureIsAFieldAndEveryFieldAFigure() {
    List<String> breakdowns = Arrays.stream(Breakdown.values()).map(Breakdown::field).toList();
    List<String> numbers = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (ValueDescriptor field : FIELDS) {
      if (!OTHERS.contains(field.getName())) {
        (field.getTypeName().equals("java.lang.String") ? texts : numbers).add(field.getName());
      }
    }
    List<String> counters = Arrays.stream(Counter.values()).map(Counter::field).toList();
    assertEquals(counters, numbers, () -> lacking("Counter", "long", counters, numbers));
    assertEquals(breakdowns, texts, () -> lacking("Breakdown", "String", breakdowns, texts));
  }

  /** The fields that the event lacks, as they are declared, and those that have no figure. */
  private static String lacking(
      String figures, String type, List<String> named, List<String> declared) {
    StringBuilder text = new StringBuilder();
    for (String field : named) {
      if (!declared.contains(field)) {
        String words = field.replaceAll("(?=[A-Z])", " ");
        String label = Character.toUpperCase(words.charAt(0)) + words.substring(1);
        text.append("SamplerStatus lacks, in the order of ").append(figures).append(":\n\n");
        text.append("  @Label(\"").append(label).append("\")\n  @Description(\"…\")\n");
        text.append("  public ").append(type).append(' ').append(field).append(";\n\n");
      }
    }
    declared.stream()
        .filter(field -> !named.contains(field))
        .forEach(field -> text.append(figures).append(" has no entry for ").append(field));
    return text.isEmpty() ? "the order of " + figures + " and of the fields" : text.toString();
  }

  /** What older recordings have is never renamed: of the first version these are left. */
  @Test
  void noFieldOfTheFirstVersionIsRenamed() {
    List<String> first =
        List.of(
            ("engine engineReason interval taken written lost dropped undecodable thinned ends"
                    + " cpuUsed cpuCovered drainCpu frames unwindTime splices links note cpuKernel"
                    + " resets startDelay foreign threadsSkipped kernelMemory cpuMissed intervalReached"
                    + " unwoven")
                .split(" "));
    assertEquals(
        first, FIELDS.stream().map(ValueDescriptor::getName).filter(first::contains).toList());
  }
}
