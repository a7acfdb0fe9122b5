package stackweave.engine;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import stackweave.engine.choice.EngineChooser;
import stackweave.jfr.control.SamplingSettings;
import stackweave.maps.proc.ProcMaps;
import stackweave.testing.Ended;
import stackweave.testing.ForkedJvm;
import stackweave.testing.Jdk;
import stackweave.unwind.snapshot.StackSnapshot;

/** Runs {@link EngineProbe} in a JVM of its own, under other limits, users and filters. */
public final class EngineJvm {
  /** What the probe printed, by the word before the first colon; lines of the same word joined. */
  public record Result(int exit, Map<String, String> lines, String output) {
    public String line(String key) {
      return lines.getOrDefault(key, "");
    }
  }

  private final Path directory;

  /** Copies the classes to where every user can read them. */
  public EngineJvm(Path directory) throws IOException {
    this.directory = directory;
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    Class<?>[] roots = {
      EngineChooser.class,
      EngineProbe.class,
      SamplingSettings.class,
      StackSnapshot.class,
      ProcMaps.class,
      Native.class
    };
    for (int i = 0; i < roots.length; i++) {
      Path from = Path.of(roots[i].getProtectionDomain().getCodeSource().getLocation().getPath());
      copy(from, directory.resolve("classes" + i + (Files.isDirectory(from) ? "" : ".jar")));
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from, FileVisitOption.FOLLOW_LINKS)) {
      for (Path file : files.toList()) {
        Path target = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(target);
        } else {
          Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  /** Those that any user can run, oldest first. */
  public static List<Jdk> jdks() {
    return Jdk.all().stream().filter(Jdk::isOpenToAll).toList();
  }

  /** The oldest of those, for tests of what no JDK changes: {@link Jdk#onOldest}. */
  public static Stream<Jdk> oldest() {
    return Jdk.oldestOf(jdks());
  }

  /** The newest of those, for the other half of such tests. */
  public static Stream<Jdk> newest() {
    return Jdk.newestOf(jdks());
  }

  /** Both, for what JDKs may change. */
  public static Stream<Jdk> ends() {
    return Stream.concat(oldest(), newest()).distinct();
  }

  /**
   * @param wrapper a command that execs the rest of its line, or nothing
   * @param arguments those of {@link EngineProbe}
   */
  public Result run(Jdk jdk, List<String> wrapper, String... arguments) throws Exception {
    return run(EngineProbe.class, jdk, wrapper, arguments);
  }

  /** Runs another application than {@link EngineProbe}. */
  public Result run(Class<?> application, Jdk jdk, List<String> wrapper, String... arguments)
      throws Exception {
    ForkedJvm jvm = ForkedJvm.on(jdk, directory).under(wrapper.toArray(String[]::new));
    if (jdk.feature() >= 22) {
      jvm.options("--enable-native-access=ALL-UNNAMED");
    }
    jvm.options(ForkedJvm.quick(List.of()).toArray(String[]::new));
    jvm.options("-Xmx256m", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null");
    jvm.options("-Djna.tmpdir=" + directory);
    try (Stream<Path> files = Files.list(directory)) {
      jvm.classPath(
          files
              .filter(file -> file.getFileName().toString().startsWith("classes"))
              .map(Path::toString)
              .collect(Collectors.joining(":")));
    }
    Ended ended = jvm.run(application.getName(), arguments);
    String output = ended.out() + ended.err();
    Map<String, String> lines =
        output
            .lines()
            .map(line -> line.split(": ", 2))
            .filter(parts -> parts.length == 2)
            .collect(
                Collectors.toMap(parts -> parts[0], parts -> parts[1], (a, b) -> a + "\n" + b));
    return new Result(ended.exit(), lines, output);
  }
}
