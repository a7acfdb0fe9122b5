package stackweave.jfr.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.jfr.Programs;
import stackweave.testing.Jdk;

/**
 * What the control says while real recordings come and go. At the same time, since the processes
 * mostly wait for what must not happen.
 */
@Execution(ExecutionMode.CONCURRENT)
@Order(3)
class SamplingControlIT {
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void severalRecordings(Jdk jdk) throws Exception {
    assertEquals(
        """
        nothing:\s
        threads before: []
        stream:\s
        library:\s
        named: 10 ms/auto/4096 for 1
        dump:\s
        faster: 2 ms/auto/4096 for 1
        second: 500 us/auto/4096 for 2
        deeper: 2 ms/auto/6000 for 2
        second off: 2 ms/auto/4096 for 1
        second stops:\s
        mine off: none
        mine on: 10 ms/auto/4096 for 1
        mine closes: none
        library asks: 10 ms/auto/4096 for 1
        library closes: none
        stream asks: 10 ms/auto/4096 for 1
        stream closes: none
        """,
        answers(jdk, "any", "several"));
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onOldest")
  void eachKindOfRecording(Jdk jdk) throws Exception {
    assertEquals(
        """
        waits: first, 10 ms/auto/4096/waiting 5 ms for 1
        waits writes: {NativeSample#enabled=true, WallSample#enabled=true, WallSample#interval=5 ms}
        waits less: 10 ms/auto/4096/waiting 50 ms for 1
        waits no more: 10 ms/auto/4096 for 1
        waits closes: none
        command: 10 ms/auto/4096 for 1
        command stops: none
        memory: 10 ms/auto/4096/memory for 1
        memory closes: none
        destination: 10 ms/auto/4096 for 1
        destination closes: none
        watched again: first, 10 ms/auto/4096 for 1
        again closes: none
        threads after: []
        """,
        answers(jdk, "any", "kind"));
  }

  private static String answers(Jdk jdk, String watched, String part) throws Exception {
    Programs.Outcome outcome =
        Programs.java(jdk, List.of(), ControlProbe.class, List.of(watched, part));
    assertEquals(0, outcome.exit(), outcome.output());
    return outcome.output();
  }

  /** Only where the event is named: not for a name, a file or a command. */
  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void severalExplicitOnly(Jdk jdk) throws Exception {
    assertEquals(
        List.of(
            "faster", "second", "deeper", "second off", "mine on", "library asks", "stream asks"),
        asking(jdk, "several"));
  }

  static List<String> asking(Jdk jdk, String part) throws Exception {
    return answers(jdk, "explicit", part)
        .lines()
        .filter(line -> line.contains(" for "))
        .map(line -> line.substring(0, line.indexOf(':')))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("stackweave.testing.Jdk#onNewest")
  void commandLineOptions(Jdk jdk, @TempDir Path directory) throws Exception {
    Path agent = directory.resolve("agent.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Premain-Class", ControlProbe.class.getName());
    new JarOutputStream(Files.newOutputStream(agent), manifest).close();

    Programs.Outcome dormant = start(jdk, agent, List.of(), "no answer");
    assertTrue(dormant.output().contains("at the end: \n"), dormant.output());
    long cpu = dormant.number("premainCpuMicros");
    // The budget is 20 ms on an idle machine; one that is slow, or busy, decides nothing.
    System.out.println(jdk + ": premain takes " + cpu + " us of CPU");

    // A bare option has neither name nor file: that it was given must be seen.
    Programs.Outcome bare = start(jdk, agent, List.of("-XX:StartFlightRecording"), "answer");
    assertTrue(bare.output().contains("10 ms/auto/4096 for 1\n"), bare.output());

    Programs.Outcome interval =
        start(
            jdk,
            agent,
            List.of(
                "-XX:StartFlightRecording:filename="
                    + directory.resolve("r.jfr")
                    + ",+stackweave.NativeSample#interval=1ms"),
            "answer");
    assertTrue(
        interval.output().contains("at the end: first, 1 ms/auto/4096 for 1"), interval.output());
  }

  private static Programs.Outcome start(Jdk jdk, Path agent, List<String> options, String awaited)
      throws Exception {
    List<String> all = new ArrayList<>(options);
    all.add("-javaagent:" + agent);
    Programs.Outcome outcome = Programs.java(jdk, all, Sleeper.class, List.of(awaited));
    assertEquals(0, outcome.exit(), outcome.output());
    return outcome;
  }

  /** An application: runs until the control has said something, if that is awaited. */
  public static final class Sleeper {
    private Sleeper() {}

    public static void main(String[] args) throws InterruptedException {
      if (args[0].equals("answer")) {
        for (int i = 0; i < 600 && !ControlProbe.hasAnswered(); i++) {
          Thread.sleep(100);
        }
      } else {
        Thread.sleep(1_500);
      }
    }
  }
}
