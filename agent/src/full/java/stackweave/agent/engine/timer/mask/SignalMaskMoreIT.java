package stackweave.agent.engine.timer.mask;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.SystemCalls;

/** The masks of a thread that waits in turns. */
class SignalMaskMoreIT extends MaskedThreads {
  /** One that waits in turns with work: its mask is open within the wait, and nowhere else. */
  @Test
  void aThreadThatWaitsInTurnsIsNeverTakenForOneThatTakesSignals() throws Exception {
    call("start_turner", 0);
    int[] answers = new int[SignalMasks.Answer.values().length];
    try (SignalMasks looks =
        new SignalMasks(
            SystemCalls.current().orElseThrow().architecture(), 63, MemoryAccess.AUTO)) {
      PassedOver passedOver = new PassedOver(looks);
      int tid = call("masked_tid");
      passedOver.add(0, tid, SignalMasks.Answer.UNSURE, false, false);
      long end = System.nanoTime() + 120_000 * MILLISECOND;
      for (int i = 0; i < 20_000 || isFew(answers) && System.nanoTime() < end; i++) {
        answers[passedOver.lookAnew(tid, false).ordinal()]++;
        assertFalse(passedOver.look(0, tid, false), "it would get a timer");
      }
      // As the engine looks at a new thread: until it is known, every few milliseconds.
      for (int i = 0; i < 500; i++) {
        passedOver.add(1, tid, passedOver.lookAnew(tid, false), true, false);
        for (int k = 0; k < 10 && passedOver.isInDoubt(1, tid); k++) {
          LockSupport.parkNanos(MILLISECOND);
          assertFalse(passedOver.look(1, tid, false), "it would get a timer");
        }
      }
    } finally {
      call("end_turner", 0);
    }
    assertEquals(0, answers[SignalMasks.Answer.TAKES.ordinal()], Arrays.toString(answers));
    assertTrue(answers[SignalMasks.Answer.WAITS.ordinal()] > 100, Arrays.toString(answers));
    assertTrue(answers[SignalMasks.Answer.BLOCKS.ordinal()] > 100, Arrays.toString(answers));
  }

  /** As long as the thread has not had its turns on a CPU. */
  private static boolean isFew(int[] answers) {
    return answers[SignalMasks.Answer.WAITS.ordinal()] <= 100
        || answers[SignalMasks.Answer.BLOCKS.ordinal()] <= 100;
  }
}
