package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** More of what ends while {@code record} runs. */
@Order(1)
class RecordEndsMoreIT extends RecordedProgram {
  /** One that came for a recording stays when its user says so meanwhile. */
  @Test
  void attachWhileRecordingMakesTheAgentStay() throws Exception {
    long pid = start(last(), RUNS).pid();
    RunningCommand record = beginRecord(pid, "-o", directory.resolve("rec.jfr"));
    awaitSamples(pid);
    Ended options = command("attach", pid, "depth=5");
    assertFailed(options, ".*leaves with it: depth=5 was not applied.*");
    assertEquals(0, command("attach", pid).exit());
    record.process().destroy(); // SIGTERM, by which it ends as by Ctrl-C
    Ended result = record.end();
    assertFalse(result.err().contains("has no jdk.ExecutionSample"), result.err());
    String merged = command("merge", "rec.jfr", "-o", "merged.jfr").successfully().out();
    assertTrue(merged.contains("woven before"), merged);
    awaitDormant(pid);
  }

  /** With its process, its root goes, and all that is mounted there. */
  @ParameterizedTest
  @CsvSource({"TERM", "KILL"})
  void aContainerOfAnotherUserThatEndsLosesNothing(String signal) throws Exception {
    assumeTrue(isRoot(), "only root makes namespaces");
    Path apps = Files.createDirectory(directory.resolve("apps"));
    copyClass(BurnsCpu.class, apps);
    Jvm jvm = Container.publicJvms().findFirst().orElseThrow();
    Process unshare =
        Container.start(jvm, apps, BurnsCpu.class, RUNS, directory.resolve("target.txt"));
    started.add(unshare);
    assertEquals("running", unshare.inputReader().readLine());
    ProcessHandle target = javaBelow(unshare);
    RunningCommand record = beginRecord(target.pid(), "-o", directory.resolve("rec.jfr"));
    awaitSamples(target.pid());
    awaitFlushes(Path.of("/proc/" + target.pid() + "/root/tmp"));
    assertEquals(0, new ProcessBuilder("kill", "-" + signal, "" + target.pid()).start().waitFor());
    assertSaved(record, signal.equals("TERM") ? ENDED : KILLED);
  }

  /** Its recording ends by itself, a minute late; another command's goes on and has the agent. */
  @Test
  void aCommandThatIsKilledLeavesTheAgentForNoLongerThanItsTime() throws Exception {
    long pid = start(last(), RUNS).pid();
    // Long enough for a look at its status, on a busy machine.
    RunningCommand killed =
        begin("record", pid, "-d", "8s", "--inside", "-o", directory.resolve("killed.jfr"));
    awaitSampling(pid);
    killed.process().destroyForcibly().waitFor();
    Path file = directory.resolve("rec.jfr");
    RunningCommand other = beginRecord(pid, "-o", file, "--settings=none", "--interval=1ms");
    awaitRecordings(pid, 2);
    awaitSamples(pid);
    interrupt(other);
    assertTrue(isSampled("rec.jfr"), "no sample of the program");
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (!status(pid).isEmpty() && System.nanoTime() < end) {
      Thread.sleep(500);
    }
    assertFailed(command("status", pid), "no Stackweave agent.*");
  }

  private static ProcessHandle javaBelow(Process unshare) {
    return unshare
        .descendants()
        .filter(child -> child.info().command().orElse("").endsWith("/java"))
        .findFirst()
        .orElseThrow();
  }

  private static void copyClass(Class<?> type, Path directory) throws IOException {
    String name = type.getName().replace('.', '/') + ".class";
    Files.createDirectories(directory.resolve(name).getParent());
    Files.copy(Jars.apps().resolve(name), directory.resolve(name));
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.toList()) {
        path.toFile().setReadable(true, false);
        path.toFile().setExecutable(Files.isDirectory(path), false);
      }
    }
  }
}
