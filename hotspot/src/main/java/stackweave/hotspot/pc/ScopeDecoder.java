package stackweave.hotspot.pc;

import java.util.Arrays;
import stackweave.hotspot.code.DebugInfo;
import stackweave.hotspot.code.Nmethod;
import stackweave.hotspot.method.CallSites;
import stackweave.hotspot.method.JavaMethod;
import stackweave.hotspot.method.MethodCache;
import stackweave.hotspot.method.Unsigned5;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.pc.PcEntry.JavaFrames;
import stackweave.hotspot.vmstructs.Layout;

/**
 * Decodes the Java frames at a pc of a compiled method: its scopes, innermost first, out to the
 * method that was compiled ({@code scopeDesc.cpp}, ScopeDesc::decode_body). Called by the pc cache.
 * Not thread-safe.
 */
public final class ScopeDecoder {
  /** Deeper than any compiler inlines. */
  private static final int MAX_INLINED = 256;

  /** HotSpot adds this to a bci before it is compressed, so that −1 can be stored. */
  private static final int BCI_BIAS = 1;

  private static final int NO_SENDER = 0;

  private final MethodCache methods;
  private final CallSites sites;
  private final int unknownMethod;
  private final JavaFrames staleCode;
  private final JavaFrames nameless;
  private final Unsigned5 stream;
  private final int[] frames = new int[MAX_INLINED * JavaFrames.WORDS];
  private boolean live;
  private int count;
  private boolean complete;
  private boolean linked;
  private long key;
  private long holderName;
  private long called;
  private long calledClass;

  /**
   * @param unknownMethod id of the method to name where a scope's own can't be read
   * @param staleCode id of the method to name where code was replaced since the sample
   */
  public ScopeDecoder(
      Layout layout, MethodCache methods, CallSites sites, int unknownMethod, int staleCode) {
    this.methods = methods;
    this.sites = sites;
    this.unknownMethod = unknownMethod;
    this.staleCode = stale(staleCode, false);
    this.nameless = stale(staleCode, true);
    this.stream = new Unsigned5(layout.unsigned5ExcludesZero);
  }

  /**
   * The frames at {@code pc}; never null, never empty.
   *
   * @param debug of the compiled method
   * @param isLive whether what the code names is known not to be freed
   * @param interrupted whether nothing is called at pc
   */
  JavaFrames at(Nmethod nmethod, DebugInfo debug, boolean isLive, long pc, boolean interrupted) {
    int scope = nmethod.isNative() ? DebugInfo.NO_SCOPE : debug.scopeAt(pc);
    if (scope <= NO_SENDER) {
      // Before the first instruction of the body: of the method itself, nowhere in its bytecodes.
      return ofMethod(nmethod, isLive);
    }
    begin(isLive);
    while (scope > NO_SENDER && count < MAX_INLINED) {
      stream.at(debug.bytes(), debug.positionOf(scope), debug.scopesEnd());
      int sender = stream.next();
      long method = debug.metadata(stream.next());
      add(nmethod, method, stream.next() - BCI_BIAS, count > 0 || !interrupted);
      // A sender was written before those it calls.
      scope = sender < scope ? sender : NO_SENDER;
    }
    return frames(nmethod);
  }

  /** The compiled method itself, nowhere in its bytecodes. */
  JavaFrames ofMethod(Nmethod nmethod, boolean isLive) {
    begin(isLive);
    add(nmethod, nmethod.method(), FrameBuffer.UNKNOWN, false);
    return frames(nmethod);
  }

  private void begin(boolean isLive) {
    live = isLive;
    count = 0;
    complete = true;
    linked = true;
    called = CallSites.ANYTHING;
    calledClass = CallSites.NO_CLASS;
    key = CallSites.ANYTHING;
    holderName = CallSites.NO_CLASS;
  }

  private void add(Nmethod nmethod, long address, int bci, boolean calls) {
    JavaMethod method = address == 0 ? null : methods.findNamedBy(nmethod, address, live);
    complete &= method != null;
    link(method, calls ? bci : FrameBuffer.UNKNOWN);
    int at = count++ * JavaFrames.WORDS;
    frames[at + JavaFrames.METHOD] = method == null ? unknownMethod : method.id;
    frames[at + JavaFrames.BCI] = bci < 0 ? FrameBuffer.UNKNOWN : bci;
    frames[at + JavaFrames.LINE] = method == null ? FrameBuffer.UNKNOWN : method.lineAt(bci);
  }

  /** An inlined method must be what the bytecode of its caller calls. */
  private void link(JavaMethod method, int bci) {
    long callee = method == null ? CallSites.ANYTHING : sites.calledAt(method, bci);
    if (count == 0) {
      called = callee;
      calledClass = method == null ? CallSites.NO_CLASS : sites.classCalledAt(method, bci);
    } else {
      linked &= CallSites.canCall(callee, key);
    }
    key = method == null ? CallSites.ANYTHING : method.key;
    holderName = method == null ? CallSites.NO_CLASS : method.holderName;
  }

  /** One frame, of which nothing is known, for code that other code may have replaced. */
  JavaFrames nameless() {
    return nameless;
  }

  private static JavaFrames stale(int name, boolean linked) {
    return new JavaFrames(
        FrameKind.UNKNOWN,
        new int[] {name, FrameBuffer.UNKNOWN, FrameBuffer.UNKNOWN},
        false,
        linked,
        CallSites.ANYTHING,
        CallSites.NO_CLASS,
        CallSites.ANYTHING,
        CallSites.NO_CLASS);
  }

  private JavaFrames frames(Nmethod nmethod) {
    if (!linked) {
      return staleCode;
    }
    return new JavaFrames(
        nmethod.frameKind(),
        Arrays.copyOf(frames, count * JavaFrames.WORDS),
        complete,
        true,
        key,
        holderName,
        called,
        calledClass);
  }
}
