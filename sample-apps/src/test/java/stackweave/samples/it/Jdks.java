package stackweave.samples.it;

import java.nio.file.Path;
import java.util.List;
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

  private static final List<Jdk> FOUND =
      stackweave.samples.matrix.Jdk.all().stream()
          .map(jdk -> new Jdk(jdk.home(), jdk.feature(), jdk.version()))
          .toList();

  private Jdks() {}

  /** All of them, oldest first; at least the one that runs the tests. */
  static Stream<Jdk> all() {
    return FOUND.stream();
  }

  /** The oldest, for tests of what no JDK changes. */
  static Jdk oldest() {
    return FOUND.get(0);
  }
}
