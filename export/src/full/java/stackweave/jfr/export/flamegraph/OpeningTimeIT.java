package stackweave.jfr.export.flamegraph;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import one.convert.Arguments;
import one.convert.JfrToFlame;
import one.convert.JfrToHeatmap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.weave.MergeOptions;
import stackweave.jfr.weave.RecordingMerge;

/**
 * How long a recording's page takes to open in headless Chromium, and how large it is, beside those
 * of jfr-converter. Prints the figures and asserts none; runs only if it is given a recording.
 */
class OpeningTimeIT {
  private static final int ROUNDS = 6;
  private static final int WIDTH = 1_400;
  private static final int HEIGHT = 900;

  @TempDir Path directory;

  @Test
  @EnabledIfSystemProperty(named = "flamegraph.opening", matches = ".+")
  void pagesAreOpened() throws Exception {
    Path recording = Path.of(System.getProperty("flamegraph.opening"));
    Map<String, Path> pages = new LinkedHashMap<>();
    pages.put("flamegraph", directory.resolve("own.html"));
    pages.put("jfr-converter's flame graph", directory.resolve("flame.html"));
    pages.put("jfr-converter's heat map", directory.resolve("heat.html"));
    try (OutputStream out = Files.newOutputStream(directory.resolve("own.html"))) {
      SampledRecording read = SampledRecording.openTimed(recording, ReadingProgress.NONE);
      new FlameGraphExport("own", false).write(read, out);
    }
    Path merged = directory.resolve("merged.jfr");
    try (OutputStream out = Files.newOutputStream(merged)) {
      MergeOptions only = new MergeOptions(true, false, false, false);
      RecordingMerge.of(List.of(recording), only, ReadingProgress.NONE).writeTo(out);
    }
    Arguments arguments = new Arguments(merged.toString(), "x.html");
    JfrToFlame.convert(merged.toString(), pages.get("jfr-converter's flame graph") + "", arguments);
    JfrToHeatmap.convert(merged.toString(), pages.get("jfr-converter's heat map") + "", arguments);
    Map<String, List<Long>> millis = new LinkedHashMap<>();
    Path empty = Files.writeString(directory.resolve("empty.html"), "<html></html>");
    try (Browser browser = new Browser(directory)) {
      for (int round = 0; round < ROUNDS; round++) {
        for (Map.Entry<String, Path> page : pages.entrySet()) {
          browser.openOther(empty, "", WIDTH, HEIGHT);
          long began = System.nanoTime();
          if (page.getKey().equals("flamegraph")) {
            browser.open(page.getValue(), "", WIDTH, HEIGHT);
          } else {
            browser.openOther(page.getValue(), "", WIDTH, HEIGHT);
          }
          browser.frame();
          millis
              .computeIfAbsent(page.getKey(), key -> new ArrayList<>())
              .add((System.nanoTime() - began) / 1_000_000);
        }
      }
    }
    for (Map.Entry<String, Path> page : pages.entrySet()) {
      List<Long> all = millis.get(page.getKey());
      Collections.sort(all);
      System.out.printf(
          Locale.ROOT,
          "%-28s %,12d bytes; opened in ms: %s%n",
          page.getKey(),
          Files.size(page.getValue()),
          all);
    }
  }
}
