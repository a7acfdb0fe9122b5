package stackweave.jfr.weave.format;

import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampledFrame;
import stackweave.jfr.read.SampledMethod;

/**
 * A frame as JFR's tools expect it: everything is a method of a class in a package. Native
 * functions are methods of their library. Immutable.
 *
 * @param className of a Java class as in the class file, with slashes; of native code the library
 * @param packageName likewise; empty for none
 * @param descriptor as in the class file
 * @param modifiers as in the class file
 */
public record TraceFrame(
    String className, String packageName, String name, String descriptor, int modifiers) {
  private static final String NO_PARAMETERS = "()V";

  /** The access flag of native methods. */
  private static final int NATIVE = 0x100;

  /** How a frame's code runs, by the names of JFR and of async-profiler. */
  public enum Type {
    INTERPRETED("Interpreted", 0),
    JIT_COMPILED("JIT compiled", 1),
    INLINED("Inlined", 2),
    NATIVE("Native", 3),
    CPP("C++", 4),
    KERNEL("Kernel", 5);

    private final String description;
    private final int usualKey;

    Type(String description, int usualKey) {
      this.description = description;
      this.usualKey = usualKey;
    }

    public String description() {
      return description;
    }

    /** Whether JFR lacks this type. */
    public boolean isOwn() {
      return this == CPP || this == KERNEL;
    }

    /** JFR's key; for types that JFR lacks, the key that jfr-converter knows. */
    public int usualKey() {
      return usualKey;
    }
  }

  /** The method of a frame. */
  public static TraceFrame of(SampledFrame frame) {
    SampledMethod method = frame.method();
    if (!method.className().isEmpty()) {
      return new TraceFrame(
          internal(method.className()),
          internal(packageOf(method.className())),
          method.name(),
          method.descriptor().isEmpty() ? NO_PARAMETERS : method.descriptor(),
          method.modifiers());
    }
    FrameText text = FrameText.of(frame);
    if (text.library().isEmpty()) {
      return withoutLibrary(frame.kind(), text.symbol().isEmpty() ? text.text() : text.symbol());
    }
    String library = withoutBrackets(text.library());
    return new TraceFrame(
        library,
        packageOf(library),
        text.symbol().isEmpty() ? text.text() : text.symbol(),
        NO_PARAMETERS,
        NATIVE);
  }

  /** The only frame of a stack without frames, because a stack trace must not be empty. */
  public static TraceFrame placeholder(String text) {
    return withoutLibrary(SampledFrame.MARKER, text);
  }

  private static TraceFrame withoutLibrary(String kind, String name) {
    String className = withoutBrackets(kind);
    return new TraceFrame(
        className.isEmpty() ? "unknown" : className, "", name, NO_PARAMETERS, NATIVE);
  }

  /** JMC refuses names of classes that begin with a bracket, as {@code [vdso]} does. */
  private static String withoutBrackets(String name) {
    String plain = name;
    while (plain.startsWith("[")) {
      plain = plain.substring(1);
    }
    return plain.length() < name.length() && plain.endsWith("]")
        ? plain.substring(0, plain.length() - 1)
        : plain;
  }

  private static String internal(String name) {
    return name.replace('.', '/');
  }

  /** The text before the last dot that is not part of a hidden class's name. */
  private static String packageOf(String className) {
    int hidden = className.indexOf('/');
    int dot = className.lastIndexOf('.', hidden < 0 ? className.length() : hidden);
    return dot < 0 ? "" : className.substring(0, dot);
  }

  /** The type of a frame, by its kind. */
  public static Type type(SampledFrame frame) {
    return switch (frame.kind()) {
      case "interpreted" -> Type.INTERPRETED;
      case "C1", "C2", "C1 OSR", "C2 OSR" -> Type.JIT_COMPILED;
      case "inlined" -> Type.INLINED;
      case "kernel" -> Type.KERNEL;
      case "native" -> isCpp(FrameText.of(frame).symbol()) ? Type.CPP : Type.NATIVE;
      default -> Type.NATIVE;
    };
  }

  /** C++ if the demangled name has a scope or parameters, which no C symbol has. */
  private static boolean isCpp(String symbol) {
    return symbol.contains("::") || symbol.indexOf('(') > 0;
  }
}
