package stackweave.jfr.export;

import java.util.List;
import java.util.regex.Pattern;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampledFrame;

/** The origin of a frame's code for totals: a library, the kernel, Java, the JVM. Stateless. */
public final class CodeOrigin {
  /** The kernel's code in each process, as its mapping is called. */
  public static final String VDSO = "[vdso]";

  /** Java code. */
  public static final String JAVA = "Java";

  /** The kernel. */
  public static final String KERNEL = "kernel";

  /** The JVM's library. */
  public static final String JVM = "JVM (libjvm.so)";

  /** Code that the JVM generates, but for Java methods. */
  public static final String GENERATED = "JVM (stubs, interpreter)";

  /** No code: the classes of objects, as callees of the code that uses them. */
  public static final String CLASSES = "classes of objects";

  /** Code of none of these. */
  public static final String UNKNOWN = "unknown";

  /** Libraries that other libraries, the JVM and generated code call; also the JVM's launcher. */
  private static final Pattern RUNTIME =
      Pattern.compile(
          "(libc|libm|libpthread|libstdc\\+\\+|libgcc_s|ld-linux.*|libdl|librt)(\\.so.*|-.*)?"
              + "|\\[?vdso\\]?|libjli\\.so|java");

  /** Packages whose classes work for their callers. */
  private static final Pattern JDK = Pattern.compile("(java|javax|jdk|sun|com[.]sun)[.]");

  private CodeOrigin() {}

  /** Whether code of this origin works for its callers, so that these decide where it counts. */
  public static boolean isRuntime(String origin) {
    return RUNTIME.matcher(origin).matches();
  }

  /** The name under which the frame is counted: a library's, or one of those above. */
  public static String of(SampledFrame frame) {
    return switch (FrameCategory.of(frame)) {
      case KERNEL -> KERNEL;
      case INTERPRETED, C1, C2, C1_OSR, C2_OSR, COMPILED, INLINED, NATIVE_METHOD -> JAVA;
      case STUB -> GENERATED;
      case JVM -> JVM;
      case NATIVE, CPP -> {
        String library = FrameText.of(frame).library();
        yield switch (library) {
          case "" -> UNKNOWN;
          case "vdso" -> VDSO;
          default -> library;
        };
      }
      case CLASS -> CLASSES;
      case CONTINUATION, UNKNOWN, MARKER -> UNKNOWN;
    };
  }

  /** Whether a frame is of a Java method. */
  public static boolean isJava(SampledFrame frame) {
    return of(frame).equals(JAVA);
  }

  /** The index of the innermost Java frame; -1 for none. */
  public static int innermostJava(List<SampledFrame> frames) {
    int java = frames.size() - 1;
    while (java >= 0 && !isJava(frames.get(java))) {
      java--;
    }
    return java;
  }

  /**
   * The text of the innermost Java frame that is not of the JDK; if all are, of the innermost one.
   *
   * @return "" if no frame is Java's
   */
  public static String callerOutsideOfJdk(List<SampledFrame> frames) {
    int java = innermostJava(frames);
    for (int i = java; i >= 0; i--) {
      String text = frames.get(i).text();
      if (isJava(frames.get(i)) && !JDK.matcher(text).lookingAt()) {
        return text;
      }
    }
    return java < 0 ? "" : frames.get(java).text();
  }
}
