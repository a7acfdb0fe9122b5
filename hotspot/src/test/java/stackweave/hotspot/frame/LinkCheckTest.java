package stackweave.hotspot.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.model.UnwindCounters;

/**
 * What a broken link leaves of the names on both sides. Stacks are written innermost first; before
 * each frame stands how it is linked with the one before it: {@code .} not at all, {@code i}
 * inlined, {@code =} held, {@code #} held with its class named, {@code x} broken; behind it {@code
 * !} if it is proven by its time, {@code ?} if it is doubtful.
 */
class LinkCheckTest {
  private final HotSpotMethods names = new HotSpotMethods();
  private final UnwindCounters counters = new UnwindCounters();
  private final LinkCheck links = new LinkCheck(names, counters);

  @ParameterizedTest(name = "{0} becomes {1}")
  @CsvSource({
    // nothing is broken
    ".a =b =c, a b@ c@",
    ".a ib .c, a b@ c@",
    // neither is proven
    ".a xb .c, [stale code] [stale code] c@",
    // one is held by its other neighbour
    ".a =b xc .d, a b@ [stale code] d@",
    ".a xb =c, [stale code] b c@",
    // both are: something is missing between them, and where the caller is was read of it
    ".a =b xc =d, a b@ [missing frame] c d@",
    // proven by time
    ".a! xb .c, a [stale code] c@",
    ".a xb! .c, [stale code] b@ c@",
    ".a! xb! .c, a [missing frame] b@ c@",
    // what is inlined goes with what it is inlined in
    ".a ib xc id .e, [stale code] [stale code] e@",
    ".a! ib xc id! .e, a b@ [stale code] e@",
    // only the compiled method itself is held by its caller, not what is inlined in it
    ".a xb ic =d, [stale code] [stale code] c d@",
    // two broken links
    ".a xb xc .d, [stale code] [stale code] [stale code] d@",
    ".a! xb! xc! .d, a [missing frame] b@ [missing frame] c@ d@",
  })
  void mark(String before, String after) {
    FrameBuffer stack = new FrameBuffer(16);
    fill(stack, before);
    links.mark(stack);
    assertEquals(after, text(stack));
  }

  @ParameterizedTest(name = "{0} becomes {1}")
  @CsvSource({
    ".a? .b .c, [stale code] b@ c@",
    ".a .b? ic .d, a [stale code] d@",
    // where classes are made alike, names and descriptors fit, too: those of its caller,
    ".a? =b .c, [stale code] b@ c@",
    ".a .b? ic =d, a [stale code] d@",
    // ... of what it calls,
    ".a =b? .c, a [stale code] c@",
    ".a? xb =c, [stale code] b@ c@",
    // ... and of both
    ".a =b? =c, a [stale code] c@",
    // the caller names the class
    ".a? #b .c, a b@ c@",
    ".a =b? #c, a b@ c@",
    // ... but may itself be another
    ".a? #b? .c, [stale code] [stale code] c@",
    ".a? #b? #c, a b@ c@",
    // what is inlined in it is there where it calls what ran
    ".a .b? ic #d, a [stale code] c d@",
    ".a =b? ic #d, a b@ c@ d@",
  })
  void markDoubtful(String before, String after) {
    FrameBuffer stack = new FrameBuffer(16);
    fill(stack, before);
    links.markDoubtful(stack);
    assertEquals(after, text(stack));
  }

  @Test
  void whatIsMarkedIsCounted() {
    FrameBuffer stack = new FrameBuffer(16);
    fill(stack, ".a! xb! xc .d");
    links.mark(stack);
    assertEquals(1, counters.missingFrames);
    assertEquals(1, counters.staleFrames);
  }

  @Test
  void aFullBufferKeepsItsFrames() {
    FrameBuffer stack = new FrameBuffer(2);
    fill(stack, ".a! xb!");
    links.mark(stack);
    assertEquals("a b@", text(stack));
    assertEquals(0, counters.missingFrames);
  }

  private void fill(FrameBuffer stack, String frames) {
    for (String frame : frames.split(" ")) {
      int method = names.intern(new HotSpotMethod("C", frame.substring(1, 2), "()V", 0, ""));
      // Each but the innermost is at a bytecode.
      int bci = stack.count() == 0 ? FrameBuffer.UNKNOWN : 1;
      stack.addHotSpot(FrameKind.C1, 0x1000, false, method, bci, bci);
      byte link =
          switch (frame.charAt(0)) {
            case 'i' -> LinkCheck.INLINED;
            case '=' -> LinkCheck.HELD;
            case '#' -> LinkCheck.HELD | LinkCheck.CLASS_NAMED;
            case 'x' -> LinkCheck.BROKEN;
            default -> LinkCheck.NONE;
          };
      byte known =
          switch (frame.charAt(frame.length() - 1)) {
            case '!' -> LinkCheck.PROVEN;
            case '?' -> LinkCheck.DOUBTFUL;
            default -> 0;
          };
      stack.setLink(stack.count() - 1, (byte) (link | known));
    }
  }

  private String text(FrameBuffer stack) {
    return IntStream.range(0, stack.count())
        .mapToObj(
            i ->
                names.get(stack.method(i)).name()
                    + (stack.bci(i) == FrameBuffer.UNKNOWN ? "" : "@"))
        .collect(Collectors.joining(" "));
  }
}
