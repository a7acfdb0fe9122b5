package stackweave.jfr.export;

import stackweave.jfr.read.SampledFrame;

/** Where the code of a frame comes from: a library, the kernel, Java, the JVM. */
final class CodeOrigin {
  static final String JAVA = "Java";
  static final String KERNEL = "kernel";
  static final String JVM = "JVM (libjvm.so)";
  static final String GENERATED = "JVM (stubs, interpreter)";
  static final String UNKNOWN = "unknown";

  private static final String LIBJVM = "libjvm.so";
  private static final String OFFSET = "+0x";
  private static final String RANGE = "..0x";

  private CodeOrigin() {}

  /** The name under which the frame's code is summed up: a file name, or one of those above. */
  static String of(SampledFrame frame) {
    return switch (FrameCategory.of(frame)) {
      case KERNEL -> KERNEL;
      case INTERPRETED, C1, C2, C1_OSR, C2_OSR, INLINED, NATIVE_METHOD -> JAVA;
      case STUB -> GENERATED;
      case JVM -> JVM;
      case NATIVE, CPP -> {
        String library = library(frame.text());
        yield library.isEmpty() ? UNKNOWN : library;
      }
      case CONTINUATION, UNKNOWN, MARKER -> UNKNOWN;
    };
  }

  /** Whether native code of this text is the JVM's own. */
  static boolean isJvm(String text) {
    return library(text).equals(LIBJVM);
  }

  /**
   * The library in the text of a native frame: {@code symbol [library]}, {@code symbol
   * [library+0x12]}, or {@code library+0x12} and {@code library+0x12..0x34} where the function has
   * no name; empty for none.
   */
  static String library(String text) {
    int open = moduleAt(text);
    if (open >= 0) {
      return withoutOffset(text.substring(open + 1, text.length() - 1));
    }
    int offset = text.lastIndexOf(OFFSET);
    return offset > 0 && isAddress(text, offset + OFFSET.length()) ? text.substring(0, offset) : "";
  }

  /** Where the brackets with the module begin, with which the text ends; -1 for none. */
  static int moduleAt(String text) {
    if (!text.endsWith("]")) {
      return -1;
    }
    int open = text.lastIndexOf(" [");
    return open >= 0 ? open + 1 : text.startsWith("[") ? 0 : -1;
  }

  private static String withoutOffset(String module) {
    int offset = module.lastIndexOf(OFFSET);
    return offset > 0 && isAddress(module, offset + OFFSET.length())
        ? module.substring(0, offset)
        : module;
  }

  /** Whether nothing but an address, or a range of addresses, stands from there on. */
  private static boolean isAddress(String text, int from) {
    int range = text.indexOf(RANGE, from);
    return range < 0
        ? isHex(text, from, text.length())
        : isHex(text, from, range) && isHex(text, range + RANGE.length(), text.length());
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
