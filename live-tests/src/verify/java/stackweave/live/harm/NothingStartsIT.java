package stackweave.live.harm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;

/** A metrics library's stream of the JDK's events is no wish for stacks. */
class NothingStartsIT {

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void aStreamOfCpuLoadStartsNothing(Jdk jdk) {
    Footprint footprint = Footprint.on(jdk);
    assertEquals(List.of(), footprint.of("stream", "thread"));
    List<String> fds = footprint.of("stream", "fd");
    fds.removeIf(fd -> fd.equals(Footprint.comparable("fd " + ForkedJvm.AGENT)));
    assertEquals(List.of(), fds);
    // The same look finds a thread as soon as a recording asks for samples.
    assertFalse(footprint.of("recording", "thread").isEmpty());
  }
}
