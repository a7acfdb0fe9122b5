package stackweave.jfr.export;

import java.util.HashMap;
import java.util.Map;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampledFrame;

/**
 * The categories of frames in exports, with their colours: the kinds of the recording's legend,
 * with the JVM distinguished from other native code by its library, and C++ from C by the form of
 * names. Warm colours are native, green is Java, blue and violet are the JVM and transitions.
 */
enum FrameCategory {
  NATIVE("native", 31, 88, 68, "Machine code of a library or program, C and the like"),
  CPP("C++", 47, 92, 66, "Native code of a library or program, with C++ names"),
  JVM("JVM", 232, 62, 82, "Native code of the JVM itself: libjvm.so"),
  KERNEL("kernel", 6, 74, 69, "Kernel code"),
  INTERPRETED("interpreted", 70, 26, 72, "Java, run by the interpreter"),
  C1("C1", 92, 48, 68, "Java, compiled by C1"),
  C2("C2", 138, 42, 62, "Java, compiled by C2"),
  C1_OSR("C1 OSR", 104, 50, 58, "Java, compiled by C1 from the middle of a loop on"),
  C2_OSR("C2 OSR", 150, 44, 52, "Java, compiled by C2 from the middle of a loop on"),
  INLINED("inlined", 172, 40, 66, "Java, inlined into the compiled frame below"),
  NATIVE_METHOD("native method", 207, 66, 72, "A Java method whose code is native"),
  STUB("stub", 284, 44, 80, "Code that the VM generates for itself"),
  CONTINUATION(
      "continuation",
      318,
      52,
      74,
      "No code: where a virtual thread's frames begin, or are in the heap instead of on the stack"),
  UNKNOWN("unknown", 220, 8, 74, "Code of no known module or sort"),
  MARKER("marker", 0, 0, 80, "No code: where a stack could not be followed further");

  /** The name of the JVM's own library. */
  static final String LIBJVM = "libjvm.so";

  private static final Map<String, FrameCategory> BY_LABEL = new HashMap<>();

  static {
    for (FrameCategory category : values()) {
      BY_LABEL.put(category.label, category);
    }
  }

  private final String label;
  private final int hue;
  private final int saturation;
  private final int lightness;
  private final String about;

  FrameCategory(String label, int hue, int saturation, int lightness, String about) {
    this.label = label;
    this.hue = hue;
    this.saturation = saturation;
    this.lightness = lightness;
    this.about = about;
  }

  static FrameCategory of(SampledFrame frame) {
    FrameCategory category = BY_LABEL.getOrDefault(frame.kind(), UNKNOWN);
    if (category != NATIVE) {
      return category;
    }
    FrameText text = FrameText.of(frame);
    return text.library().equals(LIBJVM) ? JVM : isCpp(text.symbol()) ? CPP : NATIVE;
  }

  /** C++ if the demangled name has a scope or parameters, which no C symbol has. */
  private static boolean isCpp(String symbol) {
    return symbol.contains("::") || symbol.indexOf('(') > 0;
  }

  String label() {
    return label;
  }

  String about() {
    return about;
  }

  int hue() {
    return hue;
  }

  int saturation() {
    return saturation;
  }

  int lightness() {
    return lightness;
  }
}
