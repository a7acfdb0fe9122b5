package stackweave.hotspot.cpu;

/**
 * The instruction sequences that HotSpot's code generators always emit the same way on a processor:
 * calls, and how frames are set up and taken down. Each processor's package has an implementation,
 * which its {@link Cpu} has.
 *
 * <p>Registers go by DWARF number. Code is passed as an array of bytes and an index; outside of the
 * array nothing is recognised. Stateless.
 */
public abstract class CodePatterns {
  /**
   * How long sequences are, in bytes.
   *
   * @param call before a return address, what holds any call
   * @param knownCall the same of any call whose target the code says
   * @param pops behind a call, what holds the longest run of pops that is looked for
   * @param fpPush the instruction that saves the frame pointer at the start of a routine
   * @param enter {@link #isEnter}
   */
  public record Lengths(int call, int knownCall, int pops, int fpPush, int enter) {}

  /** What {@link #linkageSlot} needs to see. */
  public static final int LINKAGE_STUB_BYTES = 12;

  public final Lengths lengths;

  /** The frame of code that has pushed nothing yet, or popped everything. */
  public final PartialFrame frameless;

  protected CodePatterns(Lengths lengths, PartialFrame frameless) {
    this.lengths = lengths;
    this.frameless = frameless;
  }

  // Calls.

  /** Whether a call instruction ends right before {@code code[end]}. */
  public abstract boolean isCallBefore(byte[] code, int end);

  /**
   * The target of the call that ends right before {@code code[end]}, the bytes before {@code pc}.
   *
   * @return 0 where the code does not say
   */
  public abstract long callTarget(byte[] code, int end, long pc);

  /**
   * The address of the word with the target of a stub of a linkage table, on processors with a link
   * register.
   *
   * @param code at {@code address}, {@link #LINKAGE_STUB_BYTES} of it
   * @return 0 if there is no such stub
   */
  public long linkageSlot(byte[] code, long address) {
    return 0;
  }

  /** How many words are popped one after the other at the start of {@code code}. */
  public abstract int popsAt(byte[] code);

  /** The register through which {@code code[i]} jumps, or {@link Cpu#NONE}. */
  public abstract int jumpRegister(byte[] code, int i);

  // How frames are set up and taken down.

  /**
   * The state of the frame at {@code pc}, an index in {@code code}, if it lies in the prologue of
   * compiled code that begins at {@code entry}.
   *
   * @return null if pc is behind the prologue or there is none within {@code limit}
   */
  public abstract PartialFrame inPrologue(byte[] code, int entry, int pc, int limit);

  /** The same for an epilogue of compiled code; null if {@code pc} is in none. */
  public abstract PartialFrame inEpilogue(byte[] code, int pc);

  /** Whether {@code code[i]} returns. */
  public abstract boolean isReturn(byte[] code, int i);

  /** Whether {@code code[i]} saves the frame pointer right below the return address. */
  public abstract boolean isFpPush(byte[] code, int i);

  /** Whether {@code code[i]} begins {@link #isFpPush} and sets the frame pointer then. */
  public abstract boolean isEnter(byte[] code, int i);

  /**
   * Whether at {@code code[i]} return address and saved frame pointer are on top of the stack, and
   * the frame pointer is the caller's: within what sets a frame up, or takes it down.
   */
  public abstract boolean isLinkOnTop(byte[] code, int i);

  /** Whether a routine at {@code code[i]} begins by saving the frame pointer. */
  public abstract boolean isSavingFp(byte[] code, int i);

  /** Whether {@link Cpu#throwingPc} was popped within {@code distance} bytes before {@code end}. */
  public abstract boolean isThrowingPcPoppedBefore(byte[] code, int end, int distance);

  /** The byte, or -1 outside of what was copied. */
  public static int at(byte[] code, int i) {
    return i >= 0 && i < code.length ? code[i] & 0xff : -1;
  }
}
