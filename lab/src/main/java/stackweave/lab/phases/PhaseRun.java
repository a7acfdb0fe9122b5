package stackweave.lab.phases;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import stackweave.lab.Sampling;
import stackweave.samples.work.AgentThread;
import stackweave.samples.work.Workers;

/**
 * Runs phases one after the other in a JVM that is being sampled: {@code PhaseRun SECONDS
 * [PHASE,PHASE…]}, by default all that can run on this JVM.
 *
 * <p>Each phase is an event of its name, and a chunk of the recording of its own, so that the
 * sampler's status at the chunk's end is that of the phase.
 */
public final class PhaseRun {

  /** On a busy machine the agent's thread comes late to a chunk's end. */
  private static final int QUIET_MILLIS = 150;

  /** The time of one phase. */
  @Name(PhaseEvent.NAME)
  @Label("Phase")
  @Category("Stackweave samples")
  @StackTrace(false)
  public static final class PhaseEvent extends Event {
    public static final String NAME = "samples.Phase";

    @Label("Phase")
    public String phase;
  }

  private PhaseRun() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    double seconds = Double.parseDouble(args[0]);
    List<String> phases = new ArrayList<>(Phases.here());
    if (args.length > 1) {
      phases.retainAll(List.of(args[1].split(",")));
    }
    System.out.println("ready to be sampled");
    awaitSampling();
    nextChunk();
    for (String phase : phases) {
      PhaseEvent event = new PhaseEvent();
      event.phase = phase;
      event.begin();
      Workers.run(Phases.workers(phase), seconds).forEach(System.out::println);
      Thread.sleep(QUIET_MILLIS);
      nextChunk();
      Thread.sleep(QUIET_MILLIS);
      event.commit();
    }
  }

  /** A snapshot of what was recorded ends the chunk. */
  private static void nextChunk() {
    FlightRecorder.getFlightRecorder().takeSnapshot().close();
  }

  /** Waits until samples are taken by the agent or from outside. */
  public static void awaitSampling() throws IOException, InterruptedException {
    for (int i = 0; i < 6_000 && !AgentThread.isThere() && !isRecordedFromOutside(); i++) {
      Thread.sleep(50);
    }
    if (isRecordedFromOutside()) {
      Thread.sleep(4_000);
    } else {
      Sampling.await();
    }
  }

  private static boolean isRecordedFromOutside() {
    return FlightRecorder.isInitialized()
        && FlightRecorder.getFlightRecorder().getRecordings().stream()
            .anyMatch(recording -> recording.getName().startsWith("stackweave-record-"));
  }
}
