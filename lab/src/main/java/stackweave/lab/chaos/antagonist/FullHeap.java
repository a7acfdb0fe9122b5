package stackweave.lab.chaos.antagonist;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/**
 * A heap that fills up until sampling must pause, and empties again; the JVM ends with the first
 * OutOfMemoryError of any thread.
 */
public final class FullHeap implements Antagonist {
  private static final int PIECE = 64 * 1024;

  /** Percentage of the maximum heap that is kept at least; the load beside it needs some, too. */
  private static final int MIN = 40;

  private static final int MAX = 80;
  private static final int STEP_MILLIS = 10;
  private static final int STEP_PIECES = 200;

  @Override
  public String targets() {
    return "the agent's own memory, where the application's leaves little";
  }

  @Override
  public List<String> counts() {
    return List.of("times the heap was filled");
  }

  @Override
  public List<String> jvmOptions(Path directory) {
    // JDK 17 gives up an allocation after two waits for JNI's critical sections (GCLocker), however
    // much a collection would free; later releases have neither the wait nor the option.
    return List.of(
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:GCLockerRetryAllocationCount=1000");
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    List<byte[]> live = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(1);
    long max = Runtime.getRuntime().maxMemory();
    boolean filling = true;
    while (!time.isOver()) {
      for (int i = 0; i < STEP_PIECES; i++) {
        if (filling) {
          live.add(new byte[PIECE]);
        } else {
          live.remove(random.nextInt(live.size()));
        }
      }
      long percent = 100L * live.size() * PIECE / max;
      if (filling && percent >= MAX) {
        filling = false;
        tally.one(0);
      } else if (!filling && percent <= MIN) {
        filling = true;
      }
      Thread.sleep(STEP_MILLIS);
    }
  }
}
