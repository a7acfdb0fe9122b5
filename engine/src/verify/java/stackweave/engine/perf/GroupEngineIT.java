package stackweave.engine.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.engine.OwnJvm;
import stackweave.engine.perf.filter.OwnCgroup;
import stackweave.testing.Gcc;

/** Where no program may filter, the process's own control group does, as long as it is its own. */
class GroupEngineIT {
  @TempDir private Path directory;
  private Path group;

  @BeforeEach
  void makeGroup() throws IOException {
    Path own =
        OwnCgroup.directory(
            Files.readAllLines(Path.of("/proc/self/cgroup")),
            Files.readAllLines(Path.of("/proc/self/mountinfo")));
    if (own == null) {
      abort("perf events can't be of a control group here");
    }
    group = own.resolve("stackweave-" + ProcessHandle.current().pid());
    try {
      Files.createDirectory(group);
    } catch (IOException e) {
      abort("no control group may be made here: " + e);
    }
  }

  @AfterEach
  void removeGroup() throws IOException {
    if (group != null) {
      Files.deleteIfExists(group);
    }
  }

  @Test
  void onlyItsOwnProcessIsSampledAndItEndsWhenOthersJoin() throws Exception {
    Path secret = Gcc.compile(directory, "secret.c", "secret", "-pthread");
    int threads = 2 * Runtime.getRuntime().availableProcessors();
    Process other = new ProcessBuilder(secret.toString(), "1", "" + threads).start();
    Process sampled =
        new ProcessBuilder(OwnJvm.command(GroupProbe.class, group.toString()))
            .redirectError(directory.resolve("errors").toFile())
            .start();
    try (BufferedReader said = sampled.inputReader(StandardCharsets.UTF_8)) {
      String alone = said.readLine();
      assertNotNull(alone, () -> errors());
      assumeFalse(alone.startsWith("none"), alone);
      assertTrue(alone.matches("alone \\d{3,} 0"), alone);
      Files.writeString(group.resolve("cgroup.procs"), "" + other.pid());
      assertTrue(said.readLine().matches("ended true \\d{2,}"));
      assertTrue(said.readLine().startsWith("refused "), "the next engine's turn");
      assertEquals(List.of(), said.lines().toList());
      assertEquals(0, sampled.waitFor(), () -> errors());
    } finally {
      sampled.destroyForcibly().waitFor();
      other.destroyForcibly().waitFor();
    }
  }

  private String errors() {
    try {
      return Files.readString(directory.resolve("errors"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
