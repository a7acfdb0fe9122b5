package stackweave.jfr.export.report;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.jfr.export.stall.Stalls;

/** What is said of critical sections where the JVM has no event of them. */
class StallReportTest {
  @Test
  void onlyG1IsSaidNotToWait() {
    assertTrue(StallReport.withoutEvent(Stalls.G1).contains("G1, does not wait"));
    for (String waiting : List.of(Stalls.SERIAL, Stalls.PARALLEL)) {
      String text = StallReport.withoutEvent(waiting);
      assertTrue(text.startsWith("Its collector, " + waiting + ", may wait"), text);
      assertFalse(text.contains("G1"), text);
    }
    String other = StallReport.withoutEvent("ZGC");
    assertTrue(other.contains("ZGC") && other.contains("no event tells"), other);
    assertTrue(StallReport.withoutEvent("").startsWith("Its collector is not recorded"));
  }
}
