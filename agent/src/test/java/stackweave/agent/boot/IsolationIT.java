package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.jna.Native;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import stackweave.agent.apps.Census;
import stackweave.agent.apps.ChoosesLogManager;
import stackweave.agent.apps.EmptyAgent;
import stackweave.agent.apps.Hello;
import stackweave.agent.apps.JnaProbe;
import stackweave.agent.apps.LoadsLibrary;
import stackweave.agent.apps.UsesOwnJna;
import stackweave.testing.Ended;

/**
 * An application under the agent against the same application under an agent that does nothing:
 * what it prints, what it sees, what it may do. In every run a probe makes our JNA work before
 * main(), the worst moment.
 */
class IsolationIT {

  private static final String DENY = "--illegal-native-access=deny";

  /**
   * The one thing that stays after JNA's first call: libffi maps the code of its trampolines from a
   * file whenever a page is full, so it keeps that file (4 KiB, deleted, closed on exec) open.
   */
  private static final String LIBFFI_TRAMPOLINES = "(?m)^file /\\S*/ffi\\w{6} \\(deleted\\)\n";

  @TempDir private Path directory;
  private Path emptyAgent;
  private Path probe;
  private Path findings;

  @BeforeEach
  void makeJars() throws IOException {
    emptyAgent = Jars.agent(directory, EmptyAgent.class);
    probe = Jars.agent(directory, JnaProbe.class);
    findings = directory.resolve("findings.txt");
  }

  static Stream<Jvm> jvms() {
    return Jvm.all();
  }

  static Stream<Jvm> restrictingJvms() {
    return Jvm.restricting();
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void printsNothing(Jvm jvm) throws Exception {
    assertSameAsEmpty(jvm, List.of(), Hello.class);
  }

  @ParameterizedTest
  @MethodSource("restrictingJvms")
  void printsNothingWhereNativeAccessIsDenied(Jvm jvm) throws Exception {
    assertSameAsEmpty(jvm, List.of(DENY), Hello.class);
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void printsNothingIntoARecordedApplication(Jvm jvm) throws Exception {
    assertSameAsEmpty(jvm, List.of("-XX:StartFlightRecording:filename=r.jfr"), Hello.class);
  }

  @ParameterizedTest
  @MethodSource("restrictingJvms")
  void printsNothingIntoARecordedApplicationWhereNativeAccessIsDenied(Jvm jvm) throws Exception {
    assertSameAsEmpty(jvm, List.of(DENY, "-XX:StartFlightRecording:filename=r.jfr"), Hello.class);
  }

  @ParameterizedTest
  @MethodSource("restrictingJvms")
  void applicationsOwnLoadStillWarns(Jvm jvm) throws Exception {
    Ended result = assertSameAsEmpty(jvm, List.of(), LoadsLibrary.class);
    assertEquals("loaded\n", result.out());
    assertTrue(result.err().contains("WARNING: A restricted method"), result.err());
  }

  @ParameterizedTest
  @MethodSource("restrictingJvms")
  void applicationsOwnLoadStillFailsWhereDenied(Jvm jvm) throws Exception {
    Ended result = assertSameAsEmpty(jvm, List.of(DENY), LoadsLibrary.class);
    assertNotEquals(0, result.exit());
    assertTrue(result.err().contains("IllegalCallerException"), result.err());
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void applicationChoosesItsLogManagerInMain(Jvm jvm) throws Exception {
    Ended result =
        assertSameAsEmpty(
            jvm, List.of("-XX:StartFlightRecording:filename=r.jfr"), ChoosesLogManager.class);
    assertTrue(result.out().contains("Chosen"), result.out());
  }

  /** Class path, properties, threads, open files: nothing of ours but the jar. */
  @ParameterizedTest
  @MethodSource("jvms")
  void leavesNothingToBeSeen(Jvm jvm) throws Exception {
    Ended result = assertSameAsEmpty(jvm, List.of(), Census.class);
    assertTrue(result.out().contains("thread "), result.out());
    assertTrue(result.out().contains("class com.sun.jna.Native: false"), result.out());
    assertEquals(1, result.out().lines().filter(line -> line.endsWith("/AGENT")).count());
  }

  /** Switches for the application's JNA: each of them breaks a JNA that follows it. */
  @ParameterizedTest
  @MethodSource("jvms")
  void switchesOfJnaAreNotOurs(Jvm jvm) throws Exception {
    Path oldLibrary = unpackOldLibrary();
    for (List<String> switches :
        List.of(
            List.of("-Djna.nounpack=true"),
            List.of("-Djna.boot.library.path=" + oldLibrary.getParent()),
            List.of("-Djna.nosys=false", "-Djava.library.path=" + oldLibrary.getParent()),
            List.of("-Djna.noclasspath=true"),
            List.of("-Djna.tmpdir=/nonexistent", "-Duser.home=/nonexistent"),
            List.of("-Djava.io.tmpdir=/nonexistent"))) {
      assertSameAsEmpty(jvm, switches, Hello.class);
    }
  }

  @ParameterizedTest
  @MethodSource("jvms")
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
  @MethodSource("jvms")
  void applicationsJnaOnTheClassPathWorksBesideOurs(Jvm jvm) throws Exception {
    Ended result =
        assertSameAsEmpty(
            jvm, List.of(), List.of(Jars.apps() + ":" + Jars.OLD_JNA), UsesOwnJna.class);
    assertEquals("true\n5.2.2\nfalse\n", result.out(), result.err());
  }

  @ParameterizedTest
  @MethodSource("jvms")
  void applicationsJnaOnTheModulePathWorksBesideOurs(Jvm jvm) throws Exception {
    // The same packages under another module's name, then our module's very name.
    Path sameName =
        Path.of(Native.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    assertEquals("com.sun.jna", moduleName(jvm, sameName));
    for (Path jna : List.of(Jars.OLD_JNA, sameName)) {
      List<String> modules =
          List.of("--module-path=" + jna, "--add-modules=" + moduleName(jvm, jna));
      Ended result = assertSameAsEmpty(jvm, modules, UsesOwnJna.class);
      assertTrue(result.out().matches("true\n\\d+\\.\\d+\\.\\d+\ntrue\n"), result.toString());
    }
  }

  private String moduleName(Jvm jvm, Path jar) throws Exception {
    Ended listed = jvm.run(directory, List.of("--module-path=" + jar, "--list-modules"));
    return listed
        .out()
        .lines()
        .filter(line -> line.contains("jna"))
        .map(line -> line.split("[@ ]")[0])
        .findFirst()
        .orElseThrow();
  }

  private Ended assertSameAsEmpty(Jvm jvm, List<String> options, Class<?> application)
      throws Exception {
    return assertSameAsEmpty(jvm, options, List.of(Jars.apps().toString()), application);
  }

  private Ended assertSameAsEmpty(
      Jvm jvm, List<String> options, List<String> classPath, Class<?> application)
      throws Exception {
    Files.deleteIfExists(findings);
    Ended empty = run(jvm, emptyAgent, options, classPath, application);
    assertFalse(Files.exists(findings), "the empty agent can't have a JNA");
    Ended ours = run(jvm, Jars.AGENT, options, classPath, application);
    assertTrue(Files.exists(findings), "our JNA does not work: " + ours);
    findings(jvm);
    assertEquals(comparable(empty.out()), comparable(ours.out()), options.toString());
    assertEquals(comparable(empty.err()), comparable(ours.err()), options.toString());
    assertEquals(empty.exit(), ours.exit(), options.toString());
    return ours.saying(comparable(ours.out()), comparable(ours.err()));
  }

  private Ended run(
      Jvm jvm, Path agent, List<String> options, List<String> classPath, Class<?> application)
      throws Exception {
    List<String> arguments = new ArrayList<>(options);
    arguments.add("-javaagent:" + agent);
    arguments.add("-javaagent:" + probe + "=" + findings);
    arguments.add("-cp");
    arguments.add(classPath.isEmpty() ? Jars.apps().toString() : String.join(":", classPath));
    arguments.add(application.getName());
    return jvm.run(directory, arguments);
  }

  /** What the probe found, which shows that JNA worked, and in which module. */
  private List<String> findings(Jvm jvm) throws IOException {
    List<String> found = Files.readAllLines(findings);
    assertTrue(found.get(0).matches("pid \\d+"), found.toString());
    // Only where native access is granted to modules.
    assertEquals("module " + (jvm.feature() < 24 ? "null" : "com.sun.jna"), found.get(1));
    return found;
  }

  /** Without what differs between any two runs: numbers of processes, times, the agent's name. */
  private String comparable(String output) {
    String same =
        output
            .replaceAll(LIBFFI_TRAMPOLINES, "")
            .replaceAll("(?m)^file (anon_inode|pipe|socket):.*\n", "")
            .replace(Jars.AGENT.toString(), "/AGENT")
            .replace(emptyAgent.toString(), "/AGENT")
            .replaceAll("jcmd \\d+", "jcmd PID")
            .replaceAll("(out|err)\\d+\\.txt", "$1.txt")
            .replaceAll("\\[\\d+[.,]\\d+s\\]", "[TIME]");
    // The census lists files in the order of their names, and the agents' differ.
    return Stream.concat(
            same.lines().filter(line -> !line.startsWith("file ")),
            same.lines().filter(line -> line.startsWith("file ")).sorted())
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  private Path unpackOldLibrary() throws IOException {
    Path library = Files.createDirectories(directory.resolve("old")).resolve("libjnidispatch.so");
    String platform = System.getProperty("os.arch").equals("amd64") ? "x86-64" : "aarch64";
    try (JarFile jar = new JarFile(Jars.OLD_JNA.toFile());
        InputStream in =
            jar.getInputStream(
                jar.getEntry("com/sun/jna/linux-" + platform + "/libjnidispatch.so"))) {
      Files.write(library, in.readAllBytes());
    }
    return library;
  }
}
