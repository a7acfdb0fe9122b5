package stackweave.agent.boot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.Commands;
import stackweave.testing.Ended;

/** A JVM that is switched off and on. */
abstract class SwitchedJvm {
  /** Where no mount of a test hides it. */
  static final Path JAR = Path.of("/dev/shm/stackweave-switch-test.jar");

  @TempDir Path directory;
  final List<Process> started = new ArrayList<>();

  @AfterEach
  void endTargets() throws Exception {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    Files.deleteIfExists(JAR);
  }

  Path ownDirectory(String name) throws IOException {
    return Files.createDirectory(
        directory.resolve(name),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  Process start(Jvm jvm, String options) throws Exception {
    return started(
        jvm.start(
            directory,
            List.of(
                "-javaagent:" + Jars.AGENT + "=" + options,
                "-XX:StartFlightRecording:name=test,settings=none",
                "-cp",
                Jars.apps().toString(),
                BurnsCpu.class.getName(),
                "900")));
  }

  Process started(ProcessBuilder builder) throws IOException {
    Process process =
        builder
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(process);
    return process;
  }

  static void awaitSamples(long pid) throws Exception {
    RecordedProgram.awaitStatus(pid, status -> LiveJvm.samples(status) > 0);
  }

  static Ended run(Object... command) throws Exception {
    return Commands.run(command);
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
