package stackweave.jfr.export;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampledFrame;

/**
 * The categories of frames in exports, with their colours: the kinds of the recording's legend,
 * with the JVM distinguished from other native code by its library, and C++ from C by the form of
 * names. Orange and yellow are native, bluish green is Java, blue and violet are the JVM and
 * transitions: hues that colour-blind people can tell apart.
 */
public enum FrameCategory {
  NATIVE("native", 36, 92, 62, "Machine code of a library or program, C and the like"),
  CPP("C++", 52, 92, 72, "Native code of a library or program, with C++ names"),
  JVM("JVM", 212, 72, 80, "Native code of the JVM itself: libjvm.so"),
  KERNEL("kernel", 330, 52, 68, "Kernel code"),
  INTERPRETED("interpreted", 150, 22, 84, "Java, run by the interpreter"),
  C1("C1", 160, 40, 72, "Java, compiled by C1"),
  C2("C2", 164, 58, 58, "Java, compiled by C2"),
  C1_OSR("C1 OSR", 170, 46, 64, "Java, compiled by C1 from the middle of a loop on"),
  C2_OSR("C2 OSR", 172, 66, 48, "Java, compiled by C2 from the middle of a loop on"),
  COMPILED("compiled", 167, 52, 58, "Java, compiled by C1 or C2: the recording does not say which"),
  INLINED("inlined", 158, 44, 80, "Java, inlined into the compiled frame below"),
  NATIVE_METHOD("native method", 199, 74, 62, "A Java method whose code is native"),
  STUB("stub", 268, 36, 84, "Code that the VM generates for itself"),
  CONTINUATION(
      "continuation",
      300,
      30,
      80,
      "No code: where a virtual thread's frames begin, or are in the heap instead of on the stack"),
  CLASS("class", 44, 20, 84, "No code: the class of what was allocated, or of the lock"),
  UNKNOWN("unknown", 220, 6, 76, "Code of no known module or sort"),
  MARKER("marker", 0, 0, 84, "No code: where a stack could not be followed further");

  /** The name of the JVM's own library. */
  static final String LIBJVM = "libjvm.so";

  private static final Map<String, FrameCategory> BY_LABEL =
      Arrays.stream(values()).collect(Collectors.toMap(FrameCategory::label, each -> each));

  private final String label;
  private final List<Integer> color;
  private final String about;

  FrameCategory(String label, int hue, int saturation, int lightness, String about) {
    this.label = label;
    this.color = List.of(hue, saturation, lightness);
    this.about = about;
  }

  /** The category of a frame. */
  public static FrameCategory of(SampledFrame frame) {
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

  public String label() {
    return label;
  }

  public String about() {
    return about;
  }

  /** Hue, saturation and lightness. */
  public List<Integer> color() {
    return color;
  }
}
