package stackweave.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A JDK by its directory.
 *
 * @param feature its release: 17, 21, ...
 * @param version as its {@code release} file says
 */
public record Jdk(Path home, int feature, String version) {
  private static final int OLDEST = 17;

  /** Whether tests of what no JDK changes run on all of them nevertheless. */
  private static final boolean EVERY = System.getProperty("jdks", "").equals("every");

  /** The JDK in a directory, or null if none is there that the agent is for. */
  public static Jdk at(Path home) {
    Path release = home.resolve("release");
    if (!Files.isExecutable(home.resolve("bin/java")) || !Files.isRegularFile(release)) {
      return null;
    }
    Properties properties = new Properties();
    Path real;
    try (var in = Files.newBufferedReader(release)) {
      properties.load(in);
      real = home.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
    int feature = Integer.parseInt(version.split("[.\\-+_]")[0]);
    return feature < OLDEST ? null : new Jdk(real, feature, version);
  }

  /**
   * One of each release, oldest first: this JVM's, those of the system, and those that {@code
   * lab/jdk} made.
   */
  public static List<Jdk> all() {
    Map<Integer, Jdk> found = new TreeMap<>();
    add(found, Path.of(System.getProperty("java.home")));
    addAll(found, Path.of("/usr/lib/jvm"));
    String ofUser = System.getProperty("user.home") + "/.cache/stackweave";
    addAll(found, Path.of(System.getenv().getOrDefault("STACKWEAVE_JDKS", ofUser)));
    return new ArrayList<>(found.values());
  }

  /**
   * The oldest, for parameterized tests of what no JDK changes; with {@code -Djdks=every} all of
   * them, as of {@link #onNewest}.
   */
  public static Stream<Jdk> onOldest() {
    return oldestOf(all());
  }

  /** The newest, for the other half of such tests. */
  public static Stream<Jdk> onNewest() {
    return newestOf(all());
  }

  /** As {@link #onOldest}, of those that a test can use. */
  public static Stream<Jdk> oldestOf(List<Jdk> jdks) {
    return EVERY ? jdks.stream() : jdks.stream().limit(1);
  }

  /** As {@link #onNewest}, of those that a test can use. */
  public static Stream<Jdk> newestOf(List<Jdk> jdks) {
    return EVERY ? jdks.stream() : jdks.stream().skip(Math.max(0, jdks.size() - 1));
  }

  /** The oldest and the newest, for what JDKs may change; with {@code -Djdks=every} all of them. */
  public static Stream<Jdk> onEnds() {
    return Stream.concat(onOldest(), onNewest()).distinct();
  }

  /**
   * The JDK in a directory.
   *
   * @throws IllegalArgumentException if none is there that the agent is for
   */
  public static Jdk in(Path home) {
    Jdk jdk = at(home);
    if (jdk == null) {
      throw new IllegalArgumentException(home + " is no JDK of release 17 or later");
    }
    return jdk;
  }

  /**
   * Those in the directories; {@link #all} if none is named.
   *
   * @throws IllegalArgumentException if one of them is no such JDK
   */
  public static List<Jdk> in(List<Path> homes) {
    return homes.isEmpty() ? all() : homes.stream().map(Jdk::in).toList();
  }

  private static void addAll(Map<Integer, Jdk> found, Path directory) {
    if (!Files.isDirectory(directory)) {
      return;
    }
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(directory)) {
      StreamSupport.stream(homes.spliterator(), false).sorted().forEach(home -> add(found, home));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void add(Map<Integer, Jdk> found, Path home) {
    Jdk jdk = at(home);
    if (jdk != null) {
      found.putIfAbsent(jdk.feature(), jdk);
    }
  }

  /** Whether users other than its owner may look into all directories on the way to it. */
  public boolean isOpenToAll() {
    try {
      for (Path path = home; path != null; path = path.getParent()) {
        if (!Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_EXECUTE)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its launcher. */
  public Path java() {
    return home.resolve("bin/java");
  }

  @Override
  public String toString() {
    return "JDK " + version;
  }
}
