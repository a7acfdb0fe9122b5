package stackweave.live.support;

import java.util.List;
import java.util.stream.Stream;
import stackweave.testing.Jdk;

/** The JDKs on this machine that the agent is for: 17 and later, one of each feature release. */
public final class Jdks {

  private static final List<Jdk> FOUND = Jdk.all();

  private Jdks() {}

  /** All of them, oldest first; at least the one that runs the tests. */
  public static Stream<Jdk> all() {
    return FOUND.stream();
  }

  /** The oldest, for tests of what no JDK changes. */
  public static Jdk oldest() {
    return FOUND.get(0);
  }

  /** The newest, for the other half of such tests. */
  public static Jdk newest() {
    return FOUND.get(FOUND.size() - 1);
  }
}
