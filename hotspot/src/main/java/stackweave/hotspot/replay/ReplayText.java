package stackweave.hotspot.replay;

import java.util.Locale;
import java.util.function.LongFunction;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;

/**
 * Frames as text: a line for each, innermost first, without kernel frames; the last line says how
 * the stack ends.
 *
 * <pre>
 * native         read+0x4e [libc.so.6]
 * C2             java.io.FileInputStream.read()I bci 17 line 231
 * stub           call_stub
 * end: complete
 * </pre>
 */
public final class ReplayText {
  private ReplayText() {}

  /**
   * The text of a stack.
   *
   * @param symbols of a runtime address (of a return address the one before it) the function and
   *     its module as {@code name+0xoffset [module]}
   */
  public static String of(
      FrameBuffer frames, HotSpotMethods methods, LongFunction<String> symbols) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < frames.count(); i++) {
      if (frames.kind(i) == FrameKind.KERNEL) {
        continue;
      }
      String name =
          frames.method(i) != FrameBuffer.NO_METHOD
              ? hotSpot(frames, i, methods.get(frames.method(i)))
              : symbols.apply(lookupAddress(frames, i));
      text.append(String.format(Locale.ROOT, "%-14s %s\n", frames.kind(i).label(), name));
    }
    return text.append("end: ").append(frames.end().label()).append('\n').toString();
  }

  /** The address by which native frame {@code i} is looked up. */
  static long lookupAddress(FrameBuffer frames, int i) {
    return frames.isInterrupted(i) ? frames.pc(i) : frames.pc(i) - 1;
  }

  private static String hotSpot(FrameBuffer frames, int i, HotSpotMethod method) {
    if (method.isStub()) {
      return method.name();
    }
    StringBuilder text = new StringBuilder(method.className()).append('.').append(method.name());
    text.append(method.descriptor());
    if (frames.bci(i) != FrameBuffer.UNKNOWN) {
      text.append(" bci ").append(frames.bci(i));
    }
    if (frames.line(i) != FrameBuffer.UNKNOWN) {
      text.append(" line ").append(frames.line(i));
    }
    return text.toString();
  }
}
