package stackweave.live.waiting;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jvms;
import stackweave.live.support.Waits;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;
import stackweave.testing.Promise;

/** No stack of a waiting thread is put together of two moments, while threads come and go. */
class StampsIT {
  private static final String MILLIS = System.getProperty("it.stampsMillis", "5000");

  /** As few as there are on a machine that hardly lets the drain thread run. */
  private static final int MIN_STACKS = 20;

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void noStackIsOfTwoMoments(Jdk jdk) {
    Ended ended =
        Jvms.withoutLibraries(jdk)
            .agent("wall=1ms", "drain=100")
            .recording()
            .options("-Xmx256m")
            .run(StampsApp.class.getName(), MILLIS, "16")
            .successfully();
    Waits waits = Waits.of(ended.recording());
    List<Waits.Sample> mixed = new ArrayList<>();
    int whole = 0;
    int cut = 0;
    for (Waits.Sample sample : waits.samples) {
      String spelt = spelt(sample);
      if (!sample.thread().startsWith("stamps-") || spelt.isEmpty()) {
        continue;
      }
      if (!waits.isComplete(sample)) {
        cut++;
      } else if (isTwice(spelt)) {
        whole++;
      } else if (isBlocked(sample)) {
        mixed.add(sample);
      }
    }
    System.out.printf(
        "%s: %d stacks are of one moment, %d of two, %d not complete; %s%n",
        jdk, whole, mixed.size(), cut, waits.status);
    assertEquals(List.of(), mixed);
    assertTrue(whole >= MIN_STACKS, "stacks: " + whole);
    Promise.atMost("not complete", 0.02, cut, cut + whole);
  }

  /** The digits of the calls, the innermost first. */
  private static String spelt(Waits.Sample sample) {
    StringBuilder digits = new StringBuilder();
    for (Waits.Frame frame : sample.frames()) {
      if (frame.className().endsWith("StampsApp$Stamps")) {
        digits.append(
            switch (frame.name()) {
              case "zero" -> "0";
              case "one" -> "1";
              default -> "";
            });
      }
    }
    return digits.toString();
  }

  private static boolean isTwice(String digits) {
    return digits.length() == 2 * StampsApp.BITS
        && digits.substring(0, StampsApp.BITS).equals(digits.substring(StampsApp.BITS));
  }

  /** Whether it is where it blocks, and not elsewhere: at a safepoint, in a page fault. */
  private static boolean isBlocked(Waits.Sample sample) {
    return sample.frames().stream().anyMatch(frame -> frame.name().equals("block"))
        || spelt(sample).length() > 2 * StampsApp.BITS;
  }
}
