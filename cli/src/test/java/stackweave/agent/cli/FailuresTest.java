package stackweave.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong arguments and files: one line on stderr, exit code 2, and nothing is changed. */
class FailuresTest {
  @TempDir private static Path directory;

  /** What a command ended with. */
  private record Outcome(int exit, String out, String err) {}

  @BeforeAll
  static void provideFiles() throws IOException {
    Files.createFile(directory.resolve("empty.jfr"));
    Files.writeString(directory.resolve("text.jfr"), "no recording\n");
    Path without = directory.resolve("without.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      recording.stop();
      recording.dump(without);
    }
    byte[] whole = Files.readAllBytes(without);
    Files.write(directory.resolve("cut.jfr"), Arrays.copyOf(whole, whole.length / 2));
    Files.write(directory.resolve("header.jfr"), Arrays.copyOf(whole, 50));
  }

  /** Files are in a directory, which is left out on both sides. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "paint rec.jfr                     | unknown command 'paint'; there are .*--help.*",
        "help paint                        | unknown command 'paint'; there are .*--help.*",
        "sframe paint                      | unknown command 'paint'; there are .*verify.*",
        "collapsed                         | .*'REC'.*collapsed --help.*",
        "collapsed a.jfr b.jfr             | .*'b.jfr'.*",
        "flamegraph a.jfr --wide           | .*'--wide'.*flamegraph --help.*",
        "flamegraph a.jfr -o               | .*'--output'.*flamegraph --help.*",
        "libraries                         | .*'REC'.*libraries --help.*",
        "libraries a.jfr -n 0              | -n must be 1 or more, not 0 .*libraries --help.*",
        "collapsed a.jfr --symbols missing | --symbols missing is no directory",
        "top                               | .*'REC'.*top --help.*",
        "top a.jfr -n 0                    | -n must be 1 or more, not 0 .*top --help.*",
        "top a.jfr -n many                 | .*'many'.*top --help.*",
        "top a.jfr --by name               | .*one of .SELF, TOTAL. .case-insensitive. but was 'name'.*top --help.*",
        "top missing.jfr                   | missing.jfr: no such file",
        "top text.jfr                      | text.jfr: not a JFR recording.*",
        "top /dev/null                     | /dev/null: is a pipe or device.* to a file first.*",
        "collapsed /dev/zero               | /dev/zero: is a pipe or device.* to a file first.*",
        "top without.jfr                   | without.jfr: holds no samples.*",
        "top without.jfr --alloc           | without.jfr: holds no allocations; JFR records them .*settings=profile.*",
        "top without.jfr --lock            | without.jfr: holds no waits for locks; .*#threshold=1ms.*",
        "top without.jfr --event jdk.None  | without.jfr: holds no events jdk.None with stack traces",
        "top a.jfr --alloc --lock          | samples are of one event, not of allocations and lock-waits .*",
        "top a.jfr --alloc --wall          | --wall is of time, and not of the event allocations .*",
        "top a.jfr --cpu --lock            | --cpu is of CPU time, and not of the event lock-waits .*",
        "top a.jfr --cpu --wall            | --cpu is of CPU time, and not of waiting threads .*",
        "top a.jfr --cpu -s socket         | --cpu is of CPU time, and not of waiting threads .*",
        "top 4711 --alloc                  | JFR's own events are read from recordings.*",
        "report                            | .*'REC'.*report --help.*",
        "report missing.jfr                | missing.jfr: no such file",
        "report text.jfr --html            | text.jfr: not a JFR recording.*",
        "report a.jfr b.jfr                | two recordings are compared with --diff .*",
        "report --diff a.jfr               | --diff needs two recordings .*",
        "report a.jfr --fail-if a_+5pp     | .*'a_\\+5pp' is no limit such as .*",
        "report text.jfr -o ./text.jfr     | ./text.jfr is the recording itself.*",
        "flamegraph --diff a.jfr           | --diff needs two recordings, not 1 .*",
        "flamegraph a.jfr missing.jfr      | a.jfr: no such file",
        "merge                             | .*'REC'.*merge --help.*",
        "merge missing.jfr                 | missing.jfr: no such file",
        "merge text.jfr                    | text.jfr: not a JFR recording.*",
        "merge text.jfr -o ./text.jfr      | ./text.jfr is one of the recordings itself.*",
        "merge a.jfr --state=running       | .*one of .RUNNABLE, DEFAULT. .case-insensitive. but was 'running'.*",
        "merge --only without.jfr          | without.jfr: holds no samples.*",
        "collapsed missing.jfr             | missing.jfr: no such file",
        "flamegraph missing.jfr            | missing.jfr: no such file",
        "collapsed a.jfr --from soon       | .*'soon' is no time: .*collapsed --help.*",
        "collapsed a.jfr -I (              | .*'\\(' is no regular expression: .*",
        "pprof                             | .*'REC'.*pprof --help.*",
        "pprof missing.jfr                 | missing.jfr: no such file",
        "speedscope text.jfr               | text.jfr: not a JFR recording.*",
        "firefox text.jfr -o text.jfr      | text.jfr is the recording itself.*",
        "otlp a.jfr --plain                | --plain needs --endpoint .*otlp --help.*",
        "otlp a.jfr --headers h            | --headers needs --endpoint .*",
        "otlp a.jfr --endpoint collector   | the endpoint must begin with https://.*",
        "otlp a.jfr --endpoint http://a    | http:// to a could be read .*--plain",
        "otlp a.jfr --endpoint https://a --headers missing | missing: no such file",
        "otlp a.jfr --endpoint https://a --headers /dev/zero | /dev/zero is too large .*",
        "otlp a.jfr --endpoint https://a --headers text.jfr | line 1 of the headers' file .*",
        "collapsed empty.jfr               | empty.jfr: .*",
        "collapsed text.jfr                | text.jfr: not a JFR recording.*",
        "flamegraph text.jfr               | text.jfr: not a JFR recording.*",
        "flamegraph text.jfr -o ./text.jfr | ./text.jfr is the recording itself.*",
        "collapsed without.jfr             | without.jfr: holds no samples.*",
        "collapsed cut.jfr                 | cut.jfr: .*cut short.*",
        "collapsed header.jfr              | header.jfr: .*",
        "jfc --wall=1us                    | .*'1us' is not a time from 1ms to 60s.*",
        "jfc --blocked=1us                 | .*'1us' is not a time from 1ms to 60s.*",
        "record --all -o /no/such/%p.jfr   | can.t write /no/such/%p.jfr: no such directory",
        "record                            | Missing required parameter: 'PID' .*record --help.*",
        "record 1 2                        | '2' is one too many: a PID alone, or -- .*",
        "record 1 -- java                  | 'java' is one too many: .*",
        "record --all 1                    | --all takes no PID .*",
        "record 1 -o flame.htm             | -o flame.htm: its ending says .*[.]html .*record --help.*",
        "record 1 -o - -o flame.html       | -o - takes a recording alone: .*",
        "record 1 --loop 1m -o f-%t.html   | --all and --loop leave recordings, .*: -o f-%t.html must end in .jfr .*",
        "record --all -o f-%p.html         | --all and --loop leave recordings, .*",
        "record 1 -o /no/such/flame.html   | can.t write /no/such/flame.html: no such directory",
        "record -o /no/such/a.html -- java | can.t write /no/such/a.html: no such directory",
        "record --inside -- java           | a command behind -- is recorded once, .*",
        "record --loop 1m -- java          | a command behind -- is recorded once, .*",
        "record -o - -- java               | -o -: standard output is the program's; .*",
        "record no-such-jvm                | no JVM .* 'no-such-jvm' in the name .*",
        "record no-such-jvm --            | no JVM .* 'no-such-jvm' in the name .*",
        "status no-such-jvm                | no JVM .* 'no-such-jvm' in the name .*",
        "off --pid no-such-jvm             | no JVM .* 'no-such-jvm' in the name .*",
        "top no-such-jvm                   | there is no file no-such-jvm, and no JVM .*",
        "off --user 4294967295             | there is no user 4294967295: numbers end at 4294967294",
        "off --user 4294967296             | there is no user 4294967296: numbers end at 4294967294",
      })
  void isOneLine(String arguments, String message) throws IOException {
    String[] words =
        arguments == null
            ? new String[0]
            : arguments
                .replaceAll("(?<= )((?:\\./)?\\w+\\.jfr|missing)", directory + "/$1")
                .split(" ");
    Outcome ended = run(words);
    String err = ended.err.replace(directory + "/", "");
    assertEquals("", ended.out);
    assertEquals(1, err.lines().count(), err);
    assertTrue(err.matches("stackweave: (" + message + ")\n"), err);
    assertEquals(2, ended.exit);
    assertEquals("no recording\n", Files.readString(directory.resolve("text.jfr")));
  }

  /** As of a variable of the shell that is not set: it would fit any JVM. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "attach _                         | the PID is empty: .*",
        "detach _                         | the PID is empty: .*",
        "status _                         | the PID is empty: .*",
        "record _                         | the PID is empty: .*",
        "record _ -o flame.html           | the PID is empty: .*",
        "relay _ --endpoint https://a     | the PID is empty: .*",
        "off --pid _                      | the PID is empty: .*",
        "on --pid _                       | the PID is empty: .*",
        "top _                            | there is no file.*, and the PID is empty: .*",
        "record --all --match _           | --match or --cgroup is empty: .*",
        "record --all --cgroup _          | --match or --cgroup is empty: .*",
      })
  void anEmptyWordIsRefused(String arguments, String message) {
    for (String empty : List.of("", " ", "\t")) {
      String[] words =
          Arrays.stream(arguments.split(" "))
              .map(w -> w.equals("_") ? empty : w)
              .toArray(String[]::new);
      Outcome ended = run(words);
      assertEquals(1, ended.err().lines().count(), ended.err());
      assertTrue(ended.err().matches("stackweave: (" + message + ")\n"), ended.err());
      assertEquals(2, ended.exit());
    }
  }

  @Test
  void aDirectoryIsNoRecording() {
    Outcome ended = run("collapsed", directory.toString());
    assertTrue(ended.err.matches("stackweave: .*directory.*\n"), ended.err);
    assertEquals(2, ended.exit);
  }

  /** The file that a shell has for {@code <(zcat rec.jfr.gz)} is one, too; none is waited for. */
  @Test
  void aPipeIsToBeWrittenToAFile() throws Exception {
    Path pipe = directory.resolve("pipe");
    assertEquals(0, new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor());
    Outcome ended = run("top", pipe.toString());
    assertTrue(ended.err.matches("stackweave: .*/pipe: is a pipe or device.*\n"), ended.err);
    assertEquals(2, ended.exit);
  }

  /** What is listed goes to the process's own standard output: a live test reads it. */
  @Test
  void withoutACommandNothingIsMissing() {
    Outcome list = run();
    assertEquals(0, list.exit(), list.err());
    assertEquals("", list.err());
  }

  /** Also picocli says what it can't format. */
  @Test
  void helpOfEachCommandIsHelp() {
    Pattern name = Pattern.compile("(?m)^ {2}([a-z]+) ");
    List<List<String>> commands = new ArrayList<>();
    name.matcher(run("--help").out())
        .results()
        .forEach(found -> commands.add(List.of(found.group(1))));
    name.matcher(run("sframe", "--help").out())
        .results()
        .forEach(found -> commands.add(List.of("sframe", found.group(1))));
    assertTrue(commands.size() > 25, commands::toString);
    for (List<String> command : commands) {
      List<String> words = new ArrayList<>(command);
      words.add("--help");
      Outcome help = run(words.toArray(new String[0]));
      assertEquals(0, help.exit(), words::toString);
      assertEquals("", help.err(), words::toString);
      assertTrue(help.out().contains("Usage: "), help.out());
    }
  }

  private static Outcome run(String... arguments) {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
    ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
    System.setOut(new PrintStream(outBytes, true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(errBytes, true, StandardCharsets.UTF_8));
    int exit;
    try {
      exit = Main.run(null, arguments);
    } finally {
      System.setOut(out);
      System.setErr(err);
    }
    return new Outcome(
        exit, outBytes.toString(StandardCharsets.UTF_8), errBytes.toString(StandardCharsets.UTF_8));
  }
}
