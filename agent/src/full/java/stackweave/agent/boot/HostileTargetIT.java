package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.testing.Ended;

/**
 * Root's commands on processes whose user wants something of root's: in a user namespace, where he
 * may mount. Whatever he does, he gets nothing that was not his, and root is told in one line.
 */
class HostileTargetIT extends HostileProcess {
  @ParameterizedTest
  @CsvSource({
    "at-start-mount, belongs to another user",
    "relative-link, did not write its recording",
  })
  void whatIsNoRecordingOfItsUserIsNotFetched(String attack, String why) throws Exception {
    assertNotFetched(attack, why);
  }

  /** What is taken out of it when the process is killed is its user's, too. */
  @ParameterizedTest
  @CsvSource({
    "repository-link, can't be read",
  })
  void nothingOfOthersIsTakenFromARepository(String attack, String why) throws Exception {
    assertNotTaken(attack, why);
  }

  @Test
  void aRecordingIsItsCallersAlone() throws Exception {
    long pid = start("none", temporary).pid();
    Path output = results.resolve("rec.jfr");
    Ended result = command("record", pid, "--inside", "-d", "1s", "-o", output);
    assertEquals(0, result.exit(), result.err());
    assertEquals(80, Files.size(output));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(output)));
    assertEquals(0, Files.getAttribute(output, "unix:uid"));
    assertFalse(result.err().contains("\u001b"), "an escape sequence reaches the terminal");
  }

  @Test
  void whatItSaysReachesATerminalAsText() throws Exception {
    Ended result = command("status", start("escape", temporary).pid());
    assertEquals(0, result.exit(), result.err());
    assertEquals("state: on duty ?]0;gotcha?\n", result.out());
  }
}
