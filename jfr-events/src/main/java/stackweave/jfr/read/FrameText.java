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

  /** The text of {@code frame}; equal for frames of one method and kind. */
  public static FrameText of(SampledFrame frame) {
    SampledMethod method = frame.method();
    String name = method.name();
    if (!method.className().isEmpty()) {
      // A timed native method has the name of its wrapper, as in other recordings.
      name = TimedMethods.ownName(name);
      return new FrameText(method.className() + "." + name, name, "");
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

  private static FrameText withoutModule(String name, String kind) {
    boolean endsWithPlace = name.endsWith("]");
    int open = endsWithPlace ? name.lastIndexOf(" [") : -1;
    if (open > 0 || endsWithPlace && name.startsWith("[")) {
      // Behind the name is a module of the kernel, or whose generated code it is.
      String library = name.substring(open < 0 ? 1 : open + 2, name.length() - 1);
      return new FrameText(name, name.substring(0, Math.max(0, open)), library);
    }
    if (kind.equals(KERNEL)) {
      FrameText text = inPlace(name, KERNEL);
      return new FrameText(text.text(), text.symbol(), "");
    }
    if (name.isEmpty() || name.startsWith("0x")) {
      String what = name.isEmpty() ? "unknown" : "unknown code"; // some have the pc as the name
      return new FrameText("[" + what + "]", "", what);
    }
    return new FrameText(name, name, "");
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
}
