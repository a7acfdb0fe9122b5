package stackweave.live.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.lab.Built;
import stackweave.live.support.Jvms;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/**
 * Labels beside the truth that the stacks show: none is wrong, and there are some. By one engine on
 * one JDK and by the other on the next.
 */
@Order(7)
class LabelsIT {
  /** Four times as long where the drain thread got no turn while the threads lived. */
  private static final long MIN_MILLIS = 1_000;

  private static final long MAX_MILLIS = 100_000;
  private static final String REQUEST_MICROS = "3000";
  private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

  @TempDir Path directory;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onEnds")
  void noLabelIsWrong(Jdk jdk) throws IOException {
    boolean hasVirtual = jdk.feature() >= FIRST_WITH_VIRTUAL_THREADS;
    String engine = hasVirtual ? "perf" : "timer";
    List<String> kinds = hasVirtual ? List.of("virtual", "platform") : List.of("platform");
    LabelTally tally = null;
    for (long millis = MIN_MILLIS; millis < MAX_MILLIS; millis *= 4) {
      tally = run(jdk, engine, millis, kinds);
      System.out.println(jdk + ": " + tally);
      assertEquals(List.of(), tally.wrongOnes());
      assertEquals(0, tally.wrong());
      if (tally.right() > 0 && tally.outside() > 0) {
        return;
      }
    }
    fail("no samples with labels, or none without: " + tally);
  }

  /** Runs the service in a JVM of its own and compares its labels. */
  private LabelTally run(Jdk jdk, String engine, long millis, List<String> kinds)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of("" + millis, REQUEST_MICROS, "1"));
    arguments.addAll(kinds);
    return LabelTally.of(
        ForkedJvm.on(jdk, Files.createTempDirectory(directory, "run"))
            .agent("engine=" + engine, "interval=1ms")
            .recording()
            .classPath(Built.classes() + ":" + Built.labels() + Jvms.TESTS)
            .run(LabelledService.class.getName(), arguments.toArray(String[]::new))
            .successfully()
            .recording());
  }
}
