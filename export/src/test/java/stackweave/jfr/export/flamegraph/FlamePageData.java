package stackweave.jfr.export.flamegraph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/** A second reader of the data in a flame graph's page, from the description in FlameData. */
public final class FlamePageData {
  public record Way(String label, boolean isGuess) {}

  public record Module(String path, String buildId, String rules) {}

  public record Look(String text, int kind, String origin, Module module, int line, Way way) {}

  public record Node(Node parent, Look look) {
    int level() {
      int level = 0;
      for (Node n = parent; n != null; n = n.parent) {
        level++;
      }
      return level;
    }
  }

  public record Cell(int cell, long count, long micros) {}

  public record Stack(
      Node node,
      String thread,
      long threadId,
      String state,
      boolean isBefore,
      long count,
      long micros,
      long scatter,
      List<Cell> cells) {}

  private record Function(String text, int kind, String origin, Module module) {}

  public final JsonObject head;
  public final List<Node> nodes = new ArrayList<>();
  public final List<Stack> stacks = new ArrayList<>();

  private final byte[] bytes;
  private int at;

  public FlamePageData(String page) throws DataFormatException {
    Matcher json =
        Pattern.compile("<script type=\"application/json\" id=\"data\">(.*?)</script>")
            .matcher(page);
    assertTrue(json.find());
    head = JsonParser.parseString(json.group(1)).getAsJsonObject();
    bytes = inflate(Base64.getDecoder().decode(head.get("data").getAsString()));
    decode();
    assertEquals(bytes.length, at, "all was read");
  }

  private static byte[] inflate(byte[] packed) throws DataFormatException {
    Inflater inflater = new Inflater();
    inflater.setInput(packed);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] buffer = new byte[65_536];
    while (!inflater.finished()) {
      all.write(buffer, 0, inflater.inflate(buffer));
    }
    inflater.end();
    return all.toByteArray();
  }

  private void decode() {
    List<String> strings = new ArrayList<>();
    for (long left = number(); left > 0; left--) {
      strings.add(text());
    }
    List<Module> modules = new ArrayList<>();
    for (long left = number(); left > 0; left--) {
      modules.add(new Module(text(), text(), text()));
    }
    List<Way> ways = new ArrayList<>();
    for (long left = number(); left > 0; left--) {
      ways.add(new Way(text(), number() == 1));
    }
    List<Function> functions = new ArrayList<>();
    for (long left = number(); left > 0; left--) {
      String text = strings.get((int) number());
      int kind = (int) number();
      String origin = strings.get((int) number());
      int module = (int) number();
      functions.add(new Function(text, kind, origin, module == 0 ? null : modules.get(module - 1)));
    }
    List<Look> looks = new ArrayList<>();
    for (long left = number(); left > 0; left--) {
      Function f = functions.get((int) number());
      looks.add(
          new Look(
              f.text(),
              f.kind(),
              f.origin(),
              f.module(),
              (int) number(),
              ways.get((int) number())));
    }
    Node last = null;
    for (long left = number(); left > 0; left--) {
      Node parent = last;
      for (long up = number(); up > 0; up--) {
        parent = parent.parent();
      }
      last = new Node(parent, looks.get((int) number()));
      nodes.add(last);
    }
    List<String> threads = new ArrayList<>();
    List<Long> threadIds = new ArrayList<>();
    for (long left = number(); left > 0; left--) {
      threads.add(text());
      threadIds.add(number());
      number(); // of the process
    }
    List<String> states = new ArrayList<>();
    for (long left = number(); left > 0; left--) {
      states.add(text());
    }
    int node = 0;
    for (long left = number(); left > 0; left--) {
      node += (int) number();
      int thread = (int) number();
      String state = states.get((int) number());
      long cellsAndBefore = number();
      long count = number();
      long micros = number();
      long scatter = number();
      List<Cell> cells = new ArrayList<>();
      int cell = 0;
      for (long more = cellsAndBefore / 2; more > 0; more--) {
        cell += (int) number();
        cells.add(new Cell(cell, number(), number()));
      }
      stacks.add(
          new Stack(
              nodes.get(node),
              threads.get(thread),
              threadIds.get(thread),
              state,
              cellsAndBefore % 2 == 1,
              count,
              micros,
              scatter,
              cells));
    }
  }

  /** The page's stacks in the collapsed format. */
  public String collapse() {
    TreeMap<String, Long> lines = new TreeMap<>();
    for (Stack stack : stacks) {
      lines.merge(line(stack.node()), stack.count(), Long::sum);
    }
    StringBuilder text = new StringBuilder();
    lines.forEach((line, count) -> text.append(line).append(' ').append(count).append('\n'));
    return text.toString();
  }

  private static String line(Node node) {
    StringBuilder line = new StringBuilder(node.look().text());
    for (Node n = node.parent(); n.parent() != null; n = n.parent()) {
      line.insert(0, n.look().text() + ";");
    }
    return line.toString();
  }

  private String text() {
    int length = (int) number();
    at += length;
    return new String(bytes, at - length, length, StandardCharsets.UTF_8);
  }

  private long number() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte b = bytes[at++];
      value |= (long) (b & 127) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }
}
