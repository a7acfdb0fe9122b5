package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
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
    RunningCommand record = beginRecord(target.pid(), "-o", directory.resolve("rec.jfr"));
    awaitSamples(target.pid());
    target.destroy(); // SIGTERM
    assertSaved(record, ENDED);
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void whatAProgramDidUntilItWasKilledIsSaved(Jvm jvm) throws Exception {
    Process target = start(jvm, RUNS);
    RunningCommand record = beginRecord(target.pid(), "-o", directory.resolve("rec.jfr"));
    awaitSamples(target.pid());
    awaitFlushes(temporary);
    target.destroyForcibly();
    assertSaved(record, KILLED);
  }

  /** As cleaners of /tmp do: the attach socket, the recording's directory, JFR's repository. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void theRemovalOfItsFilesIsSaid(Jvm jvm) throws Exception {
    long pid = start(jvm, RUNS).pid();
    RunningCommand record = beginRecord(pid, "-o", directory.resolve("rec.jfr"));
    awaitSampling(pid);
    awaitSamples(pid);
    Files.delete(Path.of("/tmp/.java_pid" + pid));
    run("find", temporary, "-mindepth", "1", "-delete").successfully();
    Ended result = interrupt(record);
    assertTrue(
        result.err().matches("(?s).*process \\d+ did not write its recording.*"), result.err());
    assertFalse(Files.exists(directory.resolve("rec.jfr")));
    Ended check = run(last().home().resolve("bin/jcmd"), pid, "JFR.check");
    assertFalse(check.successfully().out().contains("stackweave-record-"), check.out());
    Ended next = recordSamples(pid, "-o", directory.resolve("next.jfr"));
    assertFalse(next.err().contains("did not write"), next.err());
    assertTrue(isSampled("next.jfr"), "no sample of the program");
  }

  /** JFR would abort it. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void aProgramWhoseFilesMayNotBecomeLongerIsNotRecorded(Jvm jvm) throws Exception {
    Process target = start(jvm, RUNS);
    run("prlimit", "--pid", target.pid(), "--fsize=32768:").successfully();
    assertFailed(
        command("record", target.pid(), "-d", "1s", "--inside"), ".* may grow to 32 KiB .*");
    Ended check = run(jvm.home().resolve("bin/jcmd"), target.pid(), "JFR.check");
    assertFalse(check.successfully().out().contains("stackweave-record-"), check.out());
    assertTrue(target.isAlive());
  }

  @Test
  void detachWhileRecordingIsSaidOnBothSides() throws Exception {
    long pid = start(last(), RUNS).pid();
    RunningCommand record = beginRecord(pid, "-o", directory.resolve("rec.jfr"));
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
