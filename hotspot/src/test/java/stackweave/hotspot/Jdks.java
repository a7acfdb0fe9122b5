package stackweave.hotspot;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The JDKs of this machine. */
public final class Jdks {
  private static final int OLDEST = 17;

  private Jdks() {}

  /**
   * One of each feature version from 17 on: the one that runs this, those of the system, and what
   * {@code verification/jdk} made.
   */
  static List<Path> all() throws IOException {
    TreeMap<Integer, Path> byVersion = new TreeMap<>();
    addAll(byVersion, made());
    addAll(byVersion, Path.of("/usr/lib/jvm"));
    byVersion.put(Runtime.version().feature(), Path.of(System.getProperty("java.home")));
    byVersion.headMap(OLDEST).clear();
    return List.copyOf(byVersion.values());
  }

  private static Path made() {
    String ofUser = System.getProperty("user.home") + "/.cache/stackweave";
    return Path.of(System.getenv().getOrDefault("STACKWEAVE_JDKS", ofUser));
  }

  private static void addAll(TreeMap<Integer, Path> byVersion, Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      try (Stream<Path> homes = Files.list(directory)) {
        for (Path home : homes.filter(Jdks::isJdk).sorted().toList()) {
          byVersion.put(version(home), home);
        }
      }
    }
  }

  private static boolean isJdk(Path home) {
    return Files.isExecutable(home.resolve("bin/java"))
        && Files.isReadable(home.resolve("release"));
  }

  static int version(Path home) {
    try (Stream<String> lines = Files.lines(home.resolve("release"))) {
      String line = lines.filter(l -> l.startsWith("JAVA_VERSION=")).findFirst().orElse("=\"0\"");
      return Integer.parseInt(line.replaceAll("[^\"]*\"(1\\.)?(\\d+).*", "$2"));
    } catch (IOException e) {
      return 0;
    }
  }
}
