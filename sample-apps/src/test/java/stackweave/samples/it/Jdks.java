package stackweave.samples.it;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The JDKs on this machine that the agent is for: 17 and later, one of each feature release. */
final class Jdks {

  /** A JDK by its directory. */
  record Jdk(Path home, int feature, String version) {
    Path java() {
      return home.resolve("bin/java");
    }

    @Override
    public String toString() {
      return "JDK " + version;
    }
  }

  private static final Map<Integer, Jdk> FOUND = find();

  private Jdks() {}

  /** All of them, oldest first; at least the one that runs the tests. */
  static Stream<Jdk> all() {
    return FOUND.values().stream();
  }

  /** The oldest, for tests of what no JDK changes. */
  static Jdk oldest() {
    return FOUND.values().iterator().next();
  }

  private static Map<Integer, Jdk> find() {
    Map<Integer, Jdk> found = new TreeMap<>(Comparator.naturalOrder());
    add(found, Path.of(System.getProperty("java.home")));
    addAll(found, Path.of("/usr/lib/jvm"));
    addAll(found, made());
    return found;
  }

  /** Where {@code sample-apps/jdk21} puts the JDKs that it makes. */
  private static Path made() {
    String ofUser = System.getProperty("user.home") + "/.cache/stackweave";
    return Path.of(System.getenv().getOrDefault("STACKWEAVE_JDKS", ofUser));
  }

  private static void addAll(Map<Integer, Jdk> found, Path directory) {
    if (Files.isDirectory(directory)) {
      try (DirectoryStream<Path> homes = Files.newDirectoryStream(directory)) {
        homes.forEach(home -> add(found, home));
      } catch (IOException e) {
        throw new IllegalStateException("can't list " + directory, e);
      }
    }
  }

  /** Adds the JDK unless one of its feature release is there, or it is too old, or none at all. */
  private static void add(Map<Integer, Jdk> found, Path home) {
    Path release = home.resolve("release");
    if (!Files.isExecutable(home.resolve("bin/java")) || !Files.isRegularFile(release)) {
      return;
    }
    Properties properties = new Properties();
    try (var in = Files.newBufferedReader(release)) {
      properties.load(in);
    } catch (IOException e) {
      throw new IllegalStateException("can't read " + release, e);
    }
    String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
    int feature = Integer.parseInt(version.split("[.\\-+_]")[0]);
    if (feature >= 17) {
      found.putIfAbsent(feature, new Jdk(home, feature, version));
    }
  }
}
