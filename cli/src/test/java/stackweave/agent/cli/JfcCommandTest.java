package stackweave.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import jdk.jfr.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What JFR reads of the settings that the command jfc writes. */
class JfcCommandTest {
  @TempDir private Path directory;

  @Test
  void theShippedSettingsAreAConfiguration() throws Exception {
    Path file = directory.resolve("stackweave.jfc");
    assertEquals(0, Main.run(null, "jfc", "-o", file.toString()));
    Configuration configuration = Configuration.create(file);
    assertEquals("true", configuration.getSettings().get("stackweave.NativeSample#enabled"));
    assertEquals("false", configuration.getSettings().get("jdk.ExecutionSample#enabled"));
    assertNull(configuration.getSettings().get("stackweave.WallSample#enabled"));
    assertEquals(0, Main.run(null, "jfc", "-o", file.toString(), "--wall=50ms"));
    configuration = Configuration.create(file);
    assertEquals("true", configuration.getSettings().get("stackweave.WallSample#enabled"));
    assertEquals("50ms", configuration.getSettings().get("stackweave.WallSample#interval"));
    assertEquals("true", configuration.getSettings().get("stackweave.NativeSample#enabled"));
    assertNull(configuration.getSettings().get("stackweave.Blocked#enabled"));
    assertEquals(0, Main.run(null, "jfc", "-o", file.toString(), "--blocked=8ms"));
    configuration = Configuration.create(file);
    assertEquals("true", configuration.getSettings().get("stackweave.Blocked#enabled"));
    assertEquals("8ms", configuration.getSettings().get("stackweave.Blocked#threshold"));
    assertNull(configuration.getSettings().get("stackweave.WallSample#enabled"));
    String function = "--event=libfoo.so:foo_open";
    assertEquals(0, Main.run(null, "jfc", "-o", file.toString(), function));
    configuration = Configuration.create(file);
    assertEquals(
        "libfoo.so:foo_open", configuration.getSettings().get("stackweave.NativeSample#event"));
    assertNull(configuration.getSettings().get("stackweave.NativeSample#interval"));
    assertEquals("auto", configuration.getSettings().get("stackweave.NativeSample#engine"));
  }
}
