package stackweave.hotspot.code;

import stackweave.hotspot.unloading.CheckRounds;
import stackweave.hotspot.unloading.Lifetime;

/**
 * A copy of what is needed of one code blob. The VM frees blobs and reuses their memory, so {@link
 * BlobCache} compares the {@link Identity} (name, size, compile id, method) with the VM before a
 * cached copy is used again.
 */
public class CodeBlob extends Lifetime {
  final long address;

  /** What kind of code it has. */
  public final BlobKind kind;

  /** The blob's name as the VM has it. */
  public final String name;

  /** Id of the blob's name among the methods. */
  public final int nameId;

  /** Address of the first instruction. */
  public final long codeBegin;

  /** First address behind the code. */
  public final long codeEnd;

  /** Frame size in bytes, return address and saved frame pointer included; 0 or less: none. */
  public final int frameBytes;

  /** Where the code has set up its frame, from the start of the code; negative if not known. */
  public final int frameComplete;

  private final Identity identity;
  private boolean gone;

  /** Another blob was here at that time: samples up to then are none of this one. */
  private long replacedAfter = Long.MIN_VALUE;

  /** The values by which a blob is known to be the same. */
  record Identity(long name, int size, int compileId, long method) {}

  CodeBlob(
      long address,
      BlobKind kind,
      String name,
      int nameId,
      long codeBegin,
      long codeEnd,
      int frameBytes,
      int frameComplete,
      Identity identity) {
    this.address = address;
    this.kind = kind;
    this.name = name;
    this.nameId = nameId;
    this.codeBegin = codeBegin;
    this.codeEnd = codeEnd;
    this.frameBytes = frameBytes;
    this.frameComplete = frameComplete;
    this.identity = identity;
  }

  /** Whether {@code pc} lies in its code. */
  public final boolean contains(long pc) {
    return pc >= codeBegin && pc < codeEnd;
  }

  final Identity identity() {
    return identity;
  }

  /** Whether it was found replaced or freed. */
  public final boolean isGone() {
    return gone;
  }

  final void setGone() {
    gone = true;
    setUnchecked();
  }

  final void setReplacedAfter(long timeNanos) {
    replacedAfter = timeNanos;
  }

  /** Whether another blob is known to have been here at the sample's time. */
  public final boolean isTooYoung(CheckRounds rounds) {
    return rounds.sampleTime() <= replacedAfter;
  }
}
