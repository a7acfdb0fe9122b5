package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** More ends of such recordings. */
class RecordOutsideMoreIT extends OutsideRecorded {
  @Test
  void whatWasWrittenBeforeTheDiskWasFullStands() throws Exception {
    Process target = start(last(), RUNS);
    String small = "mount -t tmpfs -o size=12m tmpfs \"$0\" && exec \"$@\"";
    List<String> inNamespace = List.of("unshare", "--mount", "sh", "-c", small, own.toString());
    RunningCommand record =
        begin(inNamespace, "record", target.pid(), "-d5m", "-o", "rec.jfr", "--interval=1ms");
    own = Path.of("/proc/" + record.process().pid() + "/root" + own);
    awaitOwnSamples(record);
    assertThrows(IOException.class, () -> Files.write(own.resolve("x"), new byte[16 << 20]));
    Ended ended = record.end();
    assertEquals(0, ended.exit(), ended.err());
    String first = ended.err().lines().findFirst().orElseThrow();
    assertTrue(first.contains("(No space left on device): make room there"), first);
    assertFalse(first.contains("/proc/"), first);
    assertTrue(isSampled("rec.jfr"));
    assertTrue(target.isAlive());
  }

  /** The command is stopped meanwhile, and samples are taken until it goes on. */
  @Test
  void samplesOfALongerTimeThanAskedForAreSaid() throws Exception {
    Process target = start(last(), RUNS);
    RunningCommand record =
        outside("record", target.pid(), "-d20s", "--settings=none", "-o", "rec.jfr");
    awaitOwnSamples(record);
    run("kill", "-STOP", record.pid()).successfully();
    Thread.sleep(30_000);
    run("kill", "-CONT", record.pid()).successfully();
    Ended ended = record.end();
    assertTrue(
        ended.err().matches("(?s)stackweave: the recording is of .* 20 s were asked for\n.*"),
        ended.err());
    assertTrue(isSampled("rec.jfr"));
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void whatAProgramDidUntilItsEndIsSaved(Jvm jvm) throws Exception {
    Process target = start(jvm, RUNS);
    RunningCommand record = outside("record", target.pid(), "-d5m", "-o", "rec.jfr");
    awaitOwnSamples(record);
    target.destroy();
    assertSaved(record, ENDED);
  }
}
