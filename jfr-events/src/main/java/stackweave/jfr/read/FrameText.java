package stackweave.jfr.read;

import java.util.List;
import stackweave.jfr.call.TimedMethods;

/**
 * The text of a frame, the same in all exports: {@code symbol [module]} for native code, {@code
 * pkg.Class.method} for Java, {@code symbol [kernel]}, {@code module+0xstart} for a function
 * without a symbol. Immutable.
 *
 * @param text the whole text
 * @param symbol the part of it that is a symbol; empty for a function without one
 * @param library the part of it that names the library, without brackets; empty for Java, the
 *     kernel, stubs, and if unknown
 */
public record FrameText(String text, String symbol, String library) {
  private static final String KERNEL = "kernel";

  /**
   * Digits of a build id in the text of a function without a symbol: enough to tell two builds
   * apart.
   */
  private static final int BUILD_ID_DIGITS = 8;

  private static final String OFFSET = "+0x";
  private static final String RANGE = "..0x";
  private static final String UNKNOWN_CODE = "[unknown code]";

  /** The text of {@code frame}; equal for frames of one method and kind. */
  public static FrameText of(SampledFrame frame) {
    SampledMethod method = frame.method();
    String name = method.name();
    if (!method.className().isEmpty()) {
      // A timed native method has the name of its wrapper, as in other recordings.
      name = TimedMethods.ownName(name);
      return new FrameText(method.className() + "." + name, name, "");
    }
    if (hasLibrary(name)) {
      return alone(name);
    }
    SampledModule module = method.module();
    if (module == null) {
      return withoutModule(name, frame.kind());
    }
    String function = withoutSymbol(name, module);
    if (function != null) {
      String library = build(module);
      return new FrameText(library + function, "", withoutBrackets(library));
    }
    return inPlace(name, module.name());
  }

  /** {@code thread_start [libc.so.6+0x…]}, {@code [unknown code]}; not {@code to_string[abi]}. */
  private static boolean hasLibrary(String method) {
    return method.endsWith("]") && (method.startsWith("[") || method.contains(" ["));
  }

  /**
   * The offset with its plus sign, of a function named by its place in its library; null for
   * others.
   */
  private static String withoutSymbol(String method, SampledModule module) {
    for (String name : List.of(module.name(), module.file())) {
      if (method.startsWith(OFFSET, name.length()) && method.startsWith(name)) {
        return method.substring(name.length());
      }
    }
    return null;
  }

  /** The module's name, with its build if there are several, as offsets differ between them. */
  private static String build(SampledModule module) {
    if (!module.hasOtherBuilds()) {
      return module.name();
    }
    if (module.buildId().isEmpty()) {
      return module.file();
    }
    int digits = Math.min(BUILD_ID_DIGITS, module.buildId().length());
    return module.name() + "@" + module.buildId().substring(0, digits);
  }

  private static FrameText withoutModule(String method, String kind) {
    if (kind.equals(KERNEL)) {
      FrameText text = inPlace(method, KERNEL);
      return new FrameText(text.text(), text.symbol(), "");
    }
    if (method.startsWith("0x")) {
      return alone(UNKNOWN_CODE); // some recordings have the pc as the name
    }
    return alone(method.isEmpty() ? "[unknown]" : method);
  }

  private static FrameText inPlace(String method, String place) {
    String inBrackets = place.startsWith("[") ? place : "[" + place + "]";
    return new FrameText(
        method.isEmpty() ? inBrackets : method + " " + inBrackets, method, withoutBrackets(place));
  }

  /** The vdso's name, which is no path, has brackets. */
  private static String withoutBrackets(String place) {
    return place.startsWith("[") && place.endsWith("]")
        ? place.substring(1, place.length() - 1)
        : place;
  }

  /**
   * The text of a name without a module, which may contain the library as {@code symbol
   * [library+0x12]}, {@code library+0x12} or {@code library+0x12..0x34}.
   */
  private static FrameText alone(String name) {
    if (name.endsWith("]")) {
      int open = name.lastIndexOf(" [");
      if (open >= 0 || name.startsWith("[")) {
        String library = name.substring(open < 0 ? 1 : open + 2, name.length() - 1);
        int offset = offsetAt(library);
        return new FrameText(
            name,
            name.substring(0, Math.max(0, open)),
            offset > 0 ? library.substring(0, offset) : library);
      }
    }
    int offset = offsetAt(name);
    return offset > 0
        ? new FrameText(name, "", name.substring(0, offset))
        : new FrameText(name, name, "");
  }

  /** The start of an offset or range at the text's end; -1 if there is none. */
  private static int offsetAt(String text) {
    int offset = text.lastIndexOf(OFFSET);
    if (offset < 0) {
      return -1;
    }
    int from = offset + OFFSET.length();
    int range = text.indexOf(RANGE, from);
    boolean isAddress =
        range < 0
            ? isHex(text, from, text.length())
            : isHex(text, from, range) && isHex(text, range + RANGE.length(), text.length());
    return isAddress ? offset : -1;
  }

  private static boolean isHex(String text, int from, int to) {
    for (int i = from; i < to; i++) {
      if (Character.digit(text.charAt(i), 16) < 0) {
        return false;
      }
    }
    return from < to;
  }
}
