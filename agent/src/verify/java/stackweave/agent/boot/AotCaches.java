package stackweave.agent.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import stackweave.agent.apps.Hello;
import stackweave.testing.Ended;

/** What tests of the ahead-of-time cache share. */
abstract class AotCaches {
  static final int FIRST_WITH_ONE_COMMAND = 25;

  @TempDir Path directory;

  static Stream<Jvm> jvms() {
    return Jvm.all().filter(jvm -> jvm.feature() >= FIRST_WITH_ONE_COMMAND);
  }

  void make(Jvm jvm, Path app, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of(options));
    command.add("-XX:AOTCacheOutput=" + directory.resolve("app.aot"));
    command.addAll(List.of("-cp", app.toString(), Hello.class.getName()));
    Ended made = jvm.run(directory, command);
    assertEquals(0, made.exit(), made::toString);
    assertTrue(Files.isRegularFile(directory.resolve("app.aot")), made::toString);
  }

  /** Where the JVM says it has the application's class from. It must print what it always does. */
  String sourceOfHello(Jvm jvm, Path app, List<String> options) throws Exception {
    Path log = directory.resolve("loaded.txt");
    List<String> command = new ArrayList<>(options);
    command.add("-XX:AOTCache=" + directory.resolve("app.aot"));
    command.add("-Xlog:class+load:file=" + log + ":none");
    command.addAll(List.of("-cp", app.toString(), Hello.class.getName()));
    Ended ran = jvm.run(directory, command);
    assertEquals(
        List.of(0, "hello\n", "hello on stderr\n"), List.of(ran.exit(), ran.out(), ran.err()));
    String start = Hello.class.getName() + " source: ";
    return Files.readAllLines(log).stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length()))
        .findFirst()
        .orElse("not loaded");
  }

  /** Caches have classes of jars, not of directories. */
  Path app() throws IOException {
    Path jar = directory.resolve("app.jar");
    String path = Hello.class.getName().replace('.', '/') + ".class";
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      out.putNextEntry(new JarEntry(path));
      Files.copy(Jars.apps().resolve(path), out);
    }
    return jar;
  }
}
