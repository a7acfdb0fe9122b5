package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Census;
import stackweave.agent.apps.Hello;
import stackweave.agent.apps.UsesOwnJna;
import stackweave.testing.Ended;

/**
 * An application under the agent against the same application under an agent that does nothing:
 * what it prints, what it sees, what it may do. In every run a probe makes our JNA work before
 * main(), the worst moment.
 */
class IsolationIT extends BesideEmptyAgent {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#ends")
  void printsNothingIntoARecordedApplication(Jvm jvm) throws Exception {
    assertSameAsEmpty(jvm, List.of("-XX:StartFlightRecording:filename=r.jfr"), Hello.class);
  }

  @ParameterizedTest
  @MethodSource("restrictingJvms")
  void printsNothingIntoARecordedApplicationWhereNativeAccessIsDenied(Jvm jvm) throws Exception {
    assertSameAsEmpty(jvm, List.of(DENY, "-XX:StartFlightRecording:filename=r.jfr"), Hello.class);
  }

  /** Class path, properties, threads, open files: nothing of ours but the jar. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void leavesNothingToBeSeen(Jvm jvm) throws Exception {
    Ended result = assertSameAsEmpty(jvm, List.of(), Census.class);
    assertTrue(result.out().contains("thread "), result.out());
    assertTrue(result.out().contains("class com.sun.jna.Native: false"), result.out());
    assertEquals(1, result.out().lines().filter(line -> line.endsWith("/AGENT")).count());
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void unpackedLibraryIsGoneOnceLoaded(Jvm jvm) throws Exception {
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    run(jvm, Jars.AGENT, List.of("-Djava.io.tmpdir=" + temporary), List.of(), Hello.class);
    List<String> maps = findings(jvm).stream().filter(line -> line.startsWith("map ")).toList();
    assertFalse(maps.isEmpty());
    for (String line : maps) {
      assertTrue(line.contains(temporary + "/stackweave-"), line);
      assertTrue(line.endsWith("(deleted)"), line);
    }
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(List.of(), left.filter(path -> !path.endsWith(".java_pid")).toList());
    }
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void applicationsJnaOnTheClassPathWorksBesideOurs(Jvm jvm) throws Exception {
    Ended result =
        assertSameAsEmpty(
            jvm, List.of(), List.of(Jars.apps() + ":" + Jars.OLD_JNA), UsesOwnJna.class);
    assertEquals("true\n5.2.2\nfalse\n", result.out(), result.err());
  }
}
