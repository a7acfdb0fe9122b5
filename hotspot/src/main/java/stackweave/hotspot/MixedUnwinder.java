package stackweave.hotspot;

import stackweave.hotspot.frame.Callers;
import stackweave.hotspot.frame.LinkCheck;
import stackweave.hotspot.frame.Walk;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.search.LastJavaFrame;
import stackweave.hotspot.search.StackSearch;
import stackweave.hotspot.search.UnknownFramePointer;
import stackweave.hotspot.search.UnknownLinkRegister;
import stackweave.tableless.CodeUnwinder;
import stackweave.unwind.Architecture;
import stackweave.unwind.HeapShare;
import stackweave.unwind.Registers;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.CodeModules;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Unwinds one sample to all its frames: kernel frames first, then native and HotSpot frames as they
 * alternate, out to the thread's first frame. Called by the drain thread for each sample.
 *
 * <p>Never throws: a failure of its own ends that stack with {@link StopReason#INTERNAL_ERROR} and
 * is counted. Allocates nothing once its caches are warm. Not thread-safe: belongs to one thread.
 */
public final class MixedUnwinder {
  /** Bounds the names to some 20 MiB: hidden classes have new ones all the time. */
  private static final int MAX_NAMES = HeapShare.of(1 << 16);

  /** No process has memory below it ({@code vm.mmap_min_addr}). */
  private static final long LOWEST_ADDRESS = 1 << 16;

  /** Bits of addresses that a process gets unless it asks for more (Linux, mm.rst of each). */
  private static final int X86_ADDRESS_BITS = 47;

  private static final int OTHER_ADDRESS_BITS = 52;

  private final NativeUnwinder natives;
  private final HotSpot vm;
  private final HotSpotMethods methods;
  private final int maxNames;
  private final UnwindCounters counters = new UnwindCounters();
  private final int addressBits;

  private Walk walk;
  private FrameStepper hotspot;
  private CodeUnwinder withoutTables;
  private StackSearch search;
  private LastJavaFrame lastJavaFrame;
  private Callers callers;
  private UnknownFramePointer unknownFp;
  private UnknownLinkRegister unknownLink;

  /** Whether tables have led to what is no code, as far as the modules are known. */
  private boolean ledToData;

  private int generation;
  private long failures;
  private RuntimeException lastFailure;

  /**
   * @param natives steps through native code
   * @param hotspot the VM of the process, or null where it is not understood: its frames then end a
   *     stack with {@link StopReason#UNSUPPORTED_VM}
   * @param methods receives the names met; at 65,536 of them, or fewer long ones, all are forgotten
   *     ({@link HotSpotMethods#generation}), and the caches that have their ids with them
   */
  public MixedUnwinder(NativeUnwinder natives, HotSpot hotspot, HotSpotMethods methods) {
    this(natives, hotspot, methods, MAX_NAMES);
  }

  MixedUnwinder(NativeUnwinder natives, HotSpot hotspot, HotSpotMethods methods, int maxNames) {
    Architecture architecture = natives.rules().architecture();
    if (hotspot != null && hotspot.cpu().architecture != architecture) {
      throw new IllegalArgumentException("the rules are those of another architecture");
    }
    this.natives = natives;
    this.vm = hotspot;
    this.methods = methods;
    this.maxNames = maxNames;
    this.addressBits = architecture == Architecture.X86_64 ? X86_ADDRESS_BITS : OTHER_ADDRESS_BITS;
    natives.checkCallers(this::isPossibleCaller);
    openCaches();
  }

  private void openCaches() {
    generation = methods.generation();
    withoutTables = new CodeUnwinder(natives, vm != null);
    hotspot = vm == null ? null : new FrameStepper(vm, withoutTables, methods, counters);
    Architecture architecture = natives.rules().architecture();
    callers = hotspot == null ? null : hotspot.callers();
    unknownFp = callers == null ? null : new UnknownFramePointer(natives, withoutTables);
    unknownLink = callers == null ? null : new UnknownLinkRegister(natives);
    search = callers == null ? null : new StackSearch(this::walkOn);
    lastJavaFrame =
        callers == null ? null : new LastJavaFrame(vm.blockedThread(), methods, this::walkOn);
    walk =
        new Walk(
            new Registers(architecture),
            vm == null ? null : vm.cpu(),
            LinkCheck.staleCode(methods),
            vm == null ? null : vm.unloading(),
            callers,
            counters);
  }

  private void boundNames() {
    if (methods.load() > maxNames) {
      methods.forget();
      counters.nameResets++;
    }
    if (methods.generation() != generation) {
      openCaches();
    }
  }

  /**
   * Unwinds one sample.
   *
   * @param modules what was mapped at the sample's time
   * @param frames cleared, filled and finished
   */
  public void unwind(StackSnapshot sample, CodeModules modules, FrameBuffer frames) {
    frames.clear();
    if (vm != null) {
      vm.bounded().begin();
    }
    try {
      boundNames();
      frames.finish(marked(walk(sample, modules, frames), frames));
      if (hotspot != null) {
        checkLinks(sample, modules, frames);
      }
    } catch (RuntimeException e) {
      failures++;
      lastFailure = e;
      frames.finish(StopReason.INTERNAL_ERROR);
    }
  }

  /** How many stacks ended with {@link StopReason#INTERNAL_ERROR}. */
  public long failures() {
    return failures;
  }

  /**
   * Whether classes may be unloaded soon, as they were lately: then samples should be unwound soon,
   * because the memory that they refer to is reused.
   */
  public boolean isUnloadingExpected() {
    return hotspot != null && hotspot.rounds().isUnloadingExpected();
  }

  /** Looks whether classes were unloaded; for times at which no samples are unwound. */
  public void lookForUnloading() {
    if (hotspot != null) {
      hotspot.rounds().look();
    }
  }

  /** The cause of the last {@link StopReason#INTERNAL_ERROR}, or null. */
  public RuntimeException lastFailure() {
    return lastFailure;
  }

  /**
   * How many frames so far were found by looking for a caller that makes sense, or turned out not
   * to be the next ones: none in an intact stack.
   */
  public long guesses() {
    return counters.recoveries
        + counters.scans
        + counters.staleFrames
        + counters.missingFrames
        + counters.guessedCallers;
  }

  /** Counters of HotSpot's frames, to be read; null without HotSpot. */
  public UnwindCounters counters() {
    return vm == null ? null : counters;
  }

  /** Decodes a stack again if names in it contradict each other; then marks the names in doubt. */
  private void checkLinks(StackSnapshot sample, CodeModules modules, FrameBuffer frames) {
    counters.links += walk.links();
    if (walk.brokenLinks() > 0) {
      counters.brokenLinks += walk.brokenLinks();
      hotspot.forget(frames);
      frames.clear();
      frames.finish(marked(walk(sample, modules, frames), frames));
      counters.mendedLinks += walk.brokenLinks() == 0 ? 1 : 0;
    }
    if (walk.doubtful() > 0) {
      hotspot.links().markDoubtful(frames);
    }
    if (walk.brokenLinks() > 0) {
      long missing = counters.missingFrames;
      hotspot.links().mark(frames);
      if (counters.missingFrames != missing && frames.end().isComplete()) {
        frames.finish(StopReason.GAP);
      }
    }
  }

  /** The end of a stack: a complete one is marked if frames were guessed. */
  private StopReason marked(StopReason end, FrameBuffer frames) {
    if (unknownFp != null && unknownFp.isLacking() && end.isComplete()) {
      return StopReason.GAP;
    }
    boolean guessed =
        (end == StopReason.COMPLETE || end == StopReason.THREAD_ENTRY) && frames.hasGuesses();
    return guessed ? StopReason.GUESSED : end;
  }

  private StopReason walk(StackSnapshot sample, CodeModules modules, FrameBuffer frames) {
    for (int i = 0; i < sample.kernelFrameCount(); i++) {
      if (!frames.addNative(FrameKind.KERNEL, sample.kernelFrames()[i], i == 0)) {
        return StopReason.TOO_DEEP;
      }
    }
    if (!sample.hasRegisters()) {
      // A thread that is ending has given its memory back, and some have no user mode: the kernel's
      // frames are all that there are (perf_get_regs_user in kernel/events/core.c).
      return frames.count() > 0 ? StopReason.THREAD_ENTRY : StopReason.NO_REGISTERS;
    }
    walk.begin(sample, modules, frames);
    if (hotspot != null) {
      unknownFp.begin(sample);
      hotspot.begin(sample.timeNanos());
    }
    StopReason end = walkOn();
    if (isSearchWorthwhile(end)) {
      // Of a blocked thread only the frame pointer is lacking: a search would find return
      // addresses of old frames.
      boolean lacksFp = sample.isBlocked() && (end == StopReason.UNKNOWN_REGISTER || isMisled(end));
      end = lacksFp ? end : search.walkOn(walk, end);
      if (isSearchWorthwhile(end)) {
        end = lastJavaFrame.walkOn(walk, sample.javaThread(), end);
      }
    }
    return sample.isStackUnknown() ? withoutStack(end) : end;
  }

  /** Whether something may be found where neither tables nor code lead on. */
  private boolean isSearchWorthwhile(StopReason end) {
    return search != null && (search.isWorthwhile(end) || isMisled(end) && !isHotSpot(walk.pc()));
  }

  /** Whether tables of native code have led nowhere. */
  private static boolean isMisled(StopReason end) {
    return end == StopReason.UNREADABLE_MEMORY
        || end == StopReason.NULL_RETURN_ADDRESS
        || end == StopReason.NOT_ADVANCING;
  }

  /** Walks from the frame at hand to the end of the stack. */
  private StopReason walkOn() {
    while (true) {
      long sp = walk.sp();
      // Only code of HotSpot may have a frame without extent: a stub that was jumped to.
      boolean mayStand = walk.interrupted() || isHotSpot(walk.pc());
      StopReason end = step();
      if (end != null) {
        return end;
      }
      // Handlers of signals may run on a stack of their own; the native step allows for that.
      boolean signalFrame = walk.interrupted();
      boolean advanced = mayStand ? walk.sp() >= sp : walk.sp() > sp;
      if (!advanced && !signalFrame) {
        return StopReason.NOT_ADVANCING;
      }
    }
  }

  /** The end of a walk without a copied stack: {@code end} itself if it needs no stack. */
  private static StopReason withoutStack(StopReason end) {
    return switch (end) {
      case COMPLETE, THREAD_ENTRY, TOO_DEEP, NO_MODULE, UNSUPPORTED_VM -> end;
      default -> StopReason.STACK_UNKNOWN;
    };
  }

  /** One frame further out; null, or why there is none. */
  private StopReason step() {
    try {
      if (isHotSpot(walk.pc())) {
        unknownFp.atVmFrame(walk);
        return hotspot.step(walk);
      }
      return nativeStep();
    } catch (UnreadableMemoryException e) {
      return e.reason();
    }
  }

  /** Whether unwind tables that lead to this caller may be right. */
  private boolean isPossibleCaller(long pc) {
    if (isHotSpot(pc)) {
      return callers.isPossible(walk, pc);
    }
    if (walk.modules().find(pc - 1) != null) {
      return callers == null
          || callers.isPossible(walk, pc)
          || natives.isSignalFrame(pc, walk.stack(), walk.modules());
    }
    ledToData = !walk.modules().isExecutable(pc - 1) && isData(pc);
    return !ledToData;
  }

  /** Whether no process has an address, or what can be read there is not code. */
  private boolean isData(long pc) {
    if (pc >>> addressBits != 0 || pc < LOWEST_ADDRESS) {
      return true;
    }
    try {
      walk.stack().code().readLong(pc & -Long.BYTES);
      return true;
    } catch (UnreadableMemoryException e) {
      return false; // code of a library that has been unloaded, perhaps
    }
  }

  private boolean isHotSpot(long pc) {
    return hotspot != null && hotspot.contains(pc);
  }

  private StopReason nativeStep() throws UnreadableMemoryException {
    boolean interrupted = walk.interrupted();
    long pc = walk.pc();
    boolean known = walk.modules().find(interrupted ? pc : pc - 1) != null;
    FrameKind kind = known ? FrameKind.NATIVE : FrameKind.UNKNOWN;
    if (!walk.frames().addNative(kind, pc, interrupted)) {
      return StopReason.TOO_DEEP;
    }
    if (withoutTables.toCallerBeforeTables(walk)) {
      return null;
    }
    ledToData = false;
    StopReason end = natives.step(walk.registers(), interrupted, walk.stack(), walk.modules());
    if (end == StopReason.UNKNOWN_REGISTER
        && unknownFp != null
        && (unknownFp.find(walk) || unknownLink.find(walk))) {
      end = natives.step(walk.registers(), interrupted, walk.stack(), walk.modules());
    }
    if (end == null) {
      walk.setInterrupted(natives.callerInterrupted());
      return null;
    }
    if (ledToData) {
      walk.frames().setUnknownCode(); // so the modules are looked at again
    }
    if (end == StopReason.NO_RULE
        || end == StopReason.NO_MODULE
        || end == StopReason.NOT_ADVANCING) {
      StopReason byCode = withoutTables.toCaller(walk);
      if (byCode != StopReason.NO_RULE) {
        return byCode;
      }
    } else if (end == StopReason.UNSUPPORTED_RULE
        || end == StopReason.UNKNOWN_REGISTER
        || isMisled(end)) {
      return withoutTables.toCallerByCode(walk) ? null : end;
    }
    return end == StopReason.NO_MODULE && hotspot == null ? StopReason.UNSUPPORTED_VM : end;
  }
}
