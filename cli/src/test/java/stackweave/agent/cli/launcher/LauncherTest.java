package stackweave.agent.cli.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Commands;
import stackweave.testing.Ended;

/** Which Java the tarball's launcher script takes; those here print the words that they got. */
class LauncherTest {
  private static final Path SCRIPT = Path.of("../distribution/src/main/scripts/stackweave");
  private static final String MACHINE = "/usr/lib/jvm";

  @TempDir Path directory;
  private Path launcher;
  private Path tools;

  @BeforeEach
  void install() throws Exception {
    launcher = Files.createDirectories(directory.resolve("stackweave/bin")).resolve("stackweave");
    Path jvms = Files.createDirectory(directory.resolve("jvm"));
    executable(launcher, Files.readString(SCRIPT).replace(MACHINE, jvms.toString()));
    tools = Files.createDirectory(directory.resolve("tools")); // and no java
    for (String tool : List.of("dirname", "readlink", "sed")) {
      executable(tools.resolve(tool), "#!/bin/sh\nexec /usr/bin/" + tool + " \"$@\"\n");
    }
  }

  @Test
  void argumentsAreTheCommands() throws Exception {
    Path home = jdk("home", "21.0.1");
    String jar = directory.resolve("stackweave/stackweave-agent.jar").toString();
    assertEquals(
        "0 home -Dstackweave.launcher=" + launcher + " -jar " + jar + " top a b *",
        run(Map.of("JAVA_HOME", home), "top", "a b", "*"));
  }

  @Test
  void optionsOfJavaAreInAVariable() throws Exception {
    Path home = jdk("home", "21.0.1");
    String ended =
        run(Map.of("JAVA_HOME", home, "STACKWEAVE_JAVA_OPTIONS", Path.of("-Xmx4g  -Da=/*")));
    assertTrue(ended.startsWith("0 home -Xmx4g -Da=/* -Dstackweave.launcher="), ended);
  }

  @Test
  void theFirstThatIsNewEnoughIsTaken() throws Exception {
    Path old = jdk("old", "1.8.0_402");
    Path home = jdk("home", "17.0.15");
    Path path = jdk("path", "25.0.3").resolve("bin");
    jdk("jvm/older", "11.0.2");
    assertEquals("2", word(run(Map.of())));
    jdk("jvm/newer", "21");
    jdk("jvm/new", "17.0.2");
    assertEquals("jvm/newer", word(run(Map.of())));
    assertEquals("path", word(run(Map.of("PATH", path))));
    assertEquals("home", word(run(Map.of("PATH", path, "JAVA_HOME", home))));
    assertEquals("path", word(run(Map.of("PATH", path, "JAVA_HOME", old))));
    assertEquals("jvm/newer", word(run(Map.of("JAVA_HOME", old))));
    assertEquals("jvm/newer", word(run(Map.of("JAVA_HOME", directory.resolve("none")))));
  }

  @Test
  void aJavaWithoutReleaseFileIsAsked() throws Exception {
    Path shims = Files.createDirectory(directory.resolve("shims"));
    String version = "*-XshowSettings*) echo '    java.specification.version = 17' >&2 ;;";
    executable(
        shims.resolve("java"), "#!/bin/sh\ncase \"$*\" in " + version + " *) echo shim ;; esac\n");
    assertEquals("shim", word(run(Map.of("PATH", shims))));
  }

  @Test
  void withoutJavaItSaysWhatToDo() throws Exception {
    Path old = jdk("old", "1.8.0_402");
    String message = "2 stackweave: no Java of version 17 or newer was found%s: ";
    String advice = "install a JDK, or set JAVA_HOME";
    assertEquals(String.format(message, "") + advice, run(Map.of()));
    assertEquals(
        String.format(message, " (" + old.resolve("bin/java") + " is older)") + advice,
        run(Map.of("JAVA_HOME", old)));
  }

  /** On the PATH messages have the plain name. */
  @Test
  void itIsCalledAsItCanBeTyped() throws Exception {
    Path home = jdk("home", "21");
    Path link = Files.createSymbolicLink(tools.resolve("stackweave"), launcher);
    launcher = link;
    assertEquals(
        "-Dstackweave.launcher=stackweave", run(Map.of("JAVA_HOME", home), "top").split(" ")[2]);
  }

  private Path jdk(String name, String version) throws IOException {
    Path home = directory.resolve(name);
    executable(
        Files.createDirectories(home.resolve("bin")).resolve("java"),
        "#!/bin/sh\necho " + name + " \"$@\"\n");
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, text);
    file.toFile().setExecutable(true);
  }

  /** The JDK that was taken, or the exit code if none was. */
  private static String word(String ended) {
    String[] words = ended.split(" ");
    return words[0].equals("0") ? words[1] : words[0];
  }

  /** The exit code, and what was said. */
  private String run(Map<String, Path> variables, String... arguments) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(launcher.toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().clear();
    variables.forEach((name, value) -> builder.environment().put(name, value.toString()));
    builder.environment().merge("PATH", tools.toString(), (path, more) -> path + ":" + more);
    Ended ended = Commands.run(builder);
    return ended.exit() + " " + (ended.out() + ended.err()).strip();
  }
}
