package stackweave.jfr.export.flamegraph;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
import org.openqa.selenium.PageLoadStrategy;
import stackweave.jfr.export.Workload;
import stackweave.jfr.read.ReadingProgress;
import stackweave.jfr.read.SampledRecording;
import stackweave.jfr.weave.MergeOptions;
import stackweave.jfr.weave.RecordingMerge;

/**
 * How long pages take in headless Chromium: until they are open, beside those of jfr-converter, for
 * a recording that is given; until a click is answered, with as many distinct stacks as are asked
 * for. Prints the figures and asserts none.
 */
class OpeningTimeIT {
  private static final int ROUNDS = 6;
  private static final int WIDTH = 1_400;
  private static final int HEIGHT = 900;

  private static final int ROW = 19;

  /** Notes when the frame was there that shows the graph after a click on it has zoomed. */
  private static final String ANSWER =
      """
      addEventListener('click', event => {
        if (!event.isTrusted || document.getElementById('path').children.length < 2) return;
        requestAnimationFrame(() => setTimeout(() => window.answered ||= performance.now()));
      });
      """;

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

  /** From the start of the navigation to the first frame after a click on a frame has zoomed. */
  @Test
  @EnabledIfSystemProperty(named = "flamegraph.stacks", matches = "\\d+")
  void aClickIsAnswered() throws Exception {
    Path recording = directory.resolve("stacks.jfr");
    Workload.recordDistinct(recording, Integer.getInteger("flamegraph.stacks"));
    SampledRecording read = SampledRecording.openTimed(recording, ReadingProgress.NONE);
    StringBuilder text = new StringBuilder();
    new FlameGraphExport("stacks", false).writeText(read, text);
    Path page = Files.writeString(directory.resolve("stacks.html"), text);
    FlamePageData data = new FlamePageData(text.toString());
    long distinct = data.stacks.stream().map(FlamePageData.Stack::node).distinct().count();
    Path empty = Files.writeString(directory.resolve("empty.html"), "<html></html>");
    double[] ready = new double[ROUNDS - 1];
    double[] answered = new double[ROUNDS - 1];
    double[] at = null;
    for (int round = 0; round < ROUNDS; round++) {
      // A new browser has compiled nothing yet. The first one says where the frame will be.
      try (Browser browser = new Browser(directory, PageLoadStrategy.NONE)) {
        if (at == null) {
          browser.open(page, "", WIDTH, HEIGHT);
          double[] canvas = browser.box("#canvas");
          at = new double[] {canvas[0] + canvas[2] / 2, canvas[1] + canvas[3] - 1.5 * ROW - 3};
          continue;
        }
        browser.openOther(empty, "", WIDTH, HEIGHT);
        browser.command("Page.addScriptToEvaluateOnNewDocument", Map.of("source", ANSWER));
        browser.go(page);
        JsonElement answer = JsonNull.INSTANCE;
        while (answer.isJsonNull()) {
          for (String type : List.of("mousePressed", "mouseReleased")) {
            browser.command(
                "Input.dispatchMouseEvent",
                Map.of("type", type, "x", at[0], "y", at[1], "button", "left", "clickCount", 1));
          }
          answer = browser.eval("window.answered");
        }
        answered[round - 1] = answer.getAsDouble();
        ready[round - 1] = browser.eval("document.documentElement.dataset.ready").getAsDouble();
      }
    }
    Arrays.sort(ready);
    Arrays.sort(answered);
    System.out.printf(
        Locale.ROOT,
        "%,d distinct stacks, %,d nodes, %,d bytes: a click is answered %.0f ms after the start of"
            + " the navigation (median of %s), the page is ready after %.0f ms%n",
        distinct,
        data.nodes.size(),
        Files.size(page),
        answered[answered.length / 2],
        Arrays.toString(Arrays.stream(answered).mapToLong(Math::round).toArray()),
        ready[ready.length / 2]);
  }
}
