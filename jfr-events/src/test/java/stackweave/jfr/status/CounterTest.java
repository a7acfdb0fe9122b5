package stackweave.jfr.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import jdk.jfr.DataAmount;
import jdk.jfr.EventType;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;
import stackweave.jfr.event.SamplerStatus;

/**
 * The event has a field for each figure, and says of it what the figure's line says.
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

  @Test
  void everyFigureIsAFieldAndEveryFieldAFigure() {
    List<String> missing = new ArrayList<>();
    for (Counter counter : Counter.values()) {
      if (!declaration(counter).equals(declared(counter.field()))) {
        missing.add(declaration(counter));
      }
    }
    for (Breakdown breakdown : Breakdown.values()) {
      if (!declaration(breakdown).equals(declared(breakdown.field()))) {
        missing.add(declaration(breakdown));
      }
    }
    assertTrue(
        missing.isEmpty(),
        () -> "SamplerStatus.java lacks, or has otherwise:\n\n" + String.join("\n\n", missing));
    List<String> unknown = new ArrayList<>();
    for (ValueDescriptor field : FIELDS) {
      boolean known =
          OTHERS.contains(field.getName())
              || Arrays.stream(Counter.values()).anyMatch(c -> c.field().equals(field.getName()))
              || Arrays.stream(Breakdown.values()).anyMatch(b -> b.field().equals(field.getName()));
      if (!known) {
        unknown.add(field.getName());
      }
    }
    assertEquals(List.of(), unknown, "fields of SamplerStatus that Counter has no line for");
  }

  /** So that the page and {@code jfr print} have them in the order in which they came. */
  @Test
  void fieldsAreInTheOrderOfTheFigures() {
    List<String> counters = Arrays.stream(Counter.values()).map(Counter::field).toList();
    assertEquals(
        counters,
        FIELDS.stream().map(ValueDescriptor::getName).filter(counters::contains).toList(),
        "the order of the fields of SamplerStatus");
  }

  /** What older recordings have is never renamed: these are the fields of the first version. */
  @Test
  void noFieldOfTheFirstVersionIsGone() {
    List<String> first =
        List.of(
            ("engine engineReason interval taken written lost dropped undecodable thinned ends"
                    + " cpuUsed cpuCovered drainCpu frames unwindTime splices links note cpuKernel"
                    + " resets startDelay foreign threadsSkipped kernelMemory kernelMemoryBudget"
                    + " cpuMissed intervalReached unwoven")
                .split(" "));
    assertEquals(
        first, FIELDS.stream().map(ValueDescriptor::getName).filter(first::contains).toList());
    assertEquals("int", field("threadsSkipped").getTypeName());
  }

  private static ValueDescriptor field(String name) {
    return FIELDS.stream().filter(f -> f.getName().equals(name)).findFirst().orElse(null);
  }

  private static String declaration(Counter counter) {
    String unit =
        switch (counter.unit()) {
          case COUNT -> "";
          case NANOS -> "  @Timespan(Timespan.NANOSECONDS)\n";
          case BYTES -> "  @DataAmount\n";
        };
    String type = counter == Counter.THREADS_SKIPPED ? "int" : "long";
    return text(counter.label(), counter.description(), unit, type, counter.field());
  }

  private static String declaration(Breakdown breakdown) {
    return text(
        breakdown.label(), breakdown.description(), "", "java.lang.String", breakdown.field());
  }

  /** As the class declares it. */
  private static String declared(String name) {
    ValueDescriptor field = field(name);
    if (field == null) {
      return "";
    }
    Timespan span = field.getAnnotation(Timespan.class);
    DataAmount amount = field.getAnnotation(DataAmount.class);
    String unit = span == null ? "" : "  @Timespan(Timespan." + span.value() + ")\n";
    unit += amount == null ? "" : "  @DataAmount\n";
    String description = field.getDescription() == null ? "" : field.getDescription();
    return text(field.getLabel(), description, unit, field.getTypeName(), name);
  }

  private static String text(
      String label, String description, String unit, String type, String name) {
    return "  @Label(\""
        + label
        + "\")\n"
        + (description.isEmpty() ? "" : "  @Description(\"" + description + "\")\n")
        + unit
        + "  public "
        + type
        + " "
        + name
        + ";";
  }
}
