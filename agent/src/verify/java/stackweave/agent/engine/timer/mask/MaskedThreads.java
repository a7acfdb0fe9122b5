package stackweave.agent.engine.timer.mask;

import com.sun.jna.NativeLibrary;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.engine.EngineJvm;
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
