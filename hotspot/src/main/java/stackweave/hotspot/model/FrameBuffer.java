package stackweave.hotspot.model;

import stackweave.unwind.StopReason;
import stackweave.unwind.walk.Found;

/**
 * The frames of one stack, innermost first, in columns of primitives. Filled by the mixed unwinder,
 * read by those who record or print stacks, reused from sample to sample. Not thread-safe.
 */
public final class FrameBuffer {
  /** {@link #method} of frames that have none: native and kernel code. */
  public static final int NO_METHOD = -1;

  /** {@link #line} and {@link #bci} where unknown. */
  public static final int UNKNOWN = -1;

  /** {@link #link} of a frame of which nothing is known. */
  public static final byte NO_LINK = 0;

  private final byte[] kinds;
  private final long[] pcs;
  private final int[] methods;
  private final int[] bcis;
  private final int[] lines;
  private final boolean[] exact;
  private final byte[] links;
  private final byte[] founds;
  private int count;
  private Found next = Found.TABLES;
  private boolean unknownCode;

  /** Whether any frame was found otherwise than by tables. */
  private boolean foundOtherwise;

  private long mountEntry;
  private long mountedContinuation;
  private StopReason end = StopReason.INTERNAL_ERROR;

  /**
   * @param depth most frames of one stack; a stack that has more ends with {@link
   *     StopReason#TOO_DEEP}
   */
  public FrameBuffer(int depth) {
    kinds = new byte[depth];
    pcs = new long[depth];
    methods = new int[depth];
    bcis = new int[depth];
    lines = new int[depth];
    exact = new boolean[depth];
    links = new byte[depth];
    founds = new byte[depth];
  }

  /** Forgets all frames; the end is {@link StopReason#INTERNAL_ERROR} until {@link #finish}. */
  public void clear() {
    count = 0;
    next = Found.TABLES;
    unknownCode = false;
    foundOtherwise = false;
    mountEntry = 0;
    mountedContinuation = 0;
    end = StopReason.INTERNAL_ERROR;
  }

  /**
   * Appends the next outer frame of native or kernel code.
   *
   * @param interrupted whether {@code pc} is the interrupted instruction (innermost frame, or the
   *     one right outside a signal frame) rather than a return address
   * @return false when the buffer is full
   */
  public boolean addNative(FrameKind kind, long pc, boolean interrupted) {
    unknownCode |= kind == FrameKind.UNKNOWN;
    return addHotSpot(kind, pc, interrupted, NO_METHOD, UNKNOWN, UNKNOWN);
  }

  /**
   * Appends the next outer frame that HotSpot knows.
   *
   * @param method id in {@link HotSpotMethods}: the method, or the name of a stub
   * @param bci bytecode index, or {@link #UNKNOWN}
   * @param line source line, or {@link #UNKNOWN}
   * @return false when the buffer is full
   */
  public boolean addHotSpot(
      FrameKind kind, long pc, boolean interrupted, int method, int bci, int line) {
    if (count == pcs.length) {
      return false;
    }
    kinds[count] = (byte) kind.code();
    pcs[count] = pc;
    exact[count] = interrupted;
    methods[count] = method;
    bcis[count] = bci;
    lines[count] = line;
    links[count] = NO_LINK;
    founds[count] = (byte) next.code();
    foundOtherwise |= next != Found.TABLES;
    next = Found.TABLES;
    count++;
    return true;
  }

  /** Says that a frame was found in a way that can be wrong. */
  public void guess(int i, Found way) {
    founds[i] = (byte) way.code();
    foundOtherwise = true;
  }

  /** Whether a frame was found in a way that can be wrong. */
  public boolean hasGuesses() {
    boolean guesses = false;
    for (int i = 0; foundOtherwise && i < count && !guesses; i++) {
      guesses = found(i).isGuess();
    }
    return guesses;
  }

  /**
   * Whether a frame is in no module and no code blob, or a caller was rejected because it would be:
   * the modules may have changed.
   */
  public boolean hasUnknownCode() {
    return unknownCode;
  }

  /** Says that what may be a caller is in no module and no code blob. */
  public void setUnknownCode() {
    unknownCode = true;
  }

  /**
   * Adds the frames that were not found by tables to counts.
   *
   * @param counts by {@link Found#code}
   */
  public void countFound(long[] counts) {
    for (int i = 0; foundOtherwise && i < count; i++) {
      if (founds[i] != 0) {
        counts[founds[i]]++;
      }
    }
  }

  /** Says how the frame that is appended next was found. */
  public void setFoundOfNext(Found found) {
    next = found;
  }

  /** How frame {@code i} was found from its callee. */
  public Found found(int i) {
    return Found.ofCode(founds[i]);
  }

  /** Takes the outermost frames away, down to {@code count} frames, for another try. */
  public void truncate(int count) {
    this.count = count;
    next = Found.TABLES;
  }

  /**
   * How frame {@code i} is linked with its callee: a value of the link check, or {@link #NO_LINK}.
   */
  public byte link(int i) {
    return links[i];
  }

  /** Says how frame {@code i} is linked with its callee; for the link check only. */
  public void setLink(int i, byte link) {
    links[i] = link;
  }

  /** Replaces {@code from} to {@code to} (exclusive) by one frame, of a name without a method. */
  public void replace(int from, int to, FrameKind kind, int method) {
    kinds[from] = (byte) kind.code();
    methods[from] = method;
    bcis[from] = UNKNOWN;
    lines[from] = UNKNOWN;
    links[from] = NO_LINK;
    move(to, from + 1);
  }

  /** Forgets bytecode index and line of frame {@code i}. */
  public void forgetPlace(int i) {
    bcis[i] = UNKNOWN;
    lines[i] = UNKNOWN;
  }

  /** Puts a frame without a pc of its own before frame {@code i}; false when the buffer is full. */
  public boolean insert(int i, FrameKind kind, int method) {
    if (count == pcs.length) {
      return false;
    }
    move(i, i + 1);
    pcs[i] = 0;
    exact[i] = false;
    founds[i] = (byte) Found.TABLES.code();
    replace(i, i + 1, kind, method);
    return true;
  }

  /** Takes the innermost frames away. */
  public void dropInnermost(int frames) {
    move(frames, 0);
  }

  private void move(int from, int to) {
    int length = count - from;
    System.arraycopy(kinds, from, kinds, to, length);
    System.arraycopy(pcs, from, pcs, to, length);
    System.arraycopy(exact, from, exact, to, length);
    System.arraycopy(methods, from, methods, to, length);
    System.arraycopy(bcis, from, bcis, to, length);
    System.arraycopy(lines, from, lines, to, length);
    System.arraycopy(links, from, links, to, length);
    System.arraycopy(founds, from, founds, to, length);
    count += to - from;
  }

  /** Says that a virtual thread was mounted: see {@link #mountEntry}. */
  public void setMounted(long entry, long continuation) {
    mountEntry = entry;
    mountedContinuation = continuation;
  }

  /**
   * Where on the stack HotSpot keeps what it knows of the virtual thread that was mounted; 0 if the
   * frames are none of a virtual thread, or if the walk did not come as far.
   */
  public long mountEntry() {
    return mountEntry;
  }

  /**
   * The address in the heap that {@link #mountEntry} has for the continuation of the virtual
   * thread: tells two of them apart while no collection moves objects, and is never to be read
   * through.
   */
  public long mountedContinuation() {
    return mountedContinuation;
  }

  /** Declares the stack finished, with why it ends. */
  public void finish(StopReason reason) {
    end = reason;
  }

  /** Number of frames. */
  public int count() {
    return count;
  }

  /** Why the stack ends at its outermost frame. */
  public StopReason end() {
    return end;
  }

  /** What frame {@code i} is; 0 is the innermost. */
  public FrameKind kind(int i) {
    return FrameKind.ofCode(kinds[i]);
  }

  /** The pc of frame {@code i}: an interrupted instruction or a return address. */
  public long pc(int i) {
    return pcs[i];
  }

  /** Whether {@link #pc} is the interrupted instruction rather than a return address. */
  public boolean isInterrupted(int i) {
    return exact[i];
  }

  /** Id in {@link HotSpotMethods}, or {@link #NO_METHOD}. */
  public int method(int i) {
    return methods[i];
  }

  /** Bytecode index of a Java frame, or {@link #UNKNOWN}. */
  public int bci(int i) {
    return bcis[i];
  }

  /** Source line of a Java frame, or {@link #UNKNOWN}. */
  public int line(int i) {
    return lines[i];
  }
}
