package stackweave.hotspot;

import stackweave.hotspot.code.BlobCache;
import stackweave.hotspot.code.BlobReader;
import stackweave.hotspot.code.CodeCache;
import stackweave.hotspot.cpu.Cpu;
import stackweave.hotspot.frame.AdapterFrame;
import stackweave.hotspot.frame.CallStubFrame;
import stackweave.hotspot.frame.Callers;
import stackweave.hotspot.frame.CompiledFrame;
import stackweave.hotspot.frame.ContinuationEntryFrame;
import stackweave.hotspot.frame.ContinuationFrame;
import stackweave.hotspot.frame.HotSpotFrame;
import stackweave.hotspot.frame.InterpretedFrame;
import stackweave.hotspot.frame.LinkCheck;
import stackweave.hotspot.frame.NativeWrapperFrame;
import stackweave.hotspot.frame.RuntimeFrame;
import stackweave.hotspot.frame.StackScan;
import stackweave.hotspot.frame.StubCallSite;
import stackweave.hotspot.frame.StubFrame;
import stackweave.hotspot.frame.UpcallFrame;
import stackweave.hotspot.frame.Walk;
import stackweave.hotspot.memory.MemoryPages;
import stackweave.hotspot.method.CallSites;
import stackweave.hotspot.method.MethodCache;
import stackweave.hotspot.method.MethodReader;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.model.UnwindCounters;
import stackweave.hotspot.pc.PcCache;
import stackweave.hotspot.pc.PcEntry;
import stackweave.hotspot.pc.ScopeDecoder;
import stackweave.hotspot.unloading.CheckRounds;
import stackweave.hotspot.vmstructs.Layout;
import stackweave.tableless.CodeUnwinder;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Steps from a frame in the code cache to its caller: decides of which kind the frame is and lets
 * that kind's class leave it. Called by {@link MixedUnwinder} for each frame of HotSpot's; owns the
 * caches that these frames are decoded with. Not thread-safe.
 */
final class FrameStepper {
  private final CodeCache codeCache;
  private final CheckRounds rounds;
  private final PcCache pcs;
  private final Callers callers;
  private final long callStubReturn;
  private final LinkCheck links;
  private final StackScan scan;
  private final HotSpotFrame compiled;
  private final HotSpotFrame nativeWrapper;
  private final HotSpotFrame interpreted;
  private final HotSpotFrame adapter;
  private final HotSpotFrame stub;
  private final HotSpotFrame runtime;
  private final HotSpotFrame callStub;
  private final HotSpotFrame upcall;
  private final ContinuationEntryFrame continuationEntry;
  private final HotSpotFrame continuation;

  FrameStepper(
      HotSpot hotspot, CodeUnwinder tableless, HotSpotMethods names, UnwindCounters counters) {
    MemoryPages pages = hotspot.isLive() ? new MemoryPages(hotspot.memory()) : null;
    rounds = new CheckRounds(hotspot.unloading(), pages);
    Layout layout = hotspot.layout();
    MemoryReader memory = hotspot.bounded();
    MemoryReader lasting = hotspot.lastingMemory();
    // Each read counts, that of a page which is there, too: what is read is decoded.
    MemoryReader structures = pages == null ? memory : hotspot.bounded().by(pages);
    Cpu cpu = hotspot.cpu();
    codeCache = hotspot.codeCache();
    callStubReturn = hotspot.callStubReturn();
    int unknownMethod = names.intern(new HotSpotMethod("", "[unknown method]", "", 0, ""));
    MethodCache methods =
        new MethodCache(new MethodReader(layout, structures, names), rounds, counters);
    BlobCache blobs =
        new BlobCache(codeCache, new BlobReader(layout, lasting, names), rounds, counters);
    CallSites sites = new CallSites(layout, structures);
    ScopeDecoder scopes =
        new ScopeDecoder(layout, methods, sites, unknownMethod, LinkCheck.staleCode(names));
    links = new LinkCheck(names, counters);
    pcs = new PcCache(lasting, blobs, scopes, hotspot.codelets(), cpu, rounds, counters);
    callers = new Callers(codeCache, pcs, cpu, counters);
    scan = new StackScan(counters);
    compiled = new CompiledFrame(pcs, scan, counters);
    nativeWrapper = new NativeWrapperFrame(scan);
    interpreted =
        new InterpretedFrame(
            methods,
            sites,
            scan,
            cpu.interpreterEdge(callers::isHotSpotReturnAddress, methods::hasBytecodeAt),
            unknownMethod);
    callStub = new CallStubFrame(names, cpu);
    adapter = new AdapterFrame(scan);
    StubCallSite callSite = new StubCallSite(codeCache, pcs, cpu);
    stub = new StubFrame(callSite, scan);
    runtime = new RuntimeFrame(callers, callSite, scan);
    upcall = new UpcallFrame(runtime);
    continuationEntry = new ContinuationEntryFrame(nativeWrapper, names, layout);
    continuation =
        layout.version.hasContinuations()
            ? new ContinuationFrame(
                layout, memory, pcs, methods, names, cpu, continuationEntry, tableless)
            : stub;
  }

  /** Makes the code of all frames be compared with the VM when the stack is decoded again. */
  void forget(FrameBuffer frames) {
    rounds.next();
    for (int i = 0; i < frames.count(); i++) {
      if (codeCache.contains(frames.pc(i))) {
        pcs.forget(frames.pc(i), frames.isInterrupted(i));
      }
    }
  }

  CheckRounds rounds() {
    return rounds;
  }

  LinkCheck links() {
    return links;
  }

  Callers callers() {
    return callers;
  }

  /** Whether {@code pc} is HotSpot's to decode. */
  boolean contains(long pc) {
    return codeCache.contains(pc);
  }

  /**
   * Begins a stack.
   *
   * @param timeNanos when the sample was taken, or 0 if nothing can have changed since
   */
  void begin(long timeNanos) {
    pcs.begin();
    rounds.tick(timeNanos);
  }

  /** Appends the frame at hand, makes its caller the frame at hand; null, or why that ends. */
  StopReason step(Walk walk) throws UnreadableMemoryException {
    PcEntry entry = pcs.find(walk.pc(), walk.interrupted());
    if (entry == null || !walk.interrupted() && !entry.isReturnAddress) {
      // No code is there any more, or other code, which was not called from there.
      StopReason full = walk.addStale(walk.pc(), walk.interrupted());
      // Its frame is not known either, but its caller may be found.
      return full == null && !scan.toCaller(walk, walk.sp()) ? StopReason.UNKNOWN_BLOB : full;
    }
    return frameOf(walk, entry).step(walk, entry);
  }

  private HotSpotFrame frameOf(Walk walk, PcEntry entry) {
    return switch (entry.kind) {
      case NMETHOD -> compiled;
      case NATIVE_NMETHOD ->
          !walk.interrupted() && continuationEntry.isAt(entry) ? continuationEntry : nativeWrapper;
      case INTERPRETER -> interpreted;
      case ADAPTER, METHOD_HANDLES, VTABLE -> adapter;
      case DEOPTIMIZATION, EXCEPTION, RUNTIME -> runtime;
      case UPCALL -> upcall;
      case STUB_ROUTINES -> stubRoutine(entry);
    };
  }

  private HotSpotFrame stubRoutine(PcEntry entry) {
    if (entry.pc == callStubReturn) {
      return callStub;
    }
    return entry.blob.name.contains("continuation") ? continuation : stub;
  }
}
