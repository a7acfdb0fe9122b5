package stackweave.agent.engine;

import com.sun.jna.Native;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import stackweave.agent.engine.choice.EngineChooser;
import stackweave.jfr.control.SamplingSettings;
import stackweave.maps.proc.ProcMaps;
import stackweave.unwind.snapshot.StackSnapshot;

/** Runs {@link EngineProbe} in a JVM of its own, under other limits, users and filters. */
public final class ForkedJvm {
  /** What the probe printed, by the word before the first colon; lines of the same word joined. */
  public record Result(int exit, Map<String, String> lines, String output) {
    public String line(String key) {
      return lines.getOrDefault(key, "");
    }
  }

  private final Path directory;

  /** Copies the classes to where every user can read them. */
  public ForkedJvm(Path directory) throws IOException {
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

  /** The homes of all JDKs from 17 on that this machine has; the one that runs the tests first. */
  public static List<Path> jdks() {
    Map<Path, Path> homes = new LinkedHashMap<>();
    try (Stream<Path> candidates =
        Stream.concat(
            Stream.of(Path.of(System.getProperty("java.home"))),
            Files.list(Path.of("/usr/lib/jvm")))) {
      for (Path home : candidates.toList()) {
        if (Files.isExecutable(home.resolve("bin/java")) && major(home) >= 17) {
          homes.putIfAbsent(home.toRealPath(), home);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.copyOf(homes.keySet());
  }

  private static int major(Path home) throws IOException {
    Path release = home.resolve("release");
    if (!Files.exists(release)) {
      return 0;
    }
    String version =
        Files.readAllLines(release).stream()
            .filter(line -> line.startsWith("JAVA_VERSION="))
            .findFirst()
            .orElse("JAVA_VERSION=\"0\"");
    return Integer.parseInt(version.replaceAll("^[^0-9]*([0-9]+).*", "$1"));
  }

  /**
   * @param wrapper a command that execs the rest of its line, or nothing
   * @param arguments those of {@link EngineProbe}
   */
  public Result run(Path home, List<String> wrapper, String... arguments) throws Exception {
    return run(EngineProbe.class, home, wrapper, arguments);
  }

  /** Runs another application than {@link EngineProbe}. */
  public Result run(Class<?> application, Path home, List<String> wrapper, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(wrapper);
    command.add(home.resolve("bin/java").toString());
    if (major(home) >= 22) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    command.add("-Xmx256m");
    command.add("-XX:-CreateCoredumpOnCrash");
    command.add("-XX:ErrorFile=/dev/null");
    command.add("-Djna.tmpdir=" + directory);
    command.add("-cp");
    try (Stream<Path> files = Files.list(directory)) {
      command.add(
          files
              .filter(file -> file.getFileName().toString().startsWith("classes"))
              .map(Path::toString)
              .collect(Collectors.joining(":")));
    }
    command.add(application.getName());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Map<String, String> lines =
        output
            .lines()
            .map(line -> line.split(": ", 2))
            .filter(parts -> parts.length == 2)
            .collect(
                Collectors.toMap(parts -> parts[0], parts -> parts[1], (a, b) -> a + "\n" + b));
    return new Result(process.waitFor(), lines, output);
  }
}
