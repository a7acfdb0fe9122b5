package stackweave.live.tableless;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.live.support.Jdks;
import stackweave.testing.Exact;

/** {@link JittedIT} with timers. */
@Exact
class JittedByTimersIT {
  @Test
  void namesAreThoseThatWereTold(@TempDir Path directory) {
    JittedIT.check(Jdks.newest(), "timer", directory);
  }
}
