package stackweave.fleet.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.Row;
import stackweave.jfr.read.FoundWay;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;

/**
 * Makes frames of rows, the opposite of {@link FrameRows}. Equal frames are one object, and so are
 * equal methods. Not thread-safe.
 */
public final class TableFrames {
  /** Before the start in the name of a function without one. */
  private static final String PLACE = "+0x";

  /** What a module is told apart by. */
  private record Build(String path, String buildId) {}

  private final Map<String, Set<String>> buildsByName = new HashMap<>();
  private final Map<Build, SampledModule> modules = new HashMap<>();
  private final Map<SampledMethod, SampledMethod> methods = new HashMap<>();
  private final Map<SampledFrame, SampledFrame> frames = new HashMap<>();

  /**
   * Learns of a library before frames are made, as names show builds where there are several.
   *
   * @param buildId null if unknown
   */
  public void learn(String library, String buildId) {
    buildsByName
        .computeIfAbsent(library, any -> new HashSet<>())
        .add(buildId == null ? "" : buildId);
  }

  /** The frames of a stack, the thread's first frame first. */
  public List<SampledFrame> frames(List<Row> stack) {
    List<SampledFrame> all = new ArrayList<>(stack.size());
    for (Row row : stack) {
      all.add(frame(row));
    }
    return all;
  }

  /** The frame of a row. */
  public SampledFrame frame(Row row) {
    String library = text(row, "library");
    String function = text(row, "function");
    long start = start(library, function);
    SampledMethod method =
        new SampledMethod(
            library.isEmpty() ? null : module(library, text(row, "path"), text(row, "build_id")),
            text(row, "class"),
            function,
            text(row, "descriptor"),
            0,
            text(row, "file"),
            start);
    String found = text(row, "found");
    boolean isGuess = row.getBoolean(row.fieldIndex("guessed"));
    SampledFrame frame =
        new SampledFrame(
            methods.computeIfAbsent(method, same -> same),
            text(row, "kind"),
            (int) number(row, "line"),
            number(row, "offset") - start,
            found.isEmpty() && !isGuess ? FoundWay.TABLES : new FoundWay(found, isGuess));
    return frames.computeIfAbsent(frame, same -> same);
  }

  /**
   * The start of a function without a name, which is called by its library and start; 0 for others,
   * so that their frames' offsets are the library's own addresses.
   */
  private static long start(String library, String function) {
    int from = function.lastIndexOf(PLACE) + PLACE.length();
    if (library.isEmpty() || from < PLACE.length() || from == function.length()) {
      return 0;
    }
    try {
      return Long.parseUnsignedLong(function, from, function.length(), 16);
    } catch (NumberFormatException e) {
      return 0; // a symbol with such characters in it
    }
  }

  private SampledModule module(String name, String path, String buildId) {
    return modules.computeIfAbsent(
        new Build(path, buildId),
        build ->
            new SampledModule(
                path,
                name,
                buildId,
                0,
                0,
                "",
                "",
                0,
                "",
                buildsByName.getOrDefault(name, Set.of()).size() > 1));
  }

  private static String text(Row row, String column) {
    String text = row.getString(row.fieldIndex(column));
    return text == null ? "" : text;
  }

  private static long number(Row row, String column) {
    Object number = row.get(row.fieldIndex(column));
    return number == null ? 0 : ((Number) number).longValue();
  }
}
