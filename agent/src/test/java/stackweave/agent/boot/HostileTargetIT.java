package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.agent.apps.BurnsCpu;
import stackweave.agent.apps.HostileTarget;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/**
 * Root's commands on processes whose user wants something of root's: in a user namespace, where he
 * may mount. Whatever he does, he gets nothing that was not his, and root is told in one line.
 */
class HostileTargetIT {
  private static final int NOBODY = 65534;
  private static final String SOCKET_PREFIX = ".java_pid";
  private static final String SECRET = "what root alone may read";
  private static final String MOUNTS_OVER =
      """
      #include <dirent.h>
      #include <sched.h>
      #include <sys/mount.h>
      #include <time.h>
      #include <unistd.h>
      int main(int count, char **arguments) {
        if (chdir(arguments[2]))
          return 1;
        for (time_t start = time(0); time(0) - start < 60; sched_yield()) {
          DIR *directory = opendir(".");
          for (struct dirent *file; directory && (file = readdir(directory));)
            if (file->d_name[0] != '.')
              return mount(arguments[1], file->d_name, 0, MS_BIND, 0);
          closedir(directory);
        }
        return 1;
      }
      """;

  private Path directory;
  private Path secret;
  private Path temporary;
  private Path results;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void prepare() throws Exception {
    assumeTrue(
        Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0), "only root has secrets");
    assumeTrue(
        Commands.run(asNobody("true").toArray()).exit() == 0,
        "this machine lets no user make namespaces");
    directory = Files.createTempDirectory(Path.of("/var/tmp"), "stackweave-hostile");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    secret = Files.writeString(directory.resolve("secret"), SECRET);
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    temporary = Files.createDirectory(directory.resolve("tmp"));
    Files.setAttribute(temporary, "unix:uid", NOBODY);
    results = Files.createDirectory(directory.resolve("results"));
    copyClass(HostileTarget.class);
  }

  /**
   * Killed JVMs leave their sockets. One of root's keeps a target that gets the same id from making
   * its own.
   */
  @BeforeEach
  void deleteSocketsOfDeadJvms() throws IOException {
    try (DirectoryStream<Path> sockets =
        Files.newDirectoryStream(Path.of("/tmp"), SOCKET_PREFIX + "*")) {
      for (Path socket : sockets) {
        String pid = socket.getFileName().toString().substring(SOCKET_PREFIX.length());
        if (!Files.exists(Path.of("/proc", pid))) {
          Files.deleteIfExists(socket);
        }
      }
    }
  }

  /** Root of a user namespace that shares /tmp has the name of the machine's root there. */
  private static void deleteDirectoryOfNamespaces() throws IOException {
    Path ofRoot = Path.of("/tmp/.stackweave-0");
    if (Files.isDirectory(ofRoot, LinkOption.NOFOLLOW_LINKS)
        && Files.getAttribute(ofRoot, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(NOBODY)) {
      for (Path file : filesIn(ofRoot)) {
        Files.delete(file);
      }
      Files.delete(ofRoot);
    }
  }

  @AfterEach
  void cleanUp() throws Exception {
    deleteDirectoryOfNamespaces();
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
      Files.deleteIfExists(Path.of("/tmp", SOCKET_PREFIX + process.pid()));
    }
    if (directory != null) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "at-start-mount, belongs to another user",
    "at-start-relative-link, is no regular file",
    "at-start-absolute-link, is no regular file",
    "at-start-fifo, is no regular file",
    "at-start-second-link, has a second name",
    "at-start-device, is no regular file",
    "mount, did not write its recording",
    "relative-link, did not write its recording",
    "fifo, did not write its recording",
  })
  void whatIsNoRecordingOfItsUserIsNotFetched(String attack, String why) throws Exception {
    long pid = start(attack, temporary, "-Xmx256m").pid();
    Path output = results.resolve("rec.jfr");
    Ended result = command("record", pid, "-d", "1s", "-o", output);
    assertFailed(result, "process " + pid + " .*" + why + ".*");
    assertEquals(List.of(), filesIn(results));
    assertSecretIsKept();
  }

  /** What is taken out of it when the process is killed is its user's, too. */
  @ParameterizedTest
  @CsvSource({
    "repository-of-root, before JFR had written anything",
    "repository-link, can't be read",
  })
  void nothingOfOthersIsTakenFromARepository(String attack, String why) throws Exception {
    Files.writeString(directory.resolve("secret.jfr"), SECRET);
    Process target = start(attack, temporary, "-Xmx256m");
    Path output = results.resolve("rec.jfr");
    RunningCommand record =
        RunningCommand.start(
            new ProcessBuilder(
                Arrays.stream(ForkedJvm.agentCommand("record", target.pid(), "-o", output))
                    .map(Object::toString)
                    .toList()),
            directory);
    started.add(record.process());
    awaitFollowed(target, record);
    target.destroyForcibly().waitFor();
    Ended ended = record.end();
    assertEquals(2, ended.exit(), ended.err());
    assertTrue(ended.err().contains(why), ended.err());
    assertEquals(List.of(), filesIn(results));
    assertSecretIsKept();
  }

  /** Waits until the command has found the recording and the repository. */
  private static void awaitFollowed(Process target, RunningCommand record) throws Exception {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    String said = "";
    while (!said.equals(HostileTarget.FOLLOWED)) {
      if (target.inputReader().ready()) {
        said = target.inputReader().readLine();
      } else {
        assertTrue(
            record.process().isAlive() && System.nanoTime() < end,
            said + Files.readString(record.err()));
        Thread.sleep(50);
      }
    }
  }

  @Test
  void aRecordingIsItsCallersAlone() throws Exception {
    long pid = start("none", temporary, "-Xmx256m").pid();
    Path output = results.resolve("rec.jfr");
    Ended result = command("record", pid, "-d", "1s", "-o", output);
    assertEquals(0, result.exit(), result.err());
    assertEquals("a recording", Files.readString(output));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(output)));
    assertEquals(0, Files.getAttribute(output, "unix:uid"));
    assertFalse(result.err().contains("\u001b"), "an escape sequence reaches the terminal");
  }

  /** What is mounted over the jar while it is written is not given away. */
  @Test
  void nothingIsChowned() throws Exception {
    Path source = Files.writeString(directory.resolve("mounts.c"), MOUNTS_OVER);
    Path program = directory.resolve("mounts");
    Commands.output("gcc", "-o", program, source);
    Path exchange = Files.createDirectory(temporary.resolve(".stackweave-0"));
    Files.setPosixFilePermissions(exchange, PosixFilePermissions.fromString("rwx------"));
    Files.setAttribute(exchange, "unix:uid", NOBODY);
    // Nobody can read the command's own jar.
    Path jar = Files.copy(Jars.AGENT, results.resolve("agent.jar"));
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-------"));
    Process target =
        startIn(
            "(" + program + " " + secret + " " + exchange + " &) ; exec ",
            "none",
            temporary,
            "-Xmx256m");
    Ended result = run(java(), "-jar", jar, "attach", target.pid());
    assertFalse(result.err().contains("unexpected"), result.err());
    assertSecretIsKept();
  }

  /** An absolute link leads to a directory of the machine's, if the machine follows it. */
  @Test
  void aLinkInItsRootLeadsNoFurther() throws Exception {
    Path ofRoot = Files.createDirectory(directory.resolve("of-root"));
    Files.setPosixFilePermissions(ofRoot, PosixFilePermissions.fromString("rwx------"));
    Path link = Files.createSymbolicLink(temporary.resolve("link"), ofRoot);
    Process target = start("none", link, "-Xmx256m");
    command("record", target.pid(), "-d", "1s", "-o", results.resolve("rec.jfr"));
    assertEquals(List.of(), filesIn(ofRoot));
  }

  @ParameterizedTest
  @CsvSource({"fifo", "/dev/zero", "endless"})
  void aJarThatIsNoneHangsNothing(String jar) throws Exception {
    Path path = temporary.resolve("agent.jar");
    switch (jar) {
      case "fifo" -> Commands.output("mkfifo", path);
      case "endless" -> {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
          file.setLength(1L << 40); // no block of it is there
        }
      }
      default -> path = Path.of(jar);
    }
    Process target = start("none", temporary, "-javaagent:" + path);
    assertFailed(command("status", target.pid()), "no Stackweave agent in process .*");
  }

  @Test
  void whatItSaysReachesATerminalAsText() throws Exception {
    Ended result = command("status", start("escape", temporary, "-Xmx256m").pid());
    assertEquals(0, result.exit(), result.err());
    assertEquals("state: on duty ?]0;gotcha?\n", result.out());
  }

  /** Its user is another in its own sight, and takes no other user's request, root's included. */
  @Test
  void aJvmInAUserNamespaceIsReachedAsItsUser() throws Exception {
    copyClass(BurnsCpu.class);
    String command =
        String.join(
            " ",
            "mount -t tmpfs tmpfs /tmp && exec",
            openJava(),
            "-cp",
            directory.resolve("classes").toString(),
            BurnsCpu.class.getName(),
            "900");
    Process target = launch(command);
    awaitRunning(target);
    Path output = results.resolve("rec.jfr");
    Ended result = command("record", target.pid(), "-d", "2s", "-o", output, "--settings=none");
    assertEquals(0, result.exit(), result.err());
    assertTrue(Files.size(output) > 0);
    Path there = Path.of("/proc/" + target.pid() + "/root/tmp/.stackweave-0");
    assertEquals(List.of(), filesIn(there), "left behind");
    command("attach", target.pid());
    Ended off = run(ForkedJvm.agentCommand("off", "--pid", target.pid()));
    assertEquals(0, off.exit(), off.out() + off.err());
    assertTrue(Files.exists(there.resolve("off")));
    assertEquals(NOBODY, Files.getAttribute(there.resolve("off"), "unix:uid"));
    Ended again = command("record", target.pid(), "-d", "1s", "-o", output, "--settings=none");
    assertTrue(again.err().contains("switched off by /tmp/.stackweave-0/off"), again.err());
  }

  private Process start(String attack, Path temporary, String jvmArguments) throws Exception {
    return startIn("exec ", attack, temporary, jvmArguments);
  }

  private Process startIn(String before, String attack, Path temporary, String jvmArguments)
      throws Exception {
    String command =
        String.join(
            " ",
            before + Path.of("/usr/bin/env"),
            openJava(),
            "-cp",
            directory.resolve("classes").toString(),
            HostileTarget.class.getName(),
            attack,
            secret.toString(),
            temporary.toString(),
            jvmArguments);
    Process process = launch(command);
    awaitRunning(process);
    return process;
  }

  private void awaitRunning(Process target) throws IOException {
    assertEquals(
        "running",
        target.inputReader().readLine(),
        () -> target + " said " + contentOf(directory.resolve("target.txt")));
  }

  private static String contentOf(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process launch(String command) throws IOException {
    Process process =
        new ProcessBuilder(asNobody("sh", "-c", command))
            .directory(Path.of("/").toFile())
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(process);
    return process;
  }

  /** One process all the way: setpriv, unshare, sh and env make none of their own. */
  private static List<String> asNobody(String... command) {
    List<String> all =
        new ArrayList<>(
            List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"));
    all.addAll(List.of("unshare", "--user", "--map-root-user", "--mount"));
    all.addAll(Arrays.asList(command));
    return all;
  }

  /** A JVM that any user can run. */
  private static String openJava() {
    return Jdk.all().stream()
        .filter(Jdk::isOpenToAll)
        .map(jdk -> jdk.java().toString())
        .findFirst()
        .orElseThrow();
  }

  private void copyClass(Class<?> type) throws IOException {
    String name = type.getName().replace('.', '/') + ".class";
    Path copy = directory.resolve("classes").resolve(name);
    Files.createDirectories(copy.getParent());
    Files.copy(Jars.apps().resolve(name), copy);
    try (Stream<Path> all = Files.walk(directory.resolve("classes"))) {
      for (Path path : all.toList()) {
        path.toFile().setReadable(true, false);
        path.toFile().setExecutable(Files.isDirectory(path), false);
      }
    }
  }

  private void assertSecretIsKept() throws IOException {
    assertEquals(0, Files.getAttribute(secret, "unix:uid"), "given away");
    assertEquals(SECRET, Files.readString(secret));
  }

  private static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  private Ended command(String name, long pid, Object... more) throws Exception {
    List<Object> all = new ArrayList<>(List.of(name, pid));
    all.addAll(Arrays.asList(more));
    return run(ForkedJvm.agentCommand(all.toArray()));
  }

  private static Ended run(Object... command) throws Exception {
    return Commands.run(command);
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static void assertFailed(Ended result, String line) {
    String last = result.err().strip().replaceAll("(?s).*\n", "");
    assertEquals(2, result.exit(), result.out() + result.err());
    assertTrue(last.matches("stackweave: " + line), result.err());
  }
}
