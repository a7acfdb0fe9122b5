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
    assertEquals(Arrays.stream(Counter.values()).map(Counter::field).toList(), numbers);
    assertEquals(breakdowns, texts);
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
