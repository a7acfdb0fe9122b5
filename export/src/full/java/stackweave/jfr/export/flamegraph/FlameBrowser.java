package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.gson.JsonElement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the tests ask of a flame graph's page: what it shows, and where. */
final class FlameBrowser extends Browser {
  FlameBrowser(Path directory) throws Exception {
    super(directory);
  }

  String hash() {
    return eval("location.hash.slice(1)").getAsString();
  }

  int[] range(String key) {
    String[] ends =
        eval("new URLSearchParams(location.hash.slice(1)).get('" + key + "')")
            .getAsString()
            .split("-");
    return new int[] {Integer.parseInt(ends[0]), Integer.parseInt(ends[1])};
  }

  /** The samples that the graph is of, as a screen reader is told. */
  long shown() {
    String label =
        eval("document.getElementById('canvas').getAttribute('aria-label')").getAsString();
    return Long.parseLong(label.replaceAll(".*: ([0-9,]+) samples.*", "$1").replace(",", ""));
  }

  String state() {
    return shown()
        + "\n"
        + text("path")
        + "\n"
        + text("matched")
        + "\n"
        + text("rangeText")
        + "\n"
        + rows();
  }

  void tab(String name) {
    click("#tabs button", name);
  }

  /** The texts of the table's cells. */
  List<List<String>> rows() {
    List<List<String>> rows = new ArrayList<>();
    for (JsonElement row :
        eval("""
                [...document.querySelectorAll('#tableRows tr')].map(r => [...r.cells].map(c => {
                  const copy = c.cloneNode(true);
                  for (const b of copy.querySelectorAll('button')) b.remove();
                  return copy.textContent;
                }))
                """)
            .getAsJsonArray()) {
      List<String> cells = new ArrayList<>();
      row.getAsJsonArray().forEach(cell -> cells.add(cell.getAsString()));
      rows.add(cells);
    }
    return rows;
  }

  List<String> totals(String name) {
    return rows().stream().filter(r -> r.get(2).endsWith(name)).map(r -> r.get(1)).toList();
  }

  List<String> names() {
    return rows().stream().map(row -> row.get(row.size() - 1)).toList();
  }

  /** Left end, height in the middle, and width. */
  double[] strip() {
    double[] middle = middle("#strip");
    double width = eval("document.getElementById('strip').clientWidth").getAsDouble();
    return new double[] {middle[0] - width / 2, middle[1], width};
  }

  /** Where a frame is on the screen: the mouse looks for it, as its tooltip says its name. */
  double[] frame(String name) {
    String found =
        eval("""
                (async name => {
                  const canvas = document.getElementById('canvas'), tip = document.getElementById('tip');
                  const box = canvas.getBoundingClientRect();
                  for (let x = 20; x < box.right; x += 220) {
                    for (let y = box.bottom - 12, misses = 0; y > box.top && misses < 3; y -= 19) {
                      const where = {clientX: x, clientY: y, bubbles: true};
                      canvas.dispatchEvent(new MouseEvent('mousemove', where));
                      await new Promise(r => requestAnimationFrame(r));
                      if (!tip.hidden && tip.querySelector('b').textContent === name) return x + ',' + y;
                      misses = tip.hidden ? misses + 1 : 0;
                    }
                  }
                  return '';
                })('NAME')
                """
                .replace("NAME", name))
            .getAsString();
    assertFalse(found.isEmpty(), "no frame " + name);
    String[] at = found.split(",");
    return new double[] {Double.parseDouble(at[0]), Double.parseDouble(at[1])};
  }

  /** The colour near a frame's right end, where no text is. */
  String colorOf(String name) {
    double[] at = frame(name);
    move(5, 5);
    frame();
    return eval(String.format(
            Locale.ROOT,
            """
                (() => {
                  const canvas = document.getElementById('canvas'), box = canvas.getBoundingClientRect();
                  const scale = canvas.width / box.width, g = canvas.getContext('2d');
                  return [...g.getImageData((%f - box.left) * scale, (%f - box.top - 8) * scale, 1, 1).data].join();
                })()
                """,
            at[0],
            at[1]))
        .getAsString();
  }

  String tipName() {
    return eval("document.getElementById('tip').hidden ? '' :"
            + " document.querySelector('#tip b').textContent")
        .getAsString();
  }

  /** The share of all that the tooltip of a frame says. */
  String shareOf(String name) {
    double[] at = frame(name);
    move(at[0], at[1]);
    return eval("document.querySelector('#tip tr').cells[2].textContent")
        .getAsString()
        .replace(" of all", "");
  }

  String tipAt(double x, int row) {
    double top =
        eval("document.getElementById('canvas').getBoundingClientRect().top").getAsDouble();
    move(x, top + 3 + 19 * row + 9);
    return tipName();
  }

  String tipAtBottom(int row) {
    double bottom =
        eval("document.getElementById('canvas').getBoundingClientRect().bottom").getAsDouble();
    move(400, bottom - 3 - 19 * row - 9);
    return tipName();
  }

  /** A share as the page writes it. */
  static String percent(long part, long all) {
    double percent = 100.0 * part / all;
    return String.format(
        Locale.ROOT,
        percent == 100 || percent == 0 ? "%.0f %%" : percent >= 10 ? "%.1f %%" : "%.2f %%",
        percent);
  }
}
