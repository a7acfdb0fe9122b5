package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/**
 * What ends while {@code record} runs: the program, with its container or alone, and the command.
 */
@Order(1)
class RecordEndsIT extends RecordedProgram {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void whatAProgramDidUntilItsEndIsSaved(Jvm jvm) throws Exception {
    Process target = start(jvm, RUNS);
    RunningCommand record =
        begin("record", target.pid(), "-d", "5m", "-o", directory.resolve("rec.jfr"));
    awaitSamples(target.pid());
    target.destroy(); // SIGTERM
    assertSaved(record, ENDED);
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void whatAProgramDidUntilItWasKilledIsSaved(Jvm jvm) throws Exception {
    Process target = start(jvm, RUNS);
    RunningCommand record =
        begin("record", target.pid(), "-d", "5m", "-o", directory.resolve("rec.jfr"));
    awaitSamples(target.pid());
    awaitFlushes(temporary);
    target.destroyForcibly();
    assertSaved(record, KILLED);
  }

  @Test
  void detachWhileRecordingIsSaidOnBothSides() throws Exception {
    long pid = start(last(), RUNS).pid();
    RunningCommand record = begin("record", pid, "-d", "5m", "-o", directory.resolve("rec.jfr"));
    awaitSamples(pid);
    Ended detached = command("detach", pid);
    assertEquals(
        "detached from "
            + pid
            + "; 1 recording of the command record ended with it, and what was recorded is kept\n",
        detached.out());
    assertSaved(
        record, "the recording was ended from outside .* after [\\d.]+ s of 5 min; saved .*");
  }
}
