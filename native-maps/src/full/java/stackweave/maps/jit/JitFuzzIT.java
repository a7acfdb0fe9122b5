package stackweave.maps.jit;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Jazzer;

/** What Jazzer makes of perf maps, jitdump files and objects: no more than the known reasons. */
class JitFuzzIT {
  @Test
  void whatEnginesWrite(@TempDir Path seeds) throws Exception {
    JitFuzzTest.makeSeeds(seeds);
    Jazzer.run(JitFuzz.class, 16384, List.of(seeds, Path.of("src/test/resources/fuzz/elf")));
  }
}
