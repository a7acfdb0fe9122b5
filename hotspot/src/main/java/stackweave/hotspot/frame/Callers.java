package stackweave.hotspot.frame;

import stackweave.hotspot.code.BlobKind;
import stackweave.hotspot.code.CodeCache;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.pc.PcCache;
import stackweave.hotspot.pc.PcEntry;
import stackweave.unwind.HeapShare;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;
import stackweave.unwind.walk.CodeModules;

/**
 * Tells whether a word is a return address, and whether a caller that it would lead to makes sense.
 * All frame classes ask it before they use a word of the stack that need not be a return address.
 * Not thread-safe.
 */
public final class Callers {
  private static final int FIRST_RETURNS = 1 << 10;

  /** The most addresses that are kept: as many as a busy JVM shows in a minute. */
  private static final int MAX_RETURNS = HeapShare.of(1 << 15);

  private final CodeCache codeCache;
  private final PcCache pcs;
  private final UnwindCounters counters;

  /** Whether addresses in modules are behind a call, as long as these are the same. */
  private final LongTable<Boolean> nativeReturns = new LongTable<>(FIRST_RETURNS, MAX_RETURNS);

  private int generation;
  private final Cpu cpu;
  private final byte[] code;

  public Callers(CodeCache codeCache, PcCache pcs, Cpu cpu, UnwindCounters counters) {
    this.counters = counters;
    this.cpu = cpu;
    this.code = new byte[cpu.code.lengths.call()];
    this.codeCache = codeCache;
    this.pcs = pcs;
  }

  /** Whether a call can return to {@code pc}. */
  public boolean isReturnAddress(Walk walk, long pc) {
    if (codeCache.contains(pc)) {
      PcEntry entry = pcs.find(pc, false);
      return entry != null && entry.isReturnAddress;
    }
    return isNativeReturnAddress(walk, pc);
  }

  /**
   * Whether {@code pc} may be where the frame at hand returns to, of a native function without
   * unwind information or of a stub: as {@link #isReturnAddress}, or anywhere in anonymous memory
   * that has code. No call is looked for there, since other runtimes replace their code while it is
   * on the stack.
   */
  public boolean isCaller(Walk walk, long pc) {
    if (codeCache.contains(pc)) {
      PcEntry entry = pcs.find(pc, false);
      boolean isStub = codeCache.contains(walk.pc());
      return entry != null && (isStub ? entry.isReturnAddress : mayCallNative(entry));
    }
    return walk.modules().find(pc - 1) == null
        ? walk.modules().isExecutable(pc - 1)
        : isNativeReturnAddress(walk, pc);
  }

  /**
   * Whether a native function can return to {@code pc}, in the code cache or in a module, as its
   * unwind information says: false only if it certainly can't. Code that is gone, or can't be read,
   * is possible.
   */
  public boolean isPossible(Walk walk, long pc) {
    if (codeCache.contains(pc)) {
      PcEntry entry = pcs.find(pc, false);
      return entry == null || mayCallNative(entry);
    }
    return !Boolean.FALSE.equals(isCallBefore(walk, pc));
  }

  /**
   * Whether HotSpot's code at an address may have called native code itself. Java methods call
   * methods and stubs; compiled ones also the VM and libraries of the JDK: without debug
   * information, or, if more of that was asked for (DebugNonSafepoints), at a known target.
   */
  private boolean mayCallNative(PcEntry entry) {
    boolean java =
        switch (entry.kind) {
          case NMETHOD ->
              entry.isDeoptHandler
                  || (entry.callTarget == 0
                      ? entry.hasPcDesc
                      : codeCache.contains(entry.callTarget));
          case INTERPRETER ->
              entry.codelet != null && entry.codelet.isReturnEntry() && entry.callTarget == 0;
          default -> false;
        };
    return entry.isReturnAddress && !java;
  }

  /**
   * As {@link #isCaller} for an address that ought to be one: if it is in no known code, the
   * modules may have changed, and the frame buffer says so.
   */
  public boolean isExpectedCaller(Walk walk, long pc) {
    if (isCaller(walk, pc)) {
      return true;
    }
    if (!codeCache.contains(pc) && walk.modules().find(pc - 1) == null) {
      walk.frames().setUnknownCode();
    }
    return false;
  }

  /** Whether {@code pc} lies in the body of a compiled method. */
  public boolean isInCompiledCode(long pc) {
    PcEntry entry = codeCache.contains(pc) ? pcs.find(pc, true) : null;
    return entry != null
        && entry.kind == BlobKind.NMETHOD
        && pc > entry.nmethod.entries.verified()
        && entry.partial == null;
  }

  /** Whether {@code pc} lies where HotSpot's code is, or was. */
  boolean isInCodeCache(long pc) {
    return codeCache.contains(pc);
  }

  /** Whether {@code pc} is a return address in the code cache. */
  public boolean isHotSpotReturnAddress(long pc) {
    if (!codeCache.contains(pc)) {
      return false;
    }
    PcEntry entry = pcs.find(pc, false);
    return entry != null && entry.isReturnAddress;
  }

  /**
   * Whether a caller of Java code at {@code pc} with this sp and fp makes sense: a return address
   * in the code cache, whose own caller is one too. Java code is never called by native code
   * directly. Where the stack was not copied, it counts as one.
   */
  boolean isGoodForJava(Walk walk, long pc, long sp, long fp) {
    return codeCache.contains(pc) && isGoodInCodeCache(walk, pc, sp, fp);
  }

  private boolean isGoodInCodeCache(Walk walk, long pc, long sp, long fp) {
    PcEntry entry = pcs.find(pc, false);
    if (entry == null || !entry.isReturnAddress || !walk.isOnStack(sp)) {
      return false;
    }
    return switch (entry.kind) {
      case NMETHOD, NATIVE_NMETHOD ->
          (entry.hasPcDesc || entry.isDeoptHandler || entry.nmethod.isNative())
              && isGoodNext(walk, sp + entry.frameBytes - Cpu.WORD);
      case INTERPRETER -> fp > sp && isGoodNext(walk, fp + Cpu.RETURN_ADDRESS);
      case STUB_ROUTINES ->
          entry.blob.name.contains("continuation")
              || fp > sp && isGoodNext(walk, fp + Cpu.RETURN_ADDRESS);
      default -> true;
    };
  }

  private boolean isGoodNext(Walk walk, long slot) {
    if (!walk.isOnStack(slot)) {
      return false;
    }
    try {
      return isReturnAddress(walk, walk.readReturnAddress(slot));
    } catch (UnreadableMemoryException e) {
      return e == UnreadableMemoryException.BEYOND_COPY;
    }
  }

  private boolean isNativeReturnAddress(Walk walk, long pc) {
    return Boolean.TRUE.equals(isCallBefore(walk, pc));
  }

  /** Whether a call is before an address in a module; null if that is not known. */
  private Boolean isCallBefore(Walk walk, long pc) {
    CodeModules modules = walk.modules();
    if (generation != modules.generation()) {
      generation = modules.generation();
      nativeReturns.clear();
    }
    Boolean known = nativeReturns.get(pc);
    if (known != null) {
      return known;
    }
    if (modules.find(pc - 1) == null || !isReadable(walk, pc)) {
      return null;
    }
    boolean call = cpu.code.isCallBefore(code, code.length);
    if (nativeReturns.put(pc, call)) {
      counters.cacheResets++;
    }
    return call;
  }

  /** Reads the bytes before an address, where the call would be; false if they can't be read. */
  private boolean isReadable(Walk walk, long pc) {
    try {
      walk.stack().code().read(pc - code.length, code, 0, code.length);
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
