package stackweave.live.support;

import static org.junit.jupiter.api.Assumptions.abort;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import stackweave.testing.Commands;
import stackweave.testing.Ended;
import stackweave.testing.Jdk;

/** A JDK of this machine on musl's loader, by {@code lab/musl}. */
public final class Musl {
  private static final Path LAB = Path.of("../lab/musl").toAbsolutePath().normalize();

  private Musl() {}

  /**
   * The newest that needs no other libraries of the system. The test is skipped where there is
   * none, or Debian's package musl can't be had.
   */
  public static Jdk jdk() throws Exception {
    List<Jdk> newestFirst = new ArrayList<>(Jdks.all().toList());
    Collections.reverse(newestFirst);
    String why = "there is no JDK";
    for (Jdk jdk : newestFirst) {
      Ended made = Commands.run(LAB, jdk.home());
      if (made.exit() == 0) {
        return Jdk.in(Path.of(made.out().strip()));
      }
      why = made.err().strip();
    }
    return abort("no JDK runs on musl here: " + why);
  }
}
