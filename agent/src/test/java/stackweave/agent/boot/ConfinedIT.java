package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.agent.apps.Guarded;
import stackweave.agent.apps.Hello;
import stackweave.agent.apps.Works;
import stackweave.jfr.read.RecordingException;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Ended;

/**
 * JVMs that are let do little: few modules, no directory for code, a security manager. The agent
 * samples all the same, or says in one line why not and what helps.
 */
class ConfinedIT {

  private static final int SAMPLES = 10;

  /**
   * CPU time in which there are as many, and twenty-five times as many at 4 ms, the kernel's tick:
   * some machines deliver a tenth of their ticks.
   */
  private static final Duration WORK = Duration.ofSeconds(1);

  @TempDir private Path directory;

  /** Those that have a security manager. */
  static Stream<Jvm> guardingJvms() {
    return Jvm.all().filter(jvm -> jvm.feature() < 24);
  }

  /** A module, started as one, in a JVM that has no others than it needs. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aModuleAmongFewModules(Jvm jvm) throws Exception {
    Path module = directory.resolve("app");
    Path source = directory.resolve("module-info.java");
    Files.writeString(source, "module app {}");
    for (Class<?> type : List.of(Works.class, BurnsCpu.class)) {
      String name = type.getName().replace('.', '/') + ".class";
      Files.createDirectories(module.resolve(name).getParent());
      Files.copy(Jars.apps().resolve(name), module.resolve(name));
    }
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "--release=17", "-d", module.toString(), source.toString());
    assertEquals(0, failed);
    Ended result =
        sampled(
            jvm,
            List.of(),
            "--limit-modules=java.base,jdk.jfr",
            recording(),
            "-p",
            module.toString(),
            "-m",
            "app/" + Works.class.getName());
    assertEquals("", result.err());
    assertHasSamples();
  }

  /** Everywhere is noexec but in one directory, which only XDG_RUNTIME_DIR names. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onOldest")
  void oneDirectoryForCode(Jvm jvm) throws Exception {
    Ended result =
        sampled(
            jvm,
            without(
                "mkdir exec; mount --bind exec exec; mount -o remount,bind,exec exec;"
                    + " export XDG_RUNTIME_DIR=$PWD/exec;"),
            works("-Djava.io.tmpdir=/sys"));
    assertEquals("", result.err());
    assertHasSamples();
    try (Stream<Path> left = Files.list(directory.resolve("exec"))) {
      assertEquals(List.of(), left.toList());
    }
  }

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

  /** Set by the application, when the agent is there, and trusting nobody but the JDK. */
  @ParameterizedTest
  @MethodSource("guardingJvms")
  void aSecurityManagerOfTheApplication(Jvm jvm) throws Exception {
    sampled(
        jvm,
        List.of(),
        "-Djava.security.manager=allow",
        "-cp",
        Jars.apps().toString(),
        Guarded.class.getName(),
        "rec.jfr",
        "itself");
    assertHasSamples();
  }

  @ParameterizedTest
  @MethodSource("guardingJvms")
  void aPolicyThatDoesNotTrustTheAgent(Jvm jvm) throws Exception {
    Ended result =
        jvm.run(
            directory,
            List.of(
                "-Djava.security.manager",
                "-javaagent:" + Jars.AGENT,
                "-cp",
                Jars.apps().toString(),
                Hello.class.getName()));
    assertEquals("hello\n", result.out());
    assertEquals(0, result.exit());
    List<String> lines =
        result.err().lines().filter(line -> !line.startsWith("WARNING: ")).toList();
    assertEquals(2, lines.size(), result.err());
    assertTrue(lines.get(0).matches("stackweave: could not start .*AllPermission.*"), lines.get(0));
  }

  /** Runs it until there are samples, and to its end. */
  private Ended sampled(Jvm jvm, List<String> under, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of("-Xlog:jfr+startup=off", "-Xlog:jfr+system=off", "-javaagent:" + Jars.AGENT));
    arguments.addAll(Arrays.asList(more));
    List<String> printed = new ArrayList<>();
    try (LiveJvm live = LiveJvm.start(jvm, directory, under, arguments, printed)) {
      live.awaitSamplesOf("busy", WORK);
      assertTrue(printed.isEmpty() || printed.equals(List.of("denied")), printed.toString());
      Ended result = live.end();
      assertEquals(0, result.exit(), result.err());
      assertEquals("done\n", result.out());
      return result;
    }
  }

  private static String recording() {
    return "-XX:StartFlightRecording:filename=rec.jfr,+stackweave.NativeSample#interval=2ms";
  }

  private String[] works(String... more) {
    List<String> arguments = new ArrayList<>(Arrays.asList(more));
    arguments.addAll(
        List.of(
            "-Xlog:jfr+startup=off",
            "-XX:FlightRecorderOptions:repository=" + directory.resolve("repository"),
            recording(),
            "-Duser.home=/nonexistent",
            "-cp",
            Jars.apps().toString(),
            Works.class.getName()));
    return arguments.toArray(new String[0]);
  }

  /** A shell in a mount namespace of its own that makes every usual directory noexec. */
  private static List<String> without(String more) throws IOException {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "mounting is root's");
    return List.of(
        "unshare",
        "--mount",
        "sh",
        "-ec",
        "for d in /tmp /var/tmp /dev/shm /run; do"
            + " mount --bind $d $d; mount -o remount,bind,noexec $d; done; cd \"$PWD\"; "
            + more
            + " exec \"$@\"",
        "sh");
  }

  private void assertHasSamples() throws Exception {
    long[] ofApplication = new long[1];
    SampledRecording.open(directory.resolve("rec.jfr"))
        .forEachStack(
            (thread, end, frames, count, weight) -> {
              if (end.isComplete()
                  && frames.stream().anyMatch(frame -> frame.text().endsWith("BurnsCpu.burn"))) {
                ofApplication[0] += count;
              }
            });
    assertTrue(ofApplication[0] >= SAMPLES, "whole stacks: " + ofApplication[0]);
  }
}
