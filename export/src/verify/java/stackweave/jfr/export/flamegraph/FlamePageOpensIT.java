package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import stackweave.jfr.Programs;
import stackweave.jfr.export.TimedWork;
import stackweave.jfr.read.SampledRecording;

/** The page of a flame graph is drawn by a browser, and answers to keys. */
@ResourceLock(Programs.OWN_JFR)
class FlamePageOpensIT {
  private static final int WIDTH = 1200;
  private static final int HEIGHT = 800;

  @Test
  void isDrawnAndSearched(@TempDir Path directory) throws Exception {
    try (Browser browser = new Browser(directory)) {
      SampledRecording recording = TimedWork.record(directory.resolve("timed.jfr"), 50);
      StringBuilder text = new StringBuilder();
      new FlameGraphExport("timed", false).writeText(recording, text);
      Path page = Files.writeString(directory.resolve("timed.html"), text);
      browser.open(page, "", WIDTH, HEIGHT);
      assertEquals("all", browser.text("path"));
      browser.type("/", ".");
      assertEquals("100 % matched", browser.text("matched"));
      assertEquals("", browser.problems());
    }
  }
}
