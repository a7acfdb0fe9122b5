package stackweave.live.stacks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Native;
import stackweave.live.support.Stacks;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;

/**
 * The timer engine's signal ends no process in which a library unmaps the signal stacks of its
 * threads, if that library is known for it: by its name.
 */
class SignalStackIT {
  static java.util.stream.Stream<Jdk> jdks() {
    return Jdks.all().reduce((older, newer) -> newer).stream(); // the kernel's doing, not the JVM's
  }

  @ParameterizedTest
  @MethodSource("jdks")
  void aSignalStackThatIsGoneIsNotUsed(Jdk jdk, @TempDir Path directory) throws Exception {
    Path library = directory.resolve("libwasmtime-like.so");
    Files.copy(Native.library("signalstack"), library);
    Ended ended =
        Jvms.withoutLibraries(jdk)
            .under(Native.program("refuse_perf").toString())
            .agent("interval=1ms", "drain=100")
            .recording()
            .run("stackweave.live.stacks.SignalStackApp", library.toString())
            .successfully();
    long samples =
        Stacks.of(ended.recording())
            .of(
                sample ->
                    sample.frames().stream()
                        .anyMatch(frame -> frame.module().equals("libwasmtime-like.so")))
            .count();
    assertTrue(samples > 5, samples + " samples of the thread");
  }
}
