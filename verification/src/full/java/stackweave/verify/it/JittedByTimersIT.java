package stackweave.verify.it;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Exact;

/** {@link JittedIT} with timers. */
@Exact
class JittedByTimersIT {
  @Test
  void namesAreThoseThatWereTold(@TempDir Path directory) {
    JittedIT.check(Jdks.newest(), "timer", directory);
  }
}
