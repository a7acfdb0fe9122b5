package stackweave.hotspot.pc;

import stackweave.hotspot.code.BlobKind;
import stackweave.hotspot.code.CodeBlob;
import stackweave.hotspot.code.InterpreterCodelets;
import stackweave.hotspot.code.Nmethod;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;

/**
 * All that is known of one pc in the code cache: its blob, the Java methods that run there, and the
 * state of an interrupted frame. Decoded once, so that unwinding a known pc reads nothing but the
 * copied stack. Immutable, save for the entries that it replaces and what the cache notes in it.
 */
public final class PcEntry {
  /** An interrupted instruction or a return address. */
  public final long pc;

  final boolean interrupted;

  /** The blob that has it. */
  public final CodeBlob blob;

  /** The blob's kind; kept here, too, because the blob is seldom in the CPU's cache. */
  public final BlobKind kind;

  /** As {@link CodeBlob#frameBytes}; kept here for the same reason. */
  public final int frameBytes;

  /** Whether pc is where deoptimized frames of the compiled method return to. */
  public final boolean isDeoptHandler;

  /** The compiled method at pc; null if it is none. */
  public final Nmethod nmethod;

  /** The Java frames at pc, innermost first; null but for compiled methods. */
  public final JavaFrames javaFrames;

  /** The interpreter's codelet at pc; null outside the interpreter. */
  public final InterpreterCodelets.Codelet codelet;

  /** Whether pc is certainly a return address: behind a call, or made one by the VM. */
  public final boolean isReturnAddress;

  /** Whether debug information was recorded for exactly this pc: a call, all arguments in place. */
  public final boolean hasPcDesc;

  /** Where the call before a return address went, if its code says so; else 0. */
  public final long callTarget;

  /** Words that the code pops right behind the call: pushed for it, below the frame. */
  public final int pushedWords;

  /** How an interrupted frame stands, if it is not complete; else null. */
  public final PartialFrame partial;

  /** The code around an interrupted pc (from {@link #CODE_BEFORE} bytes before it), or null. */
  public final byte[] code;

  /** How much of the code before an interrupted pc is kept. */
  public static final int CODE_BEFORE = Cpu.CODE_WINDOW;

  /** How much of the code from an interrupted pc on is kept. */
  static final int CODE_AFTER = Cpu.CODE_WINDOW;

  /**
   * The Java frames at a pc, innermost first. All are inlined but the last.
   *
   * @param kind of the outermost frame
   * @param frames method, bci and line of each, {@link #METHOD} to {@link #WORDS}
   * @param complete whether all methods could be read
   * @param linked whether each inlined method is what its caller's bytecode calls
   * @param key of the outermost method, by name and descriptor (see {@code CallSites})
   * @param holderName of the outermost method's class
   * @param called what the innermost method's bytecode calls
   * @param calledClass the class that it names there
   */
  public record JavaFrames(
      FrameKind kind,
      int[] frames,
      boolean complete,
      boolean linked,
      long key,
      long holderName,
      long called,
      long calledClass) {
    static final int METHOD = 0;
    static final int BCI = 1;
    static final int LINE = 2;
    static final int WORDS = 3;

    /** How many frames there are, 1 or more. */
    public int count() {
      return frames.length / WORDS;
    }

    /** Id of the method of frame {@code i} among the {@code HotSpotMethods}. */
    public int method(int i) {
      return frames[i * WORDS + METHOD];
    }

    /** The bytecode index of frame {@code i}, or {@link FrameBuffer#UNKNOWN}. */
    public int bci(int i) {
      return frames[i * WORDS + BCI];
    }

    /** The source line of frame {@code i}, or {@link FrameBuffer#UNKNOWN}. */
    public int line(int i) {
      return frames[i * WORDS + LINE];
    }

    /** Whether it is valid as long as its blob is. */
    boolean isSure() {
      return complete && linked;
    }
  }

  /** The caller's entry when this was last followed by one, which is tried first; or null. */
  PcEntry likelyCaller;

  /** The generation of the cache that has it; 0 for none. */
  int keptIn;

  private PcEntry former;
  private PcEntry nameless;
  private PcEntry present;

  PcEntry(
      long pc,
      boolean interrupted,
      CodeBlob blob,
      JavaFrames javaFrames,
      InterpreterCodelets.Codelet codelet,
      boolean isReturnAddress,
      boolean hasPcDesc,
      long callTarget,
      int pushedWords,
      PartialFrame partial,
      byte[] code) {
    this.pc = pc;
    this.interrupted = interrupted;
    this.blob = blob;
    this.kind = blob.kind;
    this.frameBytes = blob.frameBytes;
    this.nmethod = blob instanceof Nmethod n ? n : null;
    this.isDeoptHandler = nmethod != null && nmethod.isDeoptHandler(pc);
    this.javaFrames = javaFrames;
    this.codelet = codelet;
    this.isReturnAddress = isReturnAddress;
    this.callTarget = callTarget;
    this.pushedWords = pushedWords;
    this.hasPcDesc = hasPcDesc;
    this.partial = partial;
    this.code = code;
  }

  /** The same code with its methods not named, because it may be younger than the sample. */
  PcEntry nameless(JavaFrames unknown) {
    if (nameless == null) {
      nameless =
          new PcEntry(
              pc,
              interrupted,
              blob,
              unknown,
              codelet,
              isReturnAddress,
              hasPcDesc,
              callTarget,
              pushedWords,
              partial,
              code);
      nameless.present = this;
    }
    return nameless;
  }

  /** The entry of what is there now: this, or the one that {@link #nameless} was made of. */
  public PcEntry present() {
    return present == null ? this : present;
  }

  /** What was at this pc before, in a blob that is gone; or null. */
  PcEntry former() {
    return former;
  }

  /** One former is kept, not a chain of them. */
  void setFormer(PcEntry replaced) {
    former = replaced;
    replaced.former = null;
  }
}
