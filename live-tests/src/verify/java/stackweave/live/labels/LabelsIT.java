package stackweave.live.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.lab.labels.LabelTally;
import stackweave.lab.labels.Labels;
import stackweave.testing.Jdk;

/**
 * Labels beside the truth that the stacks show: none is wrong, and there are some. By one engine on
 * one JDK and by the other on the next; {@code lab/labels} has all.
 */
@Order(7)
class LabelsIT {
  /** Four times as long where the drain thread got no turn while the threads lived. */
  private static final long MIN_MILLIS = 1_000;

  private static final long MAX_MILLIS = 100_000;
  private static final int REQUEST_MILLIS = 3;
  private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void noLabelIsWrong(Jdk jdk) throws IOException {
    boolean hasVirtual = jdk.feature() >= FIRST_WITH_VIRTUAL_THREADS;
    String engine = hasVirtual ? "perf" : "timer";
    String kinds = hasVirtual ? "virtual platform" : "platform";
    LabelTally tally = null;
    for (long millis = MIN_MILLIS; millis < MAX_MILLIS; millis *= 4) {
      tally = Labels.run(jdk, directory, engine, millis, REQUEST_MILLIS, 1, kinds);
      System.out.println(jdk + ": " + tally);
      assertEquals(List.of(), tally.wrongOnes());
      assertEquals(0, tally.wrong());
      if (tally.right() > 0 && tally.outside() > 0) {
        return;
      }
    }
    fail("no samples with labels, or none without: " + tally);
  }
}
