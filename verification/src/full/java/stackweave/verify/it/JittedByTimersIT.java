package stackweave.verify.it;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link JittedIT} with timers. */
class JittedByTimersIT {
  @Test
  void namesAreThoseThatWereTold(@TempDir Path directory) {
    JittedIT.check(Jdks.newest(), "timer", directory);
  }
}
