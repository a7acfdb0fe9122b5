package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
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
import stackweave.agent.apps.HostileTarget;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.testing.RunningCommand;

/** A process whose user wants something of root's. */
abstract class HostileProcess {
  static final int NOBODY = 65534;
  static final String SOCKET_PREFIX = ".java_pid";
  static final String SECRET = "what root alone may read";

  Path directory;
  Path secret;
  Path temporary;
  Path results;
  final List<Process> started = new ArrayList<>();

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
  static void deleteDirectoryOfNamespaces() throws IOException {
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

  /** Waits until the command has found the recording and the repository. */
  static void awaitFollowed(Process target, RunningCommand record) throws Exception {
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

  Process start(String attack, Path temporary) throws Exception {
    return startIn("exec ", attack, temporary);
  }

  Process startIn(String before, String attack, Path temporary) throws Exception {
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
            temporary.toString());
    Process process = launch(command);
    awaitRunning(process);
    return process;
  }

  void awaitRunning(Process target) throws IOException {
    assertEquals(
        "running",
        target.inputReader().readLine(),
        () -> target + " said " + contentOf(directory.resolve("target.txt")));
  }

  static String contentOf(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Process launch(String command) throws IOException {
    Process process =
        new ProcessBuilder(asNobody("sh", "-c", command))
            .directory(Path.of("/").toFile())
            .redirectError(directory.resolve("target.txt").toFile())
            .start();
    started.add(process);
    return process;
  }

  /** One process all the way: setpriv, unshare, sh and env make none of their own. */
  static List<String> asNobody(String... command) {
    List<String> all =
        new ArrayList<>(
            List.of("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"));
    all.addAll(List.of("unshare", "--user", "--map-root-user", "--mount"));
    all.addAll(Arrays.asList(command));
    return all;
  }

  /** A JVM that any user can run. */
  static String openJava() {
    return Jdk.all().stream()
        .filter(Jdk::isOpenToAll)
        .map(jdk -> jdk.java().toString())
        .findFirst()
        .orElseThrow();
  }

  void copyClass(Class<?> type) throws IOException {
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

  void assertSecretIsKept() throws IOException {
    assertEquals(0, Files.getAttribute(secret, "unix:uid"), "given away");
    assertEquals(SECRET, Files.readString(secret));
  }

  static List<Path> filesIn(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.toList();
    }
  }

  Ended command(String name, long pid, Object... more) throws Exception {
    List<Object> all = new ArrayList<>(List.of(name, pid));
    all.addAll(Arrays.asList(more));
    return run(ForkedJvm.agentCommand(all.toArray()));
  }

  static Ended run(Object... command) throws Exception {
    return Commands.run(command);
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  static void assertFailed(Ended result, String line) {
    String last = result.err().strip().replaceAll("(?s).*\n", "");
    assertEquals(2, result.exit(), result.out() + result.err());
    assertTrue(last.matches("stackweave: " + line), result.err());
  }

  void assertNotFetched(String attack, String why) throws Exception {
    long pid = start(attack, temporary).pid();
    Path output = results.resolve("rec.jfr");
    Ended result = command("record", pid, "--inside", "-d", "1s", "-o", output);
    assertFailed(result, "process " + pid + " .*" + why + ".*");
    assertEquals(List.of(), filesIn(results));
    assertSecretIsKept();
  }

  void assertNotTaken(String attack, String why) throws Exception {
    Files.writeString(directory.resolve("secret.jfr"), SECRET);
    Process target = start(attack, temporary);
    Path output = results.resolve("rec.jfr");
    RunningCommand record =
        RunningCommand.start(
            new ProcessBuilder(
                Arrays.stream(
                        ForkedJvm.agentCommand("record", "--inside", target.pid(), "-o", output))
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
}
