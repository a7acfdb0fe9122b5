package stackweave.jfr.export.stall;

import java.util.List;
import java.util.regex.Pattern;
import stackweave.jfr.export.CodeOrigin;
import stackweave.jfr.export.FrameCategory;
import stackweave.jfr.read.FrameText;
import stackweave.jfr.read.SampledFrame;

/**
 * Whether a stack is one that the JVM has to wait for at a safepoint: of a Java thread in Java code
 * or in the JVM. The JVM does not wait for a thread in native code, which stops when it returns.
 * Stateless.
 */
final class ThreadPosition {
  /**
   * Functions in which a thread has stopped, or goes on after it, or is blocked (_thread_blocked:
   * for a lock, a notification, a permit) and so counts as stopped.
   */
  private static final Pattern STOPPED =
      Pattern.compile(
          "SafepointMechanism|SafepointSynchronize|HandshakeState|SafepointBlob"
              + "|handle_polling_page_exception"
              + "|Parker::park|PlatformEvent::park|PlatformMonitor::wait");

  private ThreadPosition() {}

  /**
   * Where the thread is, in words, if it still has to stop.
   *
   * @param frames the thread's first frame first
   * @return "" if it need not
   */
  static String late(List<SampledFrame> frames) {
    int java = CodeOrigin.innermostJava(frames);
    if (java < 0) {
      return ""; // a thread of the JVM, or one in native code
    }
    for (int i = frames.size() - 1; i >= java; i--) {
      SampledFrame frame = frames.get(i);
      switch (FrameCategory.of(frame)) {
        case KERNEL -> {
          continue;
        }
        case JVM -> {
          return isStopped(frames, java) ? "" : frame.text() + " for " + frames.get(java).text();
        }
        case STUB -> {
          return frame.text() + " of " + frames.get(java).text();
        }
        case INTERPRETED, C1, C2, C1_OSR, C2_OSR, COMPILED, INLINED -> {
          return frame.text();
        }
        case NATIVE, CPP -> {
          if (!CodeOrigin.isRuntime(CodeOrigin.of(frame))) {
            return "";
          }
        }
        case NATIVE_METHOD, CONTINUATION, CLASS, UNKNOWN, MARKER -> {
          return "";
        }
      }
    }
    return "";
  }

  private static boolean isStopped(List<SampledFrame> frames, int java) {
    for (int i = frames.size() - 1; i > java; i--) {
      if (STOPPED.matcher(FrameText.of(frames.get(i)).symbol()).find()) {
        return true;
      }
    }
    return false;
  }

  /** The native method in which the thread is, perhaps in a callee; "" if it is in none. */
  static String nativeMethod(List<SampledFrame> frames) {
    int java = CodeOrigin.innermostJava(frames);
    return java >= 0 && FrameCategory.of(frames.get(java)) == FrameCategory.NATIVE_METHOD
        ? frames.get(java).text()
        : "";
  }
}
