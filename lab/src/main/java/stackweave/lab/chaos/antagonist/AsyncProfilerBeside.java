package stackweave.lab.chaos.antagonist;

import java.io.IOException;
import java.util.List;
import jdk.jfr.Recording;
import one.profiler.AsyncProfiler;
import stackweave.lab.chaos.work.OwnRecordings;
import stackweave.lab.chaos.work.Tally;
import stackweave.lab.chaos.work.Time;

/**
 * async-profiler in the same JVM, started before Stackweave and after it, stopped before it and
 * after it.
 */
final class AsyncProfilerBeside implements Antagonist {
  private static final int WARM_MILLIS = 300;
  private static final int TOGETHER_MILLIS = 1_200;
  private static final int ALONE_MILLIS = 200;

  private final String event;

  /**
   * @param event of async-profiler: cpu or itimer
   */
  AsyncProfilerBeside(String event) {
    this.event = event;
  }

  @Override
  public String targets() {
    return "another owner of signals%s, before and after us"
        .formatted(event.equals("cpu") ? " and of perf events" : " (SIGPROF)");
  }

  @Override
  public List<String> counts() {
    return List.of("starts of async-profiler " + event, "samples of async-profiler");
  }

  @Override
  public boolean records() {
    return true;
  }

  @Override
  public void run(Time time, Tally tally) throws IOException, InterruptedException {
    AsyncProfiler profiler = AsyncProfiler.getInstance();
    Recording first =
        OwnRecordings.startAndWait(time, time.interval()); // the first start takes longest
    Thread.sleep(TOGETHER_MILLIS);
    OwnRecordings.discard(first);
    for (int turn = 0; turn == 0 || !time.isOver(); turn++) {
      boolean itFirst = (turn & 1) == 0;
      boolean itLast = (turn & 2) == 0;
      Recording recording = null;
      if (itFirst) {
        start(profiler, time);
      } else {
        recording = OwnRecordings.startAndWait(time, time.interval());
      }
      Thread.sleep(WARM_MILLIS);
      if (itFirst) {
        recording = OwnRecordings.startAndWait(time, time.interval());
      } else {
        start(profiler, time);
      }
      Thread.sleep(TOGETHER_MILLIS);
      if (itLast) {
        OwnRecordings.keep(recording, time, turn);
        Thread.sleep(ALONE_MILLIS);
      }
      tally.add(1, stop(profiler));
      tally.one(0);
      if (!itLast) {
        Thread.sleep(ALONE_MILLIS);
        OwnRecordings.keep(recording, time, turn);
      }
    }
  }

  private void start(AsyncProfiler profiler, Time time) throws IOException {
    profiler.execute("start,event=%s,interval=%s".formatted(event, time.interval()));
  }

  /**
   * How many samples it has taken since {@link #start}: it must get as many as without Stackweave.
   */
  private long stop(AsyncProfiler profiler) throws IOException {
    long samples = profiler.getSamples();
    profiler.execute("stop");
    if (samples == 0) {
      throw new IllegalStateException("async-profiler " + event + " took no sample beside us");
    }
    return samples;
  }
}
