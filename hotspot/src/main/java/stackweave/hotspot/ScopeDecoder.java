package stackweave.hotspot;

import java.util.Arrays;

/**
 * The Java frames at a pc of a compiled method: its scopes, innermost first, down to the method
 * that was compiled ({@code scopeDesc.cpp}, ScopeDesc::decode_body).
 */
final class ScopeDecoder {
  /** Deeper than any compiler inlines. */
  private static final int MOST_INLINED = 256;

  /** What HotSpot adds to a bci before it is compressed, so that −1 can be said. */
  private static final int BCI_BIAS = 1;

  private static final int NO_SENDER = 0;

  private final MethodCache methods;
  private final int unknownMethod;
  private final Unsigned5 stream;
  private final int[] ids = new int[MOST_INLINED];
  private final int[] bcis = new int[MOST_INLINED];
  private final int[] lines = new int[MOST_INLINED];
  private int count;
  private boolean complete;

  ScopeDecoder(Layout layout, MethodCache methods, int unknownMethod) {
    this.methods = methods;
    this.unknownMethod = unknownMethod;
    this.stream = new Unsigned5(layout.unsigned5ExcludesZero);
  }

  /** The frames at {@code pc}; never null, never empty. */
  PcEntry.JavaFrames at(Nmethod nmethod, long pc) {
    count = 0;
    complete = true;
    int scope = nmethod.isNative() ? Nmethod.NO_SCOPE : nmethod.scopeAt(pc);
    if (scope <= NO_SENDER) {
      // Before the first instruction of the body: of the method itself, nowhere in its bytecodes.
      add(nmethod.method(), FrameBuffer.UNKNOWN);
      return frames(nmethod);
    }
    while (scope > NO_SENDER && count < MOST_INLINED) {
      stream.at(nmethod.scopes(), scope, nmethod.scopes().length);
      int sender = stream.next();
      long method = nmethod.metadata(stream.next());
      int bci = stream.next() - BCI_BIAS;
      add(method, bci);
      // A sender was written before those it calls.
      scope = sender < scope ? sender : NO_SENDER;
    }
    return frames(nmethod);
  }

  private void add(long address, int bci) {
    JavaMethod method = address == 0 ? null : methods.find(address);
    complete &= method != null;
    ids[count] = method == null ? unknownMethod : method.id;
    bcis[count] = bci < 0 ? FrameBuffer.UNKNOWN : bci;
    lines[count] = method == null ? FrameBuffer.UNKNOWN : method.lineAt(bci);
    count++;
  }

  private PcEntry.JavaFrames frames(Nmethod nmethod) {
    byte[] kinds = new byte[count];
    Arrays.fill(kinds, (byte) FrameKind.INLINED.code());
    kinds[count - 1] = (byte) nmethod.frameKind().code();
    return new PcEntry.JavaFrames(
        kinds,
        Arrays.copyOf(ids, count),
        Arrays.copyOf(bcis, count),
        Arrays.copyOf(lines, count),
        complete);
  }
}
