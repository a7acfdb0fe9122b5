package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.jfr.Programs;
import stackweave.jfr.export.Workload;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledRecording;

/** Large flame graphs. */
@ResourceLock(Programs.OWN_JFR)
class LargePageIT {
  @TempDir Path directory;

  @Test
  void aHundredThousandNodesAreSmall() throws Exception {
    Path file = directory.resolve("large.jfr");
    Workload.recordLarge(file, 3_000);
    String page =
        FlameGraphExportTest.page(SampledRecording.openTimed(file, ReadingProgress.NONE), false);
    int nodes = new FlamePageData(page).nodes.size();
    assertTrue(nodes > 90_000, "nodes: " + nodes);
    assertTrue(page.length() < 6 * nodes, "bytes per node: " + page.length() / nodes);
  }
}
