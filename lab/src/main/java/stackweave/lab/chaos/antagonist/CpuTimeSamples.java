package stackweave.lab.chaos.antagonist;

import java.util.List;
import java.util.SplittableRandom;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/**
 * The JDK's own CPU-time sampler, which uses SIGPROF, in the same recording, switched on and off.
 */
final class CpuTimeSamples implements Antagonist {
  private static final String EVENT = "jdk.CPUTimeSample";

  @Override
  public String targets() {
    return "another owner of CPU timers and of SIGPROF, in the recording that we write to";
  }

  @Override
  public List<String> counts() {
    return List.of("switched on");
  }

  @Override
  public boolean isFor(int feature) {
    return feature >= 25;
  }

  @Override
  public List<String> settings() {
    return List.of("+" + EVENT + "#enabled=true", "+" + EVENT + "#throttle=1ms");
  }

  @Override
  public List<String> countedEvents() {
    return List.of(EVENT);
  }

  @Override
  public void run(Time time, Tally tally) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(3);
    Recording recording = FlightRecorder.getFlightRecorder().getRecordings().get(0);
    while (!time.isOver()) {
      Thread.sleep(random.nextInt(20, 1_500));
      recording.disable(EVENT);
      Thread.sleep(random.nextInt(400));
      recording.enable(EVENT).with("throttle", random.nextInt(1, 10) + "ms");
      tally.one(0);
    }
  }
}
