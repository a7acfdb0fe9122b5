package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import stackweave.agent.apps.Hello;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;

/**
 * Each command as a program of its own, with outputs, locales and runtimes that are not as usual.
 */
@Order(6)
class CommandLineMoreIT extends CommandLineRuns {
  /**
   * One line on stderr, exit code 2, nothing on stdout; what the line says. Many more are in {@code
   * FailuresTest}.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "paint rec.jfr                     | unknown command 'paint'; there are .*--help.*",
        "collapsed missing.jfr             | missing.jfr: no such file",
        "otlp a.jfr --endpoint https://a --headers /dev/zero | /dev/zero is too large .*",
        "flamegraph text.jfr -o ./text.jfr | ./text.jfr is the recording itself.*",
        "collapsed cut.jfr                 | cut.jfr: .*cut short.*",
      })
  void failsInOneLine(String arguments, String message) throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    Files.writeString(directory.resolve("text.jfr"), "no recording\n");
    if (arguments.contains("cut.jfr")) {
      provideWithoutSamples(jvm);
      byte[] whole = Files.readAllBytes(directory.resolve("without.jfr"));
      Files.write(directory.resolve("cut.jfr"), Arrays.copyOf(whole, whole.length / 2));
    }
    Ended result = commandLine(jvm, arguments.split(" "));
    assertFailed(message, result);
    assertEquals("no recording\n", Files.readString(directory.resolve("text.jfr")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "flamegraph | /nonexistent/x.html | can't write /nonexistent/x.html: no such directory",
        "collapsed  | .                   | can't write .: Is a directory",
        "collapsed  | /dev/full           | can't write /dev/full: No space left on device",
        "merge      | /dev/full           | can't write /dev/full: No space left on device",
        "flamegraph | /dev/full           | can't write /dev/full: No space left on device",
      })
  void unwritableOutputIsOneLine(String command, String output, String message) throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    recordWithAgent(jvm);
    Ended result = commandLine(jvm, command, "rec.jfr", "-o", output);
    // What the recording lacks is said in lines before.
    String last = result.err().replaceAll("(?m)^stackweave: rec\\.jfr: .*\n", "");
    assertFailed(Pattern.quote(message), result.saying(result.out(), last));
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void aNameThatTheLocaleHasNoCharactersForIsSaid(Jvm jvm) throws Exception {
    List<String> arguments = List.of("-jar", Jars.AGENT.toString(), "collapsed", "$0");
    ProcessBuilder builder = jvm.start(directory, arguments);
    // A shell, for this JVM may be in that locale itself.
    String command =
        String.join(" ", builder.command()).replace("$0", "\"$(printf 'gr\\303\\266')\"");
    builder.command("sh", "-c", command).environment().put("LC_ALL", "C");
    Process process = builder.start();
    String said = new String(process.getErrorStream().readAllBytes(), "US-ASCII");
    assertEquals(2, process.waitFor());
    assertTrue(
        said.matches("stackweave: 'gr\\?\\?' has characters .* with LC_ALL=C.UTF-8\n"), said);
  }

  /** Made with jlink, of java.base alone: enough to read a recording, not to send it. */
  @Test
  void whatARuntimeLacksIsNamed() throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    assumeTrue(Files.exists(jvm.home().resolve("jmods/java.base.jmod")), "no modules to link");
    recordWithAgent(jvm);
    Path runtime = directory.resolve("runtime");
    String jlink = jvm.home().resolve("bin/jlink").toString();
    Commands.output(jlink, "--add-modules", "java.base", "--output", runtime);
    Jvm small = new Jvm(new Jdk(runtime, jvm.feature(), jvm.jdk().version()));
    assertEquals(0, commandLine(small, "--version").exit());
    assertTrue(
        commandLine(small, "collapsed", "rec.jfr").successfully().out().contains("BurnsCpu.burn"));
    assertFailed(
        "this Java runtime lacks jdk.jfr.*JDK of version 17 or newer",
        commandLine(small, "otlp", "rec.jfr", "--endpoint", "http://localhost:1"));
  }

  @ParameterizedTest
  @CsvSource({"collapsed, rec.jfr", "flamegraph, rec.jfr", "jfc,"})
  void aDashIsStandardOutput(String command, String recording) throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    recordWithAgent(jvm);
    List<String> arguments = new ArrayList<>(List.of(command));
    if (recording != null) {
      arguments.add(recording);
    }
    arguments.addAll(List.of("-o", "x"));
    commandLine(jvm, arguments.toArray(new String[0]));
    arguments.set(arguments.size() - 1, "-");
    Ended result = commandLine(jvm, arguments.toArray(new String[0]));
    assertEquals(0, result.exit(), result.err());
    assertEquals(Files.readString(directory.resolve("x")), result.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"collapsed", "firefox"})
  void endsWithItsReader(String export) throws Exception {
    Jvm jvm = Jvm.all().findFirst().orElseThrow();
    recordWithAgent(jvm);
    assertEquals("", endsWithItsReader(jvm, export));
  }

  /** A recording of a program that ends at once, without an agent. */
  private void provideWithoutSamples(Jvm jvm) throws Exception {
    Path made = directory.resolve(jvm.feature() + "-without.jfr");
    if (!Files.exists(made)) {
      jvm.run(
              directory,
              List.of(
                  "-XX:StartFlightRecording:filename=" + made,
                  "-cp",
                  Jars.apps().toString(),
                  Hello.class.getName()))
          .successfully();
    }
    Files.copy(made, directory.resolve("without.jfr"), StandardCopyOption.REPLACE_EXISTING);
  }
}
