package stackweave.engine.timer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import stackweave.engine.Burner;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineSink;
import stackweave.engine.EngineState;
import stackweave.engine.OwnJvm;
import stackweave.engine.SignalTargets;
import stackweave.testing.Commands;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Samples may wait while threads neither start nor end: others' names and ends must not be late.
 */
class SamplesWaitIT {
  private static final EngineConfig CONFIG = EngineConfig.every(10_000_000);

  /** A minute: this JVM starts and ends threads of its own now and then. */
  private static final int LOOKS = 12_000;

  /** A thread that is started meanwhile is found long before this. */
  private static final long SOON_NANOS = 1_000_000_000;

  private static final int WAIT_MILLIS = 1_000;

  private static final EngineSink SINK =
      new EngineSink() {
        @Override
        public void sample(StackSnapshot snapshot) {
          // It is taken, which is enough.
        }
      };

  @Test
  void samplesWaitAsLongAsThreadsNeitherStartNorEnd() throws Exception {
    // A JVM of its own: others' threads come and go.
    List<String> command = OwnJvm.command(SamplesWaitIT.class);
    command.add(1, "-XX:-UseDynamicNumberOfCompilerThreads");
    String said = Commands.output(command);
    assertEquals("at once, later, at once, woken", said.strip());
  }

  /** Says when samples are to be taken: when it has started, when it is quiet, after a start. */
  public static void main(String[] arguments) throws Exception {
    Burner burner = Burner.start("long", Long.MAX_VALUE);
    StringBuilder said = new StringBuilder();
    try (TimerEngine engine = TimerEngine.start(CONFIG, SignalTargets.NONE)) {
      said.append(how(engine));
      for (int i = 0; i < LOOKS && !mayWait(engine); i++) {
        engine.await(5);
        engine.drain(Long.MAX_VALUE, SINK);
      }
      said.append(", ").append(how(engine));
      Burner next = Burner.start("next", Long.MAX_VALUE);
      long end = System.nanoTime() + SOON_NANOS;
      while (mayWait(engine) && System.nanoTime() < end) {
        engine.await(5, true);
      }
      said.append(", ").append(how(engine));
      next.endAfter(0);
      next.join();
      engine.wake();
      said.append(engine.await(WAIT_MILLIS, true) ? ", woken" : ", asleep");
    }
    burner.endAfter(0);
    burner.join();
    System.out.println(said);
  }

  private static String how(TimerEngine engine) {
    return mayWait(engine) ? "later" : "at once";
  }

  private static boolean mayWait(TimerEngine engine) {
    return engine.state() == EngineState.SAMPLES_MAY_WAIT;
  }
}
