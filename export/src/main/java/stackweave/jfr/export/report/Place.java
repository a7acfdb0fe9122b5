package stackweave.jfr.export.report;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.export.FrameCategory;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampleSum;
import stackweave.jfr.read.SampledFrame;

/**
 * Where the CPU time of a stack went; each stack is in one place.
 *
 * @param group one of those below
 * @param detail the library, purpose of libjvm, system call, or kind of Java code
 * @param javaAt index of the innermost Java frame; -1 for none
 */
record Place(String group, String detail, int javaAt) {
  static final String JAVA = "Java";
  static final String LIBRARY = "native library";
  static final String JVM = "libjvm";
  static final String STUBS = "JVM's generated code";
  static final String KERNEL = "kernel";
  static final String IDLE = "waiting";
  static final String UNKNOWN = "unknown";

  private static final Pattern SYSTEM_CALL =
      Pattern.compile("^(?:__x64_sys_|__arm64_sys_|__se_sys_|__do_sys_|ksys_|__sys_)(\\w+)");
  private static final Pattern FAULT =
      Pattern.compile("page_fault|handle_mm_fault|user_addr_fault");
  private static final Pattern INTERRUPT =
      Pattern.compile("^(asm_)?(sysvec|common_interrupt|irq_)");
  private static final String RUNNING = "running";
  private static final String ON_CPU = "on CPU";

  static Place of(SampleSum sum) {
    List<SampledFrame> frames = sum.frames();
    int java = CodeOrigin.innermostJava(frames);
    if (isIdle(sum.state())) {
      return new Place(IDLE, sum.state(), java);
    }
    if (frames.isEmpty()) {
      return new Place(UNKNOWN, "", -1);
    }
    SampledFrame innermost = frames.get(frames.size() - 1);
    return switch (FrameCategory.of(innermost)) {
      case KERNEL -> new Place(KERNEL, kernel(frames), java);
      case INTERPRETED, C1, C2, C1_OSR, C2_OSR, COMPILED, INLINED, NATIVE_METHOD ->
          new Place(JAVA, innermost.kind(), java);
      case STUB -> new Place(STUBS, innermost.text(), java);
      case JVM -> new Place(JVM, purpose(frames, java).label(), java);
      case NATIVE, CPP -> ofNative(frames, java);
      case CONTINUATION, CLASS, UNKNOWN, MARKER -> new Place(UNKNOWN, "", java);
    };
  }

  /** The library that Java called, with its callees; else the innermost that is no runtime. */
  private static Place ofNative(List<SampledFrame> frames, int java) {
    String library = "";
    boolean hasJvm = false;
    for (int i = java + 1; i < frames.size(); i++) {
      String origin = CodeOrigin.of(frames.get(i));
      hasJvm |= origin.equals(CodeOrigin.JVM);
      boolean counts = isLibrary(frames.get(i)) && !CodeOrigin.isRuntime(origin);
      if (counts && (library.isEmpty() || java < 0)) {
        library = origin;
      }
    }
    if (library.isEmpty() && hasJvm) {
      return new Place(JVM, purpose(frames, java).label(), java);
    }
    String innermost = CodeOrigin.of(frames.get(frames.size() - 1));
    return new Place(LIBRARY, library.isEmpty() ? innermost : library, java);
  }

  /** Whether it is code with unwind tables of its own: a library's or libjvm's. */
  static boolean isNative(SampledFrame frame) {
    return isLibrary(frame) || FrameCategory.of(frame) == FrameCategory.JVM;
  }

  static boolean isLibrary(SampledFrame frame) {
    FrameCategory category = FrameCategory.of(frame);
    return category == FrameCategory.NATIVE || category == FrameCategory.CPP;
  }

  /** Whether it is code of the C library, or of other libraries that all libraries use. */
  static boolean isRuntime(SampledFrame frame) {
    return isLibrary(frame) && CodeOrigin.isRuntime(CodeOrigin.of(frame));
  }

  private static boolean isIdle(String state) {
    return !state.isEmpty()
        && !state.contains(RUNNING)
        && !state.contains(ON_CPU)
        && !state.startsWith("state ");
  }

  private static Purpose purpose(List<SampledFrame> frames, int java) {
    for (Purpose purpose : Purpose.values()) {
      for (int i = java + 1; i < frames.size(); i++) {
        if (FrameCategory.of(frames.get(i)) == FrameCategory.JVM
            && purpose.has(FrameText.of(frames.get(i)).symbol())) {
          return purpose;
        }
      }
    }
    return Purpose.OTHER;
  }

  private static String kernel(List<SampledFrame> frames) {
    String other = "other";
    for (SampledFrame frame : frames) {
      if (FrameCategory.of(frame) != FrameCategory.KERNEL) {
        continue;
      }
      String symbol = FrameText.of(frame).symbol();
      Matcher call = SYSTEM_CALL.matcher(symbol);
      if (call.find()) {
        return call.group(1);
      }
      if (FAULT.matcher(symbol).find()) {
        return "page faults";
      }
      other = INTERRUPT.matcher(symbol).find() ? "interrupts" : other;
    }
    return other;
  }
}
