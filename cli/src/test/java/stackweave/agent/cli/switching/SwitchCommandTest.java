package stackweave.agent.cli.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which processes are asked, as their directories in /proc say. */
class SwitchCommandTest {
  private static final long UID = 3_000_000_000L;

  @TempDir private Path process;

  /** The kernel cuts names at 15 bytes. */
  @Test
  void namesThatAreCutWithinACharacterHideNoAgent() throws Exception {
    Files.writeString(process.resolve("status"), "Name:\tjava\nUid:\t0\t" + UID + "\t0\t0\n");
    thread(1, "java\n".getBytes(StandardCharsets.UTF_8));
    thread(2, new byte[] {'a', (byte) 0xd0, '\n'});
    assertEquals(false, SwitchCommand.isSampling(process, (int) UID));
    thread(3, "stackweave-drai\n".getBytes(StandardCharsets.UTF_8));
    assertEquals(true, SwitchCommand.isSampling(process, (int) UID));
    assertEquals(false, SwitchCommand.isSampling(process, 1));
  }

  private void thread(int tid, byte[] comm) throws Exception {
    Path task = Files.createDirectories(process.resolve("task/" + tid));
    Files.write(task.resolve("comm"), comm);
  }

  /** Which switch file the options of a JVM name. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-javaagent:/opt/sw.jar=switch=/run/off             | /run/off",
        "-javaagent:/my job/sw.jar=interval=1ms,switch=/o f | /o f",
        "-javaagent:/sw.jar=switch=/run/off,depth=64        | /run/off",
        "-javaagent:/switch=/off/sw.jar=depth=64            | ",
        "-Dx=-javaagent:/sw.jar=switch=/run/off             | ",
        "-Dx=y -javaagent:/sw.jar=switch=/run/off           | ",
      })
  void isOfAnAgentsOptionAlone(String option, String file) {
    assertEquals(file, SwitchCommand.inOptions(List.of("java", option, "Main")));
  }
}
