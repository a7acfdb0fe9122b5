package stackweave.hotspot.pc;

import stackweave.hotspot.code.BlobCache;
import stackweave.hotspot.code.BlobKind;
import stackweave.hotspot.code.CodeBlob;
import stackweave.hotspot.code.DebugInfo;
import stackweave.hotspot.code.InterpreterCodelets;
import stackweave.hotspot.code.Nmethod;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.cpu.PartialFrame;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.unloading.CheckRounds;
import stackweave.unwind.HeapShare;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.hash.LongTable;

/**
 * The {@link PcEntry entries} of the pcs met in the code cache; bounded. Asked for every frame of
 * HotSpot's. An entry is valid as long as its blob is; what could not be decoded is tried again at
 * the next hit. Not thread-safe.
 */
public final class PcCache {
  private static final int MAX_ENTRIES = HeapShare.of(24 << 10);

  private static final int FIRST_SLOTS = 1 << 10;

  /** Bytes of a compiled prologue that are looked at; it makes its last call within them. */
  private static final int MAX_PROLOGUE_BYTES = 160;

  /** Code before the frame is set up in the osr entry, which says no frame_complete. */
  private static final int MAX_OSR_PROLOGUE_BYTES = 64;

  private final MemoryReader memory;
  private final BlobCache blobs;
  private final ScopeDecoder scopes;
  private final InterpreterCodelets codelets;
  private final Cpu cpu;
  private final CheckRounds rounds;
  private final UnwindCounters counters;
  private final LongTable<PcEntry> entries = new LongTable<>(FIRST_SLOTS, MAX_ENTRIES);

  /** Another number after the table was emptied; never 0. */
  private int generation = 1;

  /**
   * The last answer, and the sample and the round that it was given in: a caller's pc is asked for
   * twice, first whether it is a return address.
   */
  private PcEntry last;

  private long lastKey;
  private long lastSampleTime;
  private int lastRound;

  public PcCache(
      MemoryReader memory,
      BlobCache blobs,
      ScopeDecoder scopes,
      InterpreterCodelets codelets,
      Cpu cpu,
      CheckRounds rounds,
      UnwindCounters counters) {
    this.memory = memory;
    this.blobs = blobs;
    this.scopes = scopes;
    this.codelets = codelets;
    this.cpu = cpu;
    this.rounds = rounds;
    this.counters = counters;
  }

  /**
   * What is known of {@code pc} in the code cache.
   *
   * @param interrupted whether pc is the interrupted instruction rather than a return address
   * @return null if there is no blob now, and none was known
   */
  public PcEntry find(long pc, boolean interrupted) {
    long key = pc << 1 | (interrupted ? 1 : 0);
    if (last != null
        && key == lastKey
        && lastRound == rounds.current()
        && lastSampleTime == rounds.sampleTime()) {
      return last;
    }
    last = find(key, pc, interrupted, last);
    lastKey = key;
    lastRound = rounds.current();
    lastSampleTime = rounds.sampleTime();
    return last;
  }

  /**
   * @param before what was asked for before it, mostly its callee
   */
  private PcEntry find(long key, long pc, boolean interrupted, PcEntry before) {
    PcEntry known = likely(pc, interrupted, before);
    if (known == null) {
      known = entries.get(key);
      if (before != null) {
        before.likelyCaller = known;
      }
    }
    if (known != null && blobs.isCurrent(known.blob)) {
      return atSampleTime(known);
    }
    counters.pcMisses++;
    CodeBlob blob = blobs.find(interrupted ? pc : pc - 1);
    Nmethod nmethod = blob instanceof Nmethod n ? n : null;
    DebugInfo debug = nmethod == null ? null : blobs.debugInfo(nmethod);
    if (blob == null || nmethod != null && debug == null) {
      // Freed since: then the sample was taken before that, in what was there.
      return known != null && known.blob.isLastThere(rounds) ? known : null;
    }
    PcEntry entry = decode(pc, interrupted, blob, debug);
    if (entry.nmethod != null && !blobs.isStillCurrent(blob)) {
      // Its methods and its code were read when they may have been others already.
      return known != null && known.blob.isLastThere(rounds) ? known : null;
    }
    if (known != null && known.blob.isGone()) {
      entry.setFormer(known);
    }
    boolean worthKeeping = interrupted || entry.isReturnAddress;
    if (worthKeeping && (entry.javaFrames == null || entry.javaFrames.isSure())) {
      keep(key, entry, known);
    }
    return atSampleTime(entry);
  }

  /** The caller that the callee had before, if it is this one; else null: it is looked up. */
  private PcEntry likely(long pc, boolean interrupted, PcEntry before) {
    PcEntry caller = before == null ? null : before.likelyCaller;
    boolean is =
        caller != null
            && caller.pc == pc
            && caller.interrupted == interrupted
            && caller.keptIn == generation;
    return is ? caller : null;
  }

  /**
   * @param before what the table has of the key; null for nothing
   */
  private void keep(long key, PcEntry entry, PcEntry before) {
    if (before != null) {
      letGo(before);
    }
    if (entries.put(key, entry)) {
      counters.cacheResets++;
      generation++;
    }
    entry.keptIn = generation;
  }

  private void remove(long key, PcEntry entry) {
    letGo(entry);
    entries.remove(key);
  }

  /** Clears its own likely caller: another entry may still hold it, but it must not hold others. */
  private static void letGo(PcEntry entry) {
    entry.keptIn = 0;
    entry.likelyCaller = null;
  }

  /** Begins a stack. */
  public void begin() {
    last = null;
  }

  /** Lets the pc be decoded again, unless its blob is gone. */
  public void forget(long pc, boolean interrupted) {
    last = null;
    long key = pc << 1 | (interrupted ? 1 : 0);
    PcEntry known = entries.get(key);
    if (known != null && known.former() == null && blobs.isCurrent(known.blob)) {
      remove(key, known);
    }
  }

  /** What was there when the sample was taken; null if it is not known. */
  private PcEntry atSampleTime(PcEntry present) {
    if (present.blob.firstSeen() <= rounds.sampleTime()) {
      return present; // what was there before was replaced before that
    }
    if (present.blob.isTooYoung(rounds)) {
      return wasThere(present.former());
    }
    if (present.nmethod != null && !present.blob.isSameSince(rounds)) {
      counters.tooOld++;
      return present.nameless(scopes.nameless());
    }
    return present;
  }

  /** An entry of a blob that was replaced, if the sample was taken while it was there. */
  private PcEntry wasThere(PcEntry former) {
    if (former == null || !former.blob.wasThere(rounds)) {
      counters.tooOld++;
      return null;
    }
    counters.formerCode++;
    return former;
  }

  /**
   * @param debug of a compiled method; else null
   */
  private PcEntry decode(long pc, boolean interrupted, CodeBlob blob, DebugInfo debug) {
    Nmethod nmethod = blob instanceof Nmethod n ? n : null;
    InterpreterCodelets.Codelet codelet =
        blob.kind == BlobKind.INTERPRETER ? codelets.find(interrupted ? pc : pc - 1) : null;
    byte[] code = interrupted ? code(blob, pc) : null;
    byte[] call = interrupted ? null : codeBefore(blob, pc);
    boolean returns =
        !interrupted
            && (isReturnPoint(pc, blob, nmethod, debug, codelet)
                || cpu.code.isCallBefore(call, call.length));
    long callTarget = returns ? cpu.code.callTarget(call, call.length, pc) : 0;
    boolean hasPcDesc = debug != null && debug.hasPcDesc(pc);
    boolean leafCall = returns && nmethod != null && !hasPcDesc;
    int pushedWords = leafCall ? cpu.code.popsAt(codeAfter(blob, pc)) : 0;
    PartialFrame partial =
        interrupted && (nmethod != null || blob.kind == BlobKind.RUNTIME)
            ? partialFrame(blob, nmethod, pc, code)
            : null;
    PcEntry.JavaFrames frames = javaFrames(nmethod, debug, pc, interrupted, partial != null);
    return new PcEntry(
        pc,
        interrupted,
        blob,
        frames,
        codelet,
        returns,
        hasPcDesc,
        callTarget,
        pushedWords,
        partial,
        code);
  }

  /** Whether the VM makes pc a return address itself, without a call before it. */
  private boolean isReturnPoint(
      long pc,
      CodeBlob blob,
      Nmethod nmethod,
      DebugInfo debug,
      InterpreterCodelets.Codelet codelet) {
    if (nmethod != null) {
      return debug.hasPcDesc(pc) || nmethod.isDeoptHandler(pc);
    }
    return codelet != null && codelet.isReturnEntry()
        || blob.kind == BlobKind.DEOPTIMIZATION
        || blob.name.contains("continuation");
  }

  private byte[] codeBefore(CodeBlob blob, long pc) {
    int length = (int) Math.min(cpu.code.lengths.knownCall(), pc - blob.codeBegin);
    byte[] code = new byte[length];
    return read(pc - length, code, 0, length) ? code : new byte[length];
  }

  private byte[] codeAfter(CodeBlob blob, long pc) {
    byte[] code = new byte[(int) Math.min(cpu.code.lengths.pops(), blob.codeEnd - pc)];
    return read(pc, code, 0, code.length) ? code : new byte[0];
  }

  /** The code around pc; zeros (no instruction that is looked for) outside of the blob. */
  private byte[] code(CodeBlob blob, long pc) {
    byte[] code = new byte[PcEntry.CODE_BEFORE + PcEntry.CODE_AFTER];
    long from = Math.max(blob.codeBegin, pc - PcEntry.CODE_BEFORE);
    long to = Math.min(blob.codeEnd, pc + PcEntry.CODE_AFTER);
    int offset = (int) (from - (pc - PcEntry.CODE_BEFORE));
    return read(from, code, offset, (int) (to - from)) ? code : new byte[code.length];
  }

  private PcEntry.JavaFrames javaFrames(
      Nmethod nmethod, DebugInfo debug, long pc, boolean interrupted, boolean partial) {
    if (nmethod == null) {
      return null;
    }
    boolean live = blobs.isLive(nmethod);
    // While a frame is set up or taken down, the nearest debug information may be that of an
    // inlined method that was not entered yet, or was left.
    return partial
        ? scopes.ofMethod(nmethod, live)
        : scopes.at(nmethod, debug, live, pc, interrupted);
  }

  private PartialFrame partialFrame(CodeBlob blob, Nmethod nmethod, long pc, byte[] code) {
    if (nmethod == null) {
      int push = cpu.code.lengths.fpPush();
      if (pc == blob.codeBegin + push && cpu.code.isFpPush(code, PcEntry.CODE_BEFORE - push)) {
        return PartialFrame.LINK;
      }
      return inPrologue(blob.codeBegin, blob.codeBegin + MAX_OSR_PROLOGUE_BYTES, pc);
    }
    if (pc < nmethod.entries.verified() || blob.frameBytes <= 0) {
      return cpu.code.frameless;
    }
    PartialFrame state = cpu.code.inEpilogue(code, PcEntry.CODE_BEFORE);
    if (state == null && blob.frameComplete > 0) {
      state = inPrologue(nmethod.entries.verified(), blob.codeBegin + blob.frameComplete, pc);
    }
    if (state == null && nmethod.isOsr()) {
      state = inPrologue(nmethod.entries.osr(), nmethod.entries.osr() + MAX_OSR_PROLOGUE_BYTES, pc);
    }
    return state;
  }

  private PartialFrame inPrologue(long entry, long limit, long pc) {
    long end = Math.min(limit, entry + MAX_PROLOGUE_BYTES);
    if (pc < entry || pc >= end) {
      return null;
    }
    int length = (int) (end - entry);
    byte[] code = new byte[length];
    return read(entry, code, 0, length)
        ? cpu.code.inPrologue(code, 0, (int) (pc - entry), length)
        : null;
  }

  private boolean read(long address, byte[] target, int offset, int length) {
    try {
      memory.read(address, target, offset, length);
      return true;
    } catch (UnreadableMemoryException e) {
      return false;
    }
  }
}
