package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.EmptyAgent;
import stackweave.agent.apps.Tenant;
import stackweave.jfr.read.SampledRecording;
import stackweave.testing.Ended;
import stackweave.testing.Promise;

/**
 * An application that brings a JNA and a Byte Buddy older than the JDK, and runs with two more
 * agents: JaCoCo's, which changes every class, and one of its own that puts advice of the old Byte
 * Buddy on {@code Thread.start}. With ours before or behind them, while it samples, all work as
 * they did with an agent that does nothing in its place.
 */
class BesideOthersIT {
  private static final int SAMPLES = 10;

  /** CPU time of the application's busy thread, in which it has many more. */
  private static final Duration WORK = Duration.ofSeconds(1);

  @TempDir private static Path directory;
  private static Path emptyAgent;
  private static Path tenantAgent;

  /** What one run leaves. */
  private record Run(Ended result, List<String> printed, Set<String> covered, Path recording) {}

  @BeforeAll
  static void makeJars() throws IOException {
    emptyAgent = Jars.agent(directory, EmptyAgent.class);
    tenantAgent = tenantAgent();
  }

  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void allDoTheirWork(Jvm jvm) throws Exception {
    Run without = run(jvm, "without", false, emptyAgent, Jars.JACOCO, tenantAgent);
    assertTrue(without.printed.contains("tenant.starts=5"), without.printed.toString());
    assertTrue(without.printed.contains("tenant.rounds=1"), without.printed.toString());
    assertEquals(List.of("true", "5.2.2", "false"), without.printed.subList(0, 3));
    assertTrue(without.covered.contains("stackweave/agent/apps/Tenant"));

    // First or last of three; not both on each JDK, for the time that it takes.
    boolean first = jvm.feature() < 21;
    Run with =
        first
            ? run(jvm, "first", true, Jars.AGENT, Jars.JACOCO, tenantAgent)
            : run(jvm, "last", true, Jars.JACOCO, tenantAgent, Jars.AGENT);
    assertEquals(minus(without.printed, with.printed), minus(with.printed, without.printed));
    assertEquals(comparable(without.result.err()), comparable(with.result.err()));
    assertEquals(without.result.exit(), with.result.exit());
    assertEquals(without.covered, with.covered);
    assertStacksAreWhole(with.recording);
  }

  private static List<String> minus(List<String> lines, List<String> others) {
    return lines.stream().filter(line -> !others.contains(line)).toList();
  }

  private static Run run(Jvm jvm, String name, boolean isSampled, Path... agents) throws Exception {
    Path covered = directory.resolve(name + jvm.feature() + ".exec");
    Path recording = directory.resolve(name + jvm.feature() + ".jfr");
    List<String> arguments = new ArrayList<>();
    for (Path agent : agents) {
      String options = agent.equals(Jars.JACOCO) ? "=destfile=" + covered : "";
      arguments.add("-javaagent:" + agent + options);
    }
    arguments.addAll(
        List.of(
            "-Dnet.bytebuddy.experimental=true",
            "-Xlog:jfr+startup=off",
            "-XX:StartFlightRecording:filename="
                + recording
                // With timers the agent changes Thread.start, too.
                + ",+stackweave.NativeSample#interval=4ms,+stackweave.NativeSample#engine=timer",
            "-cp",
            Jars.apps() + ":" + Jars.OLD_JNA + ":" + Jars.OLD_BYTE_BUDDY,
            Tenant.class.getName()));
    List<String> printed = new ArrayList<>();
    try (LiveJvm live = LiveJvm.start(jvm, directory, arguments, printed)) {
      if (isSampled) {
        live.awaitSamplesOf("busy", WORK);
      }
      printed.addAll(live.tell("look", "looked"));
      Ended result = live.end();
      return new Run(
          result,
          printed.stream()
              .filter(BesideOthersIT::isCompared)
              .map(BesideOthersIT::comparable)
              .toList(),
          classes(covered),
          recording);
    }
  }

  /** One difference is meant: our package on the class path. And the old agent goes on counting. */
  private static boolean isCompared(String line) {
    return !line.equals("package stackweave.agent.boot") && !line.startsWith("property tenant.");
  }

  /** Without what differs between any two runs: names of files that JFR, JNA and we chose. */
  private static String comparable(String line) {
    return line.replaceAll("(without|first|last)(\\d+\\.)", "NAME$2")
        .replaceAll("(property jdk.jfr.repository=).*", "$1")
        .replaceAll("(property jnidispatch.path=).*", "$1");
  }

  private static void assertStacksAreWhole(Path recording) throws Exception {
    SampledRecording profile = SampledRecording.open(recording);
    long[] rounds = new long[2];
    profile.forEachStack(
        (thread, end, frames, count, weight) -> {
          if (frames.stream().anyMatch(frame -> frame.text().endsWith("Tenant.round"))) {
            rounds[0] += count;
            rounds[1] += end.isComplete() ? count : 0;
          }
        });
    assertTrue(rounds[0] >= SAMPLES, "samples of the application: " + rounds[0]);
    Promise.atLeast("whole stacks of the application", 0.9995, rounds[1], rounds[0]);
  }

  /**
   * The names of this project's classes, in JaCoCo's format: two bytes of length, then characters.
   */
  private static Set<String> classes(Path covered) throws IOException {
    String all = Files.readString(covered, StandardCharsets.ISO_8859_1);
    Matcher names = Pattern.compile("(stackweave|com/sun/jna|net/bytebuddy)/").matcher(all);
    Set<String> found = new TreeSet<>();
    while (names.find()) {
      int start = names.start();
      int length = all.charAt(start - 2) << 8 | all.charAt(start - 1);
      found.add(all.substring(start, start + length));
    }
    // The one thing of ours on the class path.
    found.removeIf(name -> name.startsWith("stackweave/agent/boot/"));
    found.removeIf(name -> name.startsWith("stackweave/agent/apps/EmptyAgent"));
    assertFalse(found.isEmpty(), "nothing is covered");
    return found;
  }

  /** An agent written against the old Byte Buddy, and compiled with it. */
  private static Path tenantAgent() throws IOException {
    Path source = Files.createDirectories(directory.resolve("src")).resolve("TenantAgent.java");
    Files.writeString(
        source,
        """
        import static net.bytebuddy.matcher.ElementMatchers.*;
        import net.bytebuddy.agent.builder.AgentBuilder;
        import net.bytebuddy.asm.Advice;

        public class TenantAgent {
          public static void premain(
              String options, java.lang.instrument.Instrumentation instrumentation) {
            new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION)
                .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
                .ignore(none())
                .type(named("java.lang.Thread"))
                .transform((b, t, l, m) ->
                    b.visit(Advice.to(Start.class).on(named("start").and(takesArguments(0)))))
                .type(named("stackweave.agent.apps.Tenant"))
                .transform((b, t, l, m) -> b.visit(Advice.to(Round.class).on(named("round"))))
                .installOn(instrumentation);
          }

          public static class Start {
            @Advice.OnMethodEnter
            static void enter(@Advice.This Thread thread) {
              if (thread.getName().startsWith("tenant-")) {
                System.setProperty("tenant.starts", "" + (Integer.getInteger("tenant.starts", 0) + 1));
              }
            }
          }

          public static class Round {
            @Advice.OnMethodEnter
            static void enter() {
              System.setProperty("tenant.rounds", "" + (Integer.getInteger("tenant.rounds", 0) + 1));
            }
          }
        }
        """);
    Path classes = Files.createDirectories(directory.resolve("classes"));
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--release=9",
                "-nowarn",
                "-XDstringConcat=inline",
                "-cp",
                Jars.OLD_BYTE_BUDDY.toString(),
                "-d",
                classes.toString(),
                source.toString());
    assertEquals(0, failed);
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.putValue("Premain-Class", "TenantAgent");
    main.putValue("Can-Retransform-Classes", "true");
    Path jar = directory.resolve("tenant.jar");
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
        Stream<Path> files = Files.list(classes)) {
      for (Path file : files.toList()) {
        out.putNextEntry(new JarEntry(file.getFileName().toString()));
        Files.copy(file, out);
      }
    }
    return jar;
  }
}
