package stackweave.agent.cli.start;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.cli.start.JvmRecordings.Found;

/** Which JVM of a program has the names of files that were given. */
class StartedProgramTest {
  /** The program's own process is 12. */
  @ParameterizedTest
  @CsvSource({
    "11:0 12:9 13:5, 12 13", // java -version of a script
    "11:7 12:1 13:0, 11 12", // a launcher that starts the application
    "11:3 12:3, 12 11",
    "11:0 12:0 13:0, 12",
    "11:0 13:0, 11",
    "13:0, 13",
  })
  void thatWithTheMostSamplesIsFirst(String jvms, String taken) {
    List<Found> all =
        Arrays.stream(jvms.split(" "))
            .map(jvm -> jvm.split(":"))
            .map(jvm -> new Found(Long.parseLong(jvm[0]), Path.of(jvm[1]), false))
            .toList();
    List<String> pids =
        StartedProgram.worthTaking(all, 12, found -> Long.parseLong(found.file().toString()))
            .stream()
            .map(found -> "" + found.pid())
            .toList();
    assertEquals(taken, String.join(" ", pids));
  }
}
