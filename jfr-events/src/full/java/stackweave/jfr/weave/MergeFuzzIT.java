package stackweave.jfr.weave;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import stackweave.testing.Jazzer;

/** Recordings that Jazzer makes up, led by coverage: none makes more than a RecordingException. */
class MergeFuzzIT {
  @Test
  void recordings(@TempDir Path seeds) throws Exception {
    MergeFuzzTest.makeSeeds(seeds);
    Jazzer.run(MergeFuzz.class, 16_384, List.of(seeds));
  }
}
