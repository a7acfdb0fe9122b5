package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.RunningCommand;

/**
 * More of the command {@code record}: several at once, one after another, files that can't be
 * written.
 */
@Order(2)
class RecordMoreIT extends RecordedProgram {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void severalAtOnceLeaveARecordingEach(Jvm jvm) throws Exception {
    long pid = start(jvm, RUNS).pid();
    RunningCommand[] records = new RunningCommand[3];
    for (int i = 0; i < records.length; i++) {
      Path file = directory.resolve("rec" + i + ".jfr");
      records[i] = beginRecord(pid, "-o", file, "--settings=none", "--interval=1ms");
      awaitRecordings(pid, i + 1);
    }
    for (int i = 0; i < records.length; i++) {
      awaitSamples(pid);
      interrupt(records[i]);
      assertTrue(stacks("rec" + i + ".jfr").contains("BurnsCpu.main"), "no sample of the program");
    }
    assertFailed(command("status", pid), "no Stackweave agent.*");
    assertNothingIsLeft();
    assertTrue(Files.readString(directory.resolve("target.txt")).lines().count() <= 4, "warnings");
  }

  /** Nor is an agent loaded that is there: JDK 21 and later would warn each time. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void anAgentOfTheJvmStaysAndEachSummaryIsOfItsRecording(Jvm jvm) throws Exception {
    long pid = start(jvm, RUNS, "-javaagent:" + Jars.AGENT).pid();
    long[] taken = new long[2];
    for (int i = 0; i < taken.length; i++) {
      Path file = directory.resolve("rec.jfr");
      Ended result = recordSamples(pid, "-o", file, "--interval", "1ms");
      assertTrue(result.err().contains("interval: 1 ms of CPU time"), result.err());
      taken[i] = taken(result.err());
      assertTrue(taken[i] > 5, result.err());
      awaitDormant(pid);
    }
    long all = taken(command("status", pid).out());
    assertTrue(all >= taken[0] + taken[1], all + " are less than " + Arrays.toString(taken));
    Ended attached = command("attach", pid, "interval=2ms");
    assertFailed(attached, "process \\d+: an agent is there already: its options stay, .*");
    assertEquals("", Files.readString(directory.resolve("target.txt")));
    assertNothingIsLeft();
  }

  @Test
  void anAgentThatWasAttachedStays() throws Exception {
    long pid = start(last(), RUNS).pid();
    assertEquals(0, command("attach", pid).exit());
    String warned = Files.readString(directory.resolve("target.txt"));
    Path file = directory.resolve("rec.jfr");
    assertEquals(0, command("record", pid, "-d", "1s", "-o", file).exit());
    awaitDormant(pid);
    assertEquals(warned, Files.readString(directory.resolve("target.txt")));
  }

  @Test
  void aLoopKeepsItsLastRecordings() throws Exception {
    Process target = start(last(), RUNS);
    RunningCommand loop =
        begin("record", target.pid(), "--loop=1s", "-o", "%p-%n{2}.jfr", "--settings=none");
    awaitOut(loop, out -> out.lines().count() > 2);
    target.destroy();
    Ended result = loop.end();
    assertEquals(0, result.exit(), result.err());
    assertTrue(result.err().contains("the program ended after"), result.err());
    List<String> files = result.out().lines().distinct().sorted().toList();
    assertEquals(List.of(target.pid() + "-0.jfr", target.pid() + "-1.jfr"), files);
    assertTrue(result.out().lines().count() > 2, result.out());
    // In two seconds the program may get no CPU: there need not be a sample, but all can be read.
    for (String file : files) {
      assertFalse(RecordingFile.readAllEvents(directory.resolve(file)).isEmpty(), file);
    }
    assertNothingIsLeft();
  }

  @ParameterizedTest
  @CsvSource({
    "rec.jfr,    -o rec.jfr: each recording would replace the one before: .*",
    "'%n{0}.jfr', -o %n\\{0}.jfr: %n\\{0} keeps no file",
    "-,          --loop writes files: -o must name them",
  })
  void aLoopNeedsNames(String name, String message) throws Exception {
    assertFailed(command("record", 1, "--loop=1h", "-o", name), message);
  }

  @Test
  void topSaysWhatIsWrong() throws Exception {
    assertFailed(command("top", 999_999_999), "there is no process 999999999");
    assertFailed(command("top", 1, "--every=1ms"), "--every must be 1s to 30s.*");
  }

  @Test
  void waitingIsAskedForInTimes() throws Exception {
    for (String option : List.of("--wall=0", "--blocked=0")) {
      assertFailed(command("record", 1, option), ".*'0' is not a time from 1ms to 60s.*");
    }
  }

  @Test
  void standardOutputTakesTheRecordingAlone() throws Exception {
    long pid = start(last(), RUNS).pid();
    RunningCommand record = beginRecord(pid, "-o", "-", "--settings=none", "--interval=1ms");
    awaitSampling(pid);
    awaitSamples(pid);
    Ended result = interrupt(record);
    assertTrue(result.err().contains("samples: "), result.err());
    Files.copy(record.out(), directory.resolve("rec.jfr"));
    assertTrue(isSampled("rec.jfr"), "no sample of the program");
  }

  @Test
  void theNextCommandCanBePasted() throws Exception {
    long pid = start(last(), RUNS).pid();
    Path file = directory.resolve("it's a recording.jfr");
    Path jar = Files.copy(Jars.AGENT, directory.resolve("an agent's.jar"));
    RunningCommand record =
        beginAny(
            java(), "-jar", jar, "record", pid, "-d5m", "--inside", "-o", file, "--settings=none");
    awaitSampling(pid);
    awaitSamples(pid);
    Ended result = interrupt(record);
    Matcher next = Pattern.compile("(?m)^next: (.*)$").matcher(result.err());
    assertTrue(next.find(), result.err());
    Ended pasted = run("sh", "-c", next.group(1));
    assertEquals(0, pasted.exit(), pasted.err());
    assertTrue(Files.exists(directory.resolve("it's a recording.html")));
  }

  @Test
  void whatCantBeWrittenIsSaidBeforeRecording() throws Exception {
    long pid = start(last(), RUNS).pid();
    Path file = Files.createFile(directory.resolve("file"));
    assertUnwritable(pid, "/nowhere/rec.jfr", "no such directory");
    assertUnwritable(pid, file + "/rec.jfr", "not a directory");
    assertUnwritable(pid, directory.toString(), "Is a directory");
    assertUnwritable(pid, "/proc/rec.jfr", "it is in a process's own sight: choose another -o");
    assertFailed(command("status", pid), "no Stackweave agent.*");
  }

  @Test
  void aFullOrReadOnlyDiskIsSaidBeforeRecording() throws Exception {
    assumeTrue(isRoot(), "only root mounts");
    long pid = start(last(), RUNS).pid();
    Path disk = Files.createDirectory(directory.resolve("disk"));
    run("mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk);
    try {
      Ended late = command("record", pid, "-d", "4s", "--inside", "-o", disk.resolve("rec.jfr"));
      assertFailed(late, "can't write .*: no space left for .* bytes; the recording is kept as .*");
      Path kept =
          Path.of(
              late.err()
                  .strip()
                  .replaceFirst("(?s).* is kept as ", "")
                  .replaceFirst(", as process \\d+ sees it, for an hour$", ""));
      assertTrue(Files.size(kept) > 128 << 10);
      Files.write(disk.resolve("fill"), new byte[100 << 10]);
      assertUnwritable(pid, disk + "/rec.jfr", "No space left on device");
      run("mount", "-o", "remount,ro", disk);
      assertUnwritable(pid, disk + "/rec.jfr", "Read-only file system");
      run("mount", "-o", "remount,rw", disk);
      Ended export = run(ForkedJvm.agentCommand("flamegraph", kept, "-o", disk + "/x.html"));
      // What the recording lacks is said in a line before.
      String last = export.err().replaceAll("(?m)^stackweave: .*\\.jfr: .*\n", "");
      assertFailed(export.saying(export.out(), last), "can't write .*: No space left on device");
      try (Stream<Path> files = Files.list(disk)) {
        assertEquals(List.of(disk.resolve("fill")), files.toList());
      }
    } finally {
      run("umount", disk);
    }
  }

  /** JFR says then that it has stopped the recording, and leaves a part of its file. */
  @Test
  void aFullDiskOfTheProgramIsSaid() throws Exception {
    assumeTrue(isRoot(), "only root mounts");
    run("mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", temporary);
    try {
      long pid = start(last(), RUNS, "-XX:FlightRecorderOptions=repository=jfr").pid();
      Path kept = Files.writeString(directory.resolve("rec.jfr"), "an earlier one");
      assertFailed(
          command("record", pid, "-d", "4s", "--inside", "-o", kept),
          "process \\d+ did not write all of its recording: .*; the recording is kept as .*, for an"
              + " hour");
      assertEquals("an earlier one", Files.readString(kept));
    } finally {
      run("umount", "-l", temporary); // the program has files there
    }
  }

  @Test
  void aCutStackSaysTheDepth() throws Exception {
    long pid = start(last(), RUNS, "-javaagent:" + Jars.AGENT + "=depth=3").pid();
    Path file = directory.resolve("rec.jfr");
    recordSamples(pid, "-o", file, "--settings=none", "--interval=1ms");
    assertTrue(stacks("rec.jfr").contains("[stopped: deeper than depth=3"), stacks("rec.jfr"));
  }

  private void assertUnwritable(long pid, String file, String why) throws Exception {
    long start = System.nanoTime();
    Ended result = command("record", pid, "-d", "10m", "-o", file);
    assertFailed(result, "can't write \\Q" + file + "\\E: " + why);
    assertTrue(System.nanoTime() - start < TimeUnit.MINUTES.toNanos(5), "said after recording");
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
