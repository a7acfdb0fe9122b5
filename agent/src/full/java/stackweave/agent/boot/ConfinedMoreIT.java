package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.agent.apps.Guarded;
import stackweave.agent.apps.Hello;
import stackweave.agent.apps.Works;
import stackweave.testing.Ended;

/** More JVMs that are let do little. */
class ConfinedMoreIT extends ConfinedJvm {
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
}
