package stackweave.live.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.live.support.Jdks;
import stackweave.live.support.Jvms;
import stackweave.live.support.Stacks;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/** {@code weave=on} with a recording in memory, and in a JFR that is not known. */
@Order(2)
class WeaveMoreIT {
  /** Of a recording in memory, on a busy machine. */
  private static final int DUMPS = 30;

  /** Each JDK reads what each other has written. */
  @ParameterizedTest
  @MethodSource("stackweave.live.support.Jdks#all")
  void everyFileHasAllSamplesForEveryReader(Jdk jdk) throws Exception {
    WeaveIT.check(jdk, "3", Jdks.all().toList());
  }

  /** A recording in memory that is dumped by jcmd. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void aDumpOfMemoryIsWoven(Jdk jdk) throws Exception {
    ForkedJvm jvm =
        Jvms.withoutLibraries(jdk)
            .agent("weave=on")
            .options(
                "-XX:StartFlightRecording:disk=false,name=memory,"
                    + String.join(",", WeaveIT.SETTINGS),
                "-Xlog:jfr+startup=off");
    Path file = jvm.directory().resolve("memory.jfr");
    RunningCommand running = jvm.start(WeavingApp.class.getName(), "600", ".", "idle");
    try {
      while (!Files.readString(running.out()).contains("sampled")) {
        assertTrue(running.process().isAlive(), Files.readString(running.err()));
        Thread.sleep(100);
      }
      long woven = 0;
      for (int i = 0; i < DUMPS && woven < 30; i++) {
        Thread.sleep(2_000);
        Files.deleteIfExists(file);
        Commands.output(
            jdk.home().resolve("bin/jcmd"),
            Long.toString(running.pid()),
            "JFR.dump",
            "name=memory",
            "filename=" + file);
        woven =
            WovenText.expected(file).size() - WeaveIT.missing(List.of(file), Jdks.all().toList());
      }
      assertTrue(woven >= 30, "only " + woven + " samples");
    } finally {
      running.kill();
    }
  }

  /** The hook finds no such method: JFR's files are as JFR writes them, and it is said. */
  @ParameterizedTest
  @MethodSource("ownJdks")
  void aJfrThatIsNotKnownIsLeftAlone(Jdk jdk) throws Exception {
    ForkedJvm jvm = Jvms.withoutLibraries(jdk);
    Path patch = RenamedJfr.patch(jdk, "finish", jvm.directory().resolve("jfr"));
    Ended ended =
        jvm.agent("weave=on")
            .recording(WeaveIT.SETTINGS)
            .options("--patch-module", "jdk.jfr=" + patch, "-Xshare:off")
            .run(WeavingApp.class.getName(), "2", ".")
            .successfully();
    assertEquals(1, ended.errLines().size(), ended.err());
    String line = ended.errLines().get(0);
    assertTrue(line.startsWith("stackweave: samples are not woven into what this JVM "), line);
    List<Path> files = WeaveIT.recordings(jvm.directory());
    assertTrue(files.size() > 1, files.toString());
    for (Path file : files) {
      Commands.output(jdk.home().resolve("bin/jfr"), "summary", file);
    }
    Stacks stacks = Stacks.of(ended.recording());
    assertTrue(stacks.samples().size() > 5, () -> "samples: " + stacks.status());
    long woven = 0;
    for (RecordedEvent event : RecordingFile.readAllEvents(ended.recording())) {
      woven += event.getEventType().getName().equals("jdk.ExecutionSample") ? 1 : 0;
    }
    assertEquals(0, woven);
    assertTrue(WeaveIT.unwoven(ended.recording()) > 5, "not counted");
  }

  /** Whose classes can be read from here. */
  static Stream<Jdk> ownJdks() {
    return Jdks.all().filter(jdk -> Files.isRegularFile(jdk.home().resolve("lib/jrt-fs.jar")));
  }
}
