package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Guarded;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Ended;

/**
 * JVMs that are let do little: few modules, no directory for code, a security manager. The agent
 * samples all the same, or says in one line why not and what helps.
 */
class ConfinedIT extends ConfinedJvm {
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void noDirectoryForCode(Jvm jvm) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("-javaagent:" + Jars.AGENT));
    arguments.addAll(Arrays.asList(works()));
    try (LiveJvm live =
        LiveJvm.start(
            jvm, directory, without("unset XDG_RUNTIME_DIR;"), arguments, new ArrayList<>())) {
      live.awaitStatus("reason", status -> status.contains("note: not sampling: no directory"));
      Ended result = live.end();
      assertEquals(0, result.exit());
      assertEquals("done\n", result.out());
      assertEquals(1, result.err().lines().count(), result.err());
      assertTrue(
          result
              .err()
              .matches(
                  "stackweave: no samples: no directory takes JNA's native library: .*mounted"
                      + " noexec.*; set XDG_RUNTIME_DIR to one .*\n"),
          result.err());
    }
    RecordingException none = null;
    try {
      SampledRecording.open(directory.resolve("rec.jfr"));
    } catch (RecordingException e) {
      none = e;
    }
    assertTrue(none != null && none.getMessage().contains("mounted noexec"), "" + none);
  }

  /** The policy trusts the agent's jar; the application may do next to nothing. */
  @ParameterizedTest
  @MethodSource("guardingJvms")
  void aSecurityManagerFromTheStart(Jvm jvm) throws Exception {
    Path policy = directory.resolve("policy");
    Files.writeString(
        policy,
        """
        grant codeBase "file:%s" { permission java.security.AllPermission; };
        grant codeBase "file:%s/" {
          permission jdk.jfr.FlightRecorderPermission "accessFlightRecorder";
          permission java.io.FilePermission "rec.jfr", "read,write";
          permission java.util.PropertyPermission "user.dir", "read";
        };
        """
            .formatted(Jars.AGENT, Jars.apps()));
    sampled(
        jvm,
        List.of(),
        "-Djava.security.manager",
        "-Djava.security.policy==" + policy,
        "-cp",
        Jars.apps().toString(),
        Guarded.class.getName(),
        "rec.jfr");
    assertHasSamples();
  }
}
