package stackweave.jfr.weave;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmc.common.IMCMethod;
import org.openjdk.jmc.common.IMCStackTrace;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemCollection;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IMemberAccessor;
import org.openjdk.jmc.common.item.ItemFilters;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.stacktrace.tree.Node;
import org.openjdk.jmc.flightrecorder.stacktrace.tree.StacktraceTreeModel;

/**
 * Draws what JDK Mission Control shows of a merged recording, from JMC's own loader and stack trace
 * tree: the tables of its page Method Profiling, and its Flame View. For docs/reading-results.md;
 * nothing of JMC's windows runs here. Arguments: the merged recording, the HTML file to write.
 */
public final class JmcPicture {
  private static final int ROWS = 8;
  private static final int WIDTH = 1_180;
  private static final int ROW_HEIGHT = 17;
  private static final double MIN_SHARE = 0.004;

  private final StringBuilder html = new StringBuilder();
  private double all;
  private int deepest;

  private JmcPicture() {}

  public static void main(String[] arguments) throws Exception {
    IItemCollection samples =
        JfrLoaderToolkit.loadEvents(new File(arguments[0]))
            .apply(ItemFilters.type("jdk.ExecutionSample"));
    new JmcPicture().draw(samples, Path.of(arguments[1]));
  }

  private void draw(IItemCollection samples, Path file) throws IOException {
    html.append(
        "<!doctype html><meta charset=utf-8><style>body{font:12px sans-serif;margin:10px;width:"
            + WIDTH
            + "px}h3{margin:8px 0 4px}table{border-collapse:collapse;width:100%}td,th{text-align:"
            + "left;padding:1px 6px;border-bottom:1px solid #ddd}.f{position:relative}.f div{"
            + "position:absolute;height:16px;overflow:hidden;white-space:nowrap;font-size:11px;"
            + "padding:0 2px;box-sizing:border-box;border-right:1px solid #fff}.t{display:flex;"
            + "gap:20px}.t>div{flex:1}</style>");
    Map<String, Long> packages = new HashMap<>();
    Map<String, Long> classes = new HashMap<>();
    count(samples, packages, classes);
    html.append("<h3>Method Profiling</h3><div class=t>");
    table("Top Package", packages);
    table("Top Class", classes);
    html.append("</div><h3>Flame View</h3><div class=f>");
    Node root = new StacktraceTreeModel(samples).getRoot();
    all = root.getChildren().stream().mapToDouble(Node::getCumulativeWeight).sum();
    children(root, 0, 0);
    html.append("<div style='height:")
        .append((deepest + 1) * ROW_HEIGHT)
        .append("px'></div></div>");
    Files.writeString(file, html.toString());
  }

  /** As the page counts: by the innermost frame. */
  private static void count(
      IItemCollection samples, Map<String, Long> packages, Map<String, Long> classes) {
    for (IItemIterable items : samples) {
      IMemberAccessor<IMCStackTrace, IItem> trace =
          JfrAttributes.EVENT_STACKTRACE.getAccessor(items.getType());
      for (IItem item : items) {
        IMCMethod method = trace.getMember(item).getFrames().get(0).getMethod();
        String name = method.getType().getPackage().getName();
        packages.merge(name == null || name.isEmpty() ? "(default)" : name, 1L, Long::sum);
        classes.merge(method.getType().getFullName(), 1L, Long::sum);
      }
    }
  }

  private void table(String title, Map<String, Long> counts) {
    long sum = counts.values().stream().mapToLong(Long::longValue).sum();
    html.append("<div><table><tr><th>").append(title).append("<th>Count<th>Percentage");
    List<Map.Entry<String, Long>> rows =
        counts.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .limit(ROWS)
            .toList();
    for (Map.Entry<String, Long> row : rows) {
      html.append("<tr><td>").append(escaped(row.getKey())).append("<td>").append(row.getValue());
      html.append(String.format(Locale.ROOT, "<td>%.2f %%", 100.0 * row.getValue() / sum));
    }
    html.append("</table></div>");
  }

  private void children(Node parent, double left, int depth) {
    List<Node> nodes =
        parent.getChildren().stream()
            .sorted(Comparator.comparingDouble(Node::getCumulativeWeight).reversed())
            .toList();
    double at = left;
    for (Node node : nodes) {
      double share = node.getCumulativeWeight() / all;
      if (share >= MIN_SHARE) {
        box(node, at, share, depth);
        children(node, at, depth + 1);
      }
      at += share;
    }
  }

  private void box(Node node, double left, double share, int depth) {
    deepest = Math.max(deepest, depth);
    IMCMethod method = node.getFrame().getMethod();
    String name = method.getType().getFullName() + "." + method.getMethodName();
    int hue =
        Math.floorMod(String.valueOf(method.getType().getPackage().getName()).hashCode(), 360);
    html.append(
        String.format(
            Locale.ROOT,
            "<div style='left:%.1fpx;width:%.1fpx;top:%dpx;background:hsl(%d,55%%,78%%)'>%s</div>",
            left * WIDTH,
            share * WIDTH,
            depth * ROW_HEIGHT,
            hue,
            escaped(name)));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;");
  }
}
