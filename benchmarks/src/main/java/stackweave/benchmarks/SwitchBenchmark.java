package stackweave.benchmarks;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import stackweave.engine.EngineRefusedException;
import stackweave.engine.perf.PerfBudget;
import stackweave.engine.perf.SwitchEvents;
import stackweave.engine.perf.SwitchSink;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.CpuTime;
import stackweave.linux.GuardedCall;

/**
 * What recording switches costs: two threads wake each other in turn, so that each turn is a switch
 * of both, out and in, without and with records. When it ends it prints the CPU time that reading a
 * record took.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SwitchBenchmark {
  private static final long DRAIN_NANOS = 5_000_000;

  /** Nothing, switches, or also who wakes whom, which needs root and tracefs. */
  @Param({"nothing", "switches", "wake-ups"})
  public String recorded;

  private volatile boolean ending;
  private volatile boolean isRecording;
  private volatile int turn;
  private Thread own;
  private Thread partner;
  private Thread drain;
  private volatile long switches;
  private volatile long drainNanos;

  /** Starts the partner, and the thread that reads the records. */
  @Setup
  public void start() throws InterruptedException {
    own = Thread.currentThread();
    partner = new Thread(this::answer);
    partner.setDaemon(true);
    partner.start();
    drain = new Thread(this::drain);
    drain.setDaemon(true);
    if (!recorded.equals("nothing")) {
      drain.start();
      while (!isRecording) {
        Thread.sleep(1);
      }
    }
  }

  private void answer() {
    while (!ending) {
      if (turn % 2 == 0) {
        LockSupport.park(this);
      } else {
        turn++;
        LockSupport.unpark(own);
      }
    }
  }

  private void drain() {
    try (CpuTime cpu = new CpuTime();
        SwitchEvents events =
            SwitchEvents.start(
                SampledProcess.OWN,
                new PerfBudget(PerfBudget.DEFAULT_BYTES),
                CallPolicy.ofThread(Set.of(GuardedCall.PERF_EVENT_OPEN)),
                recorded.equals("wake-ups"))) {
      if (recorded.equals("wake-ups") && !events.hasWakeUps()) {
        throw new IllegalStateException(events.whyNoWakeUps());
      }
      isRecording = true;
      Nothing sink = new Nothing();
      while (!ending) {
        LockSupport.parkNanos(this, DRAIN_NANOS);
        long before = cpu.ofThread();
        events.drain(sink);
        drainNanos += cpu.ofThread() - before;
        switches = events.switches() + events.wakeUpRecords();
      }
    } catch (EngineRefusedException e) {
      throw new IllegalStateException(e.refusal().line(), e);
    }
  }

  /** One turn: the partner is woken, and wakes this thread. */
  @Benchmark
  public int turn() {
    int mine = ++turn;
    LockSupport.unpark(partner);
    while (turn == mine) {
      LockSupport.park(this);
    }
    return mine;
  }

  /** Ends the threads. */
  @TearDown
  public void end() throws InterruptedException {
    ending = true;
    LockSupport.unpark(partner);
    partner.join();
    if (!recorded.equals("nothing")) {
      drain.join();
      System.out.println(
          switches + " records, " + drainNanos / Math.max(1, switches) + " ns to read each");
    }
  }

  private static final class Nothing implements SwitchSink {
    @Override
    public void switchedOut(int tid, long timeNanos, boolean isPreempted) {
      // Counted by the events.
    }

    @Override
    public void switchedIn(int tid, long timeNanos) {
      // Counted by the events.
    }

    @Override
    public void woken(int tid, long timeNanos, int wakerPid, int wakerTid, boolean isInterrupt) {
      // Counted by the events.
    }

    @Override
    public void started(int tid) {
      // Of no interest.
    }

    @Override
    public void ended(int tid) {
      // Of no interest.
    }

    @Override
    public void lost() {
      // Of no interest.
    }
  }
}
