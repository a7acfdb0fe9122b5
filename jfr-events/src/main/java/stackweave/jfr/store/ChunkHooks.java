package stackweave.jfr.store;

import java.time.Instant;
import java.util.function.IntConsumer;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.RecordingState;
import stackweave.jfr.event.ChunkBegin;
import stackweave.jfr.event.ChunkEnd;
import stackweave.jfr.weave.LiveWeave;

/**
 * JFR's hooks before and after a chunk's end. They also let the woven samples of a chunk wait until
 * JFR has finished its file, and have them appended to it. Used by {@link EventStore}.
 */
final class ChunkHooks implements IntConsumer {
  private final ChunkGate gate;
  private final BlockLayout layout;

  /** Called if the JVM's end did not wait for the drain thread. */
  private final Runnable late;

  private final Runnable begin = new Begin();
  private final Runnable end = new End();

  private volatile LiveWeave weave = LiveWeave.NONE;

  /** When the hook was called last. Used by JFR's hooks only. */
  private Instant lastEnd = Instant.MIN;

  ChunkHooks(ChunkGate gate, BlockLayout layout, Runnable late) {
    this.gate = gate;
    this.layout = layout;
    this.late = late;
  }

  void add() {
    FlightRecorder.addPeriodicEvent(ChunkBegin.class, begin);
    FlightRecorder.addPeriodicEvent(ChunkEnd.class, end);
  }

  void remove() {
    FlightRecorder.removePeriodicEvent(begin);
    FlightRecorder.removePeriodicEvent(end);
  }

  /** What weaves the samples that are written. Any thread. */
  LiveWeave weave() {
    return weave;
  }

  /** Whether samples are to be woven. */
  boolean isWeaving() {
    return weave != LiveWeave.NONE;
  }

  void weaveBy(LiveWeave weave) {
    gate.hold();
    try {
      layout.weaveBy(weave);
      this.weave = weave;
    } finally {
      gate.leave();
    }
  }

  void beforeRotation() {
    boolean flushed = gate.chunkEnds(this);
    lastEnd = Instant.now();
    if (!flushed && gate.isLastFlushed()) {
      late.run();
    }
  }

  /** The chunk of this number ends, under the gate's lock. */
  @Override
  public void accept(int chunk) {
    weave.entered(gate.ended());
    layout.chunkEnds(chunk);
    weave.chunkEnds();
  }

  /** JFR has finished a chunk: see {@link EventStore#chunkFinished}. */
  void chunkFinished(String file) {
    weave.finished(file);
  }

  void afterRotation() {
    if (weave.isWaiting() && !isAnyOlderThan(lastEnd)) {
      // Only recordings in memory have ended, and JFR calls no hook when it writes those.
      weave.dropWaiting();
    }
    gate.chunkBegins();
  }

  /** Whether a running recording began before this time. Takes JFR's lock. */
  static boolean isAnyOlderThan(Instant end) {
    for (Recording recording : FlightRecorder.getFlightRecorder().getRecordings()) {
      if (recording.getState() == RecordingState.RUNNING
          && recording.getStartTime().isBefore(end)) {
        return true;
      }
    }
    return false;
  }

  // Classes instead of lambdas: bootstrapping those would cost some milliseconds.

  private final class Begin implements Runnable {
    @Override
    public void run() {
      afterRotation();
    }
  }

  private final class End implements Runnable {
    @Override
    public void run() {
      beforeRotation();
    }
  }
}
