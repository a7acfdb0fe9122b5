package stackweave.jfr.export;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;
import stackweave.jfr.read.SampledModule;
import stackweave.jfr.read.StackEnd;

/**
 * The tables that pprof and OTLP have in common: strings, mappings, functions, locations, stacks.
 * Entry 0 is the empty string, and no mapping, function, location or stack; equal entries are one.
 * Names are as in all exports, without control characters. Not thread-safe.
 *
 * <p>Native addresses are those of the library's own file, as debuggers and {@code addr2line} use
 * them. Addresses of callers lie within the call instruction, not behind it.
 */
public final class ProfileTables {

  /**
   * A place in code.
   *
   * @param mapping its library; 0 for none
   * @param address in the library's own addresses; 0 for none
   * @param lines functions and lines, the innermost inlined one first
   * @param origin sort of code
   */
  public record Location(int mapping, long address, List<Line> lines, Origin origin) {}

  /**
   * A function and a line in it.
   *
   * @param function its index
   * @param line 0 for unknown
   */
  public record Line(int function, long line) {}

  /**
   * A function; all are indices of strings.
   *
   * @param name its text in all exports
   * @param systemName the symbol alone; the same as the name if there is none
   * @param file the source file; 0 for unknown
   */
  public record Function(int name, int systemName, int file) {}

  /** The kind of code that a frame runs. */
  public enum Origin {
    NATIVE,
    KERNEL,
    JVM,
    NONE
  }

  /** Texts. */
  public final Index<String> strings = new Index<>(0);

  /** Libraries. */
  public final Index<SampledModule> mappings = new Index<>(1);

  /** Functions. */
  public final Index<Function> functions = new Index<>(1);

  /** Locations. */
  public final Index<Location> locations = new Index<>(1);

  /** Stacks as indices of locations, the innermost first. */
  public final Index<List<Integer>> stacks = new Index<>(1);

  private final FrameCache<Integer> functionsOfFrames = new FrameCache<>(this::functionOf);
  private final FrameCache<FrameCategory> categories = new FrameCache<>(FrameCategory::of);

  /** Empty tables. */
  public ProfileTables() {
    string("");
  }

  /** A text of a recording as exports have it: its control characters become spaces. */
  public static String text(String text) {
    return Names.printable(text);
  }

  /** The index of {@link #text}. */
  public int string(String text) {
    return strings.of(text(text));
  }

  /**
   * The index of a stack.
   *
   * @param end why it ends; the place of a marker is that of the first frame
   * @param frames the thread's first frame first
   */
  public int stack(StackEnd end, List<SampledFrame> frames) {
    List<Integer> stack = new ArrayList<>();
    int inlined = frames.size(); // the innermost of those that belong to one frame of the machine
    for (int i = frames.size() - 1; i >= 0; i--) {
      if (categories.get(frames.get(i)) != FrameCategory.INLINED || i == 0) {
        stack.add(location(frames.subList(i, inlined)));
        inlined = i;
      }
    }
    String marker = Names.marker(end, frames.size());
    if (!marker.isEmpty()) {
      stack.add(marker(marker));
    }
    return stacks.of(stack);
  }

  private int marker(String name) {
    int text = string(name);
    int function = functions.of(new Function(text, text, 0));
    return locations.of(new Location(0, 0, List.of(new Line(function, 0)), Origin.NONE));
  }

  /**
   * @param frames the machine's frame, and then those inlined into it
   */
  private int location(List<SampledFrame> frames) {
    SampledFrame machine = frames.get(0);
    List<Line> lines = new ArrayList<>();
    for (int i = frames.size() - 1; i >= 0; i--) {
      SampledFrame frame = frames.get(i);
      lines.add(new Line(functionsOfFrames.get(frame), frame.line()));
    }
    Origin origin = origin(categories.get(machine));
    boolean hasAddress = origin == Origin.NATIVE && machine.method().module() != null;
    long address = hasAddress ? machine.method().start() + machine.offset() : 0;
    int mapping = hasAddress ? mappings.of(machine.method().module()) : 0;
    return locations.of(new Location(mapping, address, List.copyOf(lines), origin));
  }

  private static Origin origin(FrameCategory category) {
    return switch (category) {
      case NATIVE, CPP, JVM -> Origin.NATIVE;
      case KERNEL -> Origin.KERNEL;
      case INTERPRETED, C1, C2, C1_OSR, C2_OSR, COMPILED, INLINED, NATIVE_METHOD, STUB ->
          Origin.JVM;
      case CONTINUATION, CLASS, UNKNOWN, MARKER -> Origin.NONE;
    };
  }

  private int functionOf(SampledFrame frame) {
    FrameText text = FrameText.of(frame);
    SampledMethod method = frame.method();
    int name = string(text.text());
    boolean hasSymbol = method.className().isEmpty() && !text.symbol().isEmpty();
    int symbol = hasSymbol ? string(text.symbol()) : name;
    return functions.of(new Function(name, symbol, string(method.sourceFile())));
  }

  /** The ways in which frames of a stack were guessed, as one text; empty if none was. */
  public static String guessed(List<SampledFrame> frames) {
    Set<String> ways = null;
    for (SampledFrame frame : frames) {
      if (frame.found().isGuess()) {
        ways = ways == null ? new TreeSet<>() : ways;
        ways.add(frame.found().label());
      }
    }
    return ways == null ? "" : String.join(", ", ways);
  }

  /** The label of the kind of the innermost frame; empty if there is none. */
  public String kind(List<SampledFrame> frames) {
    return frames.isEmpty() ? "" : categories.get(frames.get(frames.size() - 1)).label();
  }
}
