package stackweave.agent.engine.timer.mask;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.NativeLibrary;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.engine.Burner;
import stackweave.agent.engine.EngineConfig;
import stackweave.agent.engine.EngineJvm;
import stackweave.jfr.control.EngineKind;
import stackweave.testing.Gcc;
import stackweave.testing.Jdk;

/** Threads that can't take our signal. */
abstract class MaskedThreads {
  static final long MILLISECOND = 1_000_000;

  @TempDir static Path directory;
  static Path program;
  static NativeLibrary masks;

  @BeforeAll
  static void compile() throws Exception {
    program = Gcc.compile(directory, "masks.c", "masks", "-pthread");
    Path library = Gcc.compile(directory, "masks.c", "masks.so", "-shared", "-fPIC", "-pthread");
    masks = NativeLibrary.getInstance(library.toString());
  }

  static List<Jdk> jdks() {
    return EngineJvm.jdks();
  }

  static int call(String function, Object... arguments) {
    return masks.getFunction(function).invokeInt(arguments);
  }

  static EngineConfig config() {
    return new EngineConfig(MILLISECOND, EngineConfig.MAX_STACK_BYTES, EngineKind.TIMER);
  }

  /**
   * Others are sampled beside: on a busy machine it takes a while until it is known that they may.
   */
  static void burnUntil(CountDownLatch sampled) throws InterruptedException {
    long end = System.nanoTime() + 300_000 * MILLISECOND;
    while (sampled.getCount() > 0) {
      Burner.start("beside", 50 * MILLISECOND).join();
      assertTrue(System.nanoTime() < end, "nothing is sampled");
    }
  }

  /** As long as the thread has not had its turns on a CPU. */
  static boolean isFew(int[] answers) {
    return answers[SignalMasks.Answer.WAITS.ordinal()] <= 100
        || answers[SignalMasks.Answer.BLOCKS.ordinal()] <= 100;
  }

  /** Calls that have a mask of their own as long as they last, in the order of masks.c. */
  enum MaskedCall {
    SIGSUSPEND,
    PPOLL,
    PSELECT,
    EPOLL_PWAIT,
    EPOLL_PWAIT2,
    IO_PGETEVENTS,
    IO_URING_ENTER
  }
}
