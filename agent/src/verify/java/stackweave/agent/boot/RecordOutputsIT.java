package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.RunningCommand;

/** One command to a flame graph: of a JVM that runs, by its name, or of one that it starts. */
@Order(2)
class RecordOutputsIT extends OutsideRecorded {
  /** Without a blank in its name, at which jps ends it. */
  @TempDir private Path apps;

  /** The application as a jar, whose path no other JVM has. */
  private Path jar() throws Exception {
    Manifest manifest = new Manifest();
    Attributes main = manifest.getMainAttributes();
    main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    main.put(Attributes.Name.MAIN_CLASS, BurnsCpu.class.getName());
    main.put(Attributes.Name.CLASS_PATH, Jars.apps().toUri().toString());
    Path jar = apps.resolve("Orders.jar");
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
    return jar;
  }

  /** A part of the jar's path, in other letters, that is of this test alone. */
  private String name() {
    return apps.getFileName().toString().toUpperCase(Locale.ROOT) + "/orders";
  }

  private Process startJar(Jvm jvm) throws Exception {
    Process target =
        jvm.start(directory, List.of("-jar", jar().toString(), "" + RUNS))
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(target);
    assertEquals("running", target.inputReader().readLine());
    return target;
  }

  private long samples(String collapsed) throws Exception {
    List<String> lines = Files.readAllLines(directory.resolve(collapsed));
    assertTrue(lines.stream().anyMatch(line -> line.contains(BURN)), lines::toString);
    return lines.stream()
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** The ten lines of the hottest functions. */
  private static void assertHottest(Ended ended) {
    List<String> lines = ended.errLines();
    int heading = lines.indexOf("   SELF   TOTAL  FUNCTION");
    assertTrue(heading >= 0, ended.err());
    List<String> rows =
        lines.stream()
            .skip(heading + 1)
            .takeWhile(line -> line.matches(" *[<>]?[\\d.]+ % .*"))
            .toList();
    assertTrue(rows.size() > 2 && rows.size() <= 9, ended.err());
  }

  /** The recording has JFR's form of each sample, which the JDK counts. */
  @Test
  void aJvmIsFoundByItsNameAndLeavesFilesByTheirEndings() throws Exception {
    Process target = startJar(last());
    RunningCommand record =
        outside(
            "record",
            name(),
            "-d5m",
            "--settings=none",
            "--interval=1ms",
            "-o",
            "flame.html",
            "-o",
            "rec.jfr",
            "-o",
            "stacks.txt",
            "-o",
            "rec.pb.gz");
    awaitOwnSamples(record);
    Ended ended = interrupt(record);
    assertTrue(ended.err().startsWith("stackweave: process " + target.pid() + " "), ended.err());
    assertEquals(
        List.of("flame.html", "rec.jfr", "rec.pb.gz", "stacks.txt"),
        ended.outLines().stream().sorted().toList());
    assertHottest(ended);
    assertPage("flame.html");
    long events = events(directory.resolve("rec.jfr")).get("jdk.ExecutionSample");
    long counted = samples("stacks.txt"); // one that stands for others counts as these
    boolean isThinned = ended.err().contains("thinned out");
    assertTrue(isThinned ? events < counted : events == counted, events + " and " + counted);
    try (InputStream in =
        new GZIPInputStream(Files.newInputStream(directory.resolve("rec.pb.gz")))) {
      assertTrue(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1).contains("burn"));
    }
  }

  /** SIGTERM to the command ends the program; what that is from its start is sampled. */
  @ParameterizedTest
  @MethodSource("stackweave.agent.boot.Jvm#onNewest")
  void aProgramIsRecordedFromItsStartToItsEnd(Jvm jvm) throws Exception {
    own = Files.createDirectory(apps.resolve("a place")); // without a quote
    RunningCommand record =
        begin(
            List.of(),
            "record",
            "-o",
            "flame.html",
            "-o",
            "started.jfr",
            "--",
            jvm.home().resolve("bin/java"),
            "-cp",
            Jars.apps(),
            BurnsCpu.class.getName(),
            RUNS);
    awaitOut(record, out -> out.equals("running\n"));
    ProcessHandle program = record.process().children().findFirst().orElseThrow();
    awaitCpu(program.pid());
    Ended ended = interrupt(record);
    assertFalse(program.isAlive());
    assertEquals("running\n", ended.out());
    assertHottest(ended);
    assertPage("flame.html");
    assertTrue(isSampled("started.jfr"));
    assertTrue(events(directory.resolve("started.jfr")).containsKey("jdk.ExecutionSample"));
    assertEquals(program.pid(), facts("started.jfr").pid());
    assertEquals(new TreeSet<>(List.of("flame.html", "started.jfr")), files());
    assertOwnIsEmpty();
  }

  private static void awaitCpu(long pid) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (LiveJvm.cpuNanos(pid, "java") < 2 * WORK_NANOS) {
      assertTrue(System.nanoTime() < end, "the program gets no CPU");
      Thread.sleep(50);
    }
  }

  /** What the command has in its directory for temporary files. */
  private void assertOwnIsEmpty() throws Exception {
    try (Stream<Path> all = Files.list(own)) {
      assertEquals(List.of(), all.filter(file -> file.toString().contains("stackweave-")).toList());
    }
  }

  @Test
  void theProgramHasInputAndOutputAndItsExitCodeIsPassedOn() throws Exception {
    Path input = Files.writeString(directory.resolve("input.txt"), "a line\n");
    String script = "cat; echo said >&2; exit 7";
    Ended ended =
        run(
            "sh",
            "-c",
            "exec \"$@\" < '" + input.getFileName() + "'",
            "sh",
            java(),
            "-jar",
            Jars.AGENT,
            "record",
            "-o",
            "none.html",
            "--",
            "sh",
            "-c",
            script);
    assertEquals(7, ended.exit(), ended.err());
    assertEquals("a line\n", ended.out());
    assertEquals(
        List.of(
            "said",
            "stackweave: no JVM was recorded: only the launcher java takes the options in"
                + " JDK_JAVA_OPTIONS, and JVMs of another user or of JDK 9 to 16 do not start with"
                + " them; record PID samples one that runs"),
        ended.errLines());
    assertFailed(command("record", "--", "/no/such"), "can't start /no/such: No such file .*");
  }

  /** As {@code jps -l} of the JDK has it. */
  @Test
  void withoutACommandJvmsAreListed() throws Exception {
    Process target = startJar(last());
    Path jps = last().home().resolve("bin/jps");
    String line =
        Commands.output(jps.toString(), "-l")
            .lines()
            .filter(each -> each.startsWith(target.pid() + " "))
            .findFirst()
            .orElseThrow();
    Ended list = command().successfully();
    assertEquals("", list.err());
    assertTrue(
        list.outLines().stream()
            .anyMatch(
                row ->
                    row.matches(
                        " *"
                            + target.pid()
                            + " +root +\\d.* s +\\d+ %  \\Q"
                            + line.substring(line.indexOf(' ') + 1)
                            + "\\E")),
        list.out() + line);
  }
}
