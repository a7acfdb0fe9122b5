package stackweave.agent.drain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.instrument.Instrumentation;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import stackweave.agent.drain.context.SampledContexts;
import stackweave.agent.drain.failure.FailureFiles;
import stackweave.agent.drain.failure.FailureRecorder;
import stackweave.agent.drain.load.LibraryLoadWatch;
import stackweave.agent.drain.name.JitNames;
import stackweave.agent.drain.name.KernelNames;
import stackweave.agent.drain.name.StackNames;
import stackweave.agent.drain.sample.SamplePipeline;
import stackweave.agent.drain.status.SamplerTotals;
import stackweave.agent.drain.thread.JavaStacks;
import stackweave.agent.drain.thread.StartedJavaThreads;
import stackweave.agent.drain.thread.ThreadNames;
import stackweave.agent.drain.thread.ThreadStartHooks;
import stackweave.agent.drain.thread.VirtualThreads;
import stackweave.agent.drain.touch.AllocationSampler;
import stackweave.agent.drain.touch.MemorySampler;
import stackweave.agent.drain.wall.BlockedSampler;
import stackweave.agent.drain.wall.WallFilter;
import stackweave.agent.drain.wall.WallParts;
import stackweave.agent.drain.wall.WallSampler;
import stackweave.agent.engine.ThreadStacks;
import stackweave.agent.engine.ThreadStarts;
import stackweave.agent.engine.perf.PerfBudget;
import stackweave.agent.jdk.JavaBase;
import stackweave.agent.jdk.JavaThreadFinder;
import stackweave.agent.jdk.MountedContinuations;
import stackweave.agent.jdk.compiler.CompilerLimit;
import stackweave.agent.jdk.hook.HookException;
import stackweave.agent.jdk.label.ContextHook;
import stackweave.agent.linux.CallPolicy;
import stackweave.agent.linux.Errno;
import stackweave.agent.linux.GuardedCall;
import stackweave.agent.linux.Libc;
import stackweave.agent.linux.MemoryAccess;
import stackweave.agent.linux.ObjectBits;
import stackweave.agent.linux.SelfMemory;
import stackweave.agent.linux.SystemCalls;
import stackweave.agent.linux.memory.DirectSelfMemory;
import stackweave.agent.linux.memory.MappedTables;
import stackweave.agent.message.Messages;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.hotspot.runtime.JavaThreads;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.jfr.store.EventStore;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.tableless.CodeUnwinder;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Builds the {@link Pipeline} that decodes samples, anew each time that sampling starts. Belongs to
 * {@link Sampler}; its methods are called on the drain thread, {@link #close} when there is none.
 */
final class PipelineFactory {
  private static final String LIBJVM = "libjvm.so";

  private final Instrumentation instrumentation;
  private final ThreadStartHooks hooks;

  /** Null if classes of the JDK may not be instrumented. */
  private final LibraryLoadWatch loads;

  /** Where replay files of incomplete stacks go; null: none are written. */
  private final FailureFiles failureFiles;

  private final MemoryAccess memoryAccess;

  /** Null if C2 may compile the agent's classes. */
  private final CompilerLimit compilerLimit;

  private final String wallThreads;
  private final Messages messages;

  PipelineFactory(Instrumentation instrumentation, SamplerSettings settings, Messages messages) {
    boolean hooks = settings.hooks();
    String failures = settings.recordFailures();
    this.instrumentation = instrumentation;
    this.hooks = hooks ? new ThreadStartHooks(instrumentation, messages) : null;
    this.loads = hooks ? new LibraryLoadWatch(instrumentation) : null;
    this.failureFiles = failures.isEmpty() ? null : new FailureFiles(failures, messages);
    this.memoryAccess = settings.memoryAccess();
    this.compilerLimit = settings.withoutC2() ? new CompilerLimit(instrumentation) : null;
    this.wallThreads = settings.wallThreads();
    this.messages = messages;
  }

  /**
   * A pipeline and the resources it holds besides those of its {@link Groundwork}; for the drain
   * thread that opened it.
   *
   * @param vmThreads null if Java threads can't be matched with the VM's
   * @param heap begin and end of what the VM has reserved for the Java heap; equal if not known
   * @param forWall what samples of waiting threads need of it
   */
  record Pipeline(
      SamplePipeline sink,
      ModuleIndex modules,
      SelfMemory memory,
      ThreadNames threads,
      JavaThreads vmThreads,
      long[] heap,
      WallParts.Shared forWall)
      implements AutoCloseable {

    /** Drops the modules that are not mapped any more. */
    void refreshModules() {
      sink.refreshModules();
    }

    @Override
    public void close() {
      sink.contexts().close();
      threads.close();
    }
  }

  /**
   * What has to be known of the process before samples are decoded: what is mapped, and how many
   * classes the VM has unloaded. Mostly it is made before samples are taken, because what was
   * unloaded or unmapped before it says nothing about them. All else a {@link Pipeline} has, which
   * takes as long again, and samples wait for it. For the drain thread that opened it.
   *
   * @param lookedAt when it was looked at what is mapped, by {@link System#nanoTime}
   * @param hotSpot null if the VM is not supported
   */
  record Groundwork(
      SelfMemory memory,
      MappedTables tables,
      RuleTable rules,
      ModuleIndex modules,
      long lookedAt,
      HotSpot hotSpot,
      ThreadStacks javaStacks)
      implements AutoCloseable {

    /**
     * Looks at what has been mapped since, and was not told by an engine that has begun only now.
     */
    void lookAgain() {
      try {
        modules.refresh(System.nanoTime(), lookedAt);
      } catch (IOException e) {
        // Samples in these mappings are of unknown code, until the next look.
        return;
      }
    }

    @Override
    public void close() {
      memory.close();
      tables.close();
    }
  }

  /**
   * Looks at the process.
   *
   * @param afterSamples whether samples may have been taken before
   */
  Groundwork begin(boolean afterSamples, SamplerTotals totals) {
    SelfMemory memory = new SelfMemory(memoryAccess);
    MappedTables tables = null;
    boolean begun = false;
    try {
      tables = new MappedTables();
      RuleTable rules = new RuleTable(SystemCalls.current().orElseThrow().architecture(), tables);
      ModuleIndex modules = new ModuleIndex(memory, rules);
      if (loads != null) {
        modules.keptBy(loads.kept());
      }
      long lookedAt = System.nanoTime();
      modules.refreshFirst(lookedAt);
      HotSpot hotSpot = openHotSpot(modules, memory, totals);
      if (afterSamples && hotSpot != null) {
        hotSpot.openedAfterSamples();
      }
      ThreadStacks javaStacks =
          hotSpot == null ? ThreadStacks.NONE : new JavaStacks(hotSpot.threads());
      begun = true;
      return new Groundwork(memory, tables, rules, modules, lookedAt, hotSpot, javaStacks);
    } catch (IOException e) {
      throw new UncheckedIOException("/proc/self/maps can't be read", e);
    } finally {
      if (!begun) {
        memory.close();
        if (tables != null) {
          tables.close();
        }
      }
    }
  }

  /** How the process reads its own memory. */
  MemoryAccess memoryAccess() {
    return memoryAccess;
  }

  /** Avoids the system calls that a seccomp filter may kill for, if there is a filter. */
  void applyFilter(boolean filtered, SelfMemory memory, SamplerTotals totals) {
    if (filtered) {
      memory.guard();
      noteMemory(memory, totals);
    }
  }

  /**
   * Says how the process reads its own memory where that is not the usual way. What it says may be
   * over a second later: call it again now and then.
   */
  static void noteMemory(SelfMemory memory, SamplerTotals totals) {
    totals.memoryNote =
        switch (memory.way()) {
          case PROCESS_VM_READV -> "";
          case PROC_SELF_MEM ->
              memory.isGuarded()
                  ? "memory is read through /proc/self/mem, process_vm_readv "
                      + GuardedCall.PROCESS_VM_READV.notTried()
                  : "";
          case NONE -> noteDenial(memory.denial(), totals);
        };
  }

  private static String noteDenial(String denial, SamplerTotals totals) {
    // With native frames only it has been said why.
    return denial.isEmpty() || !totals.note.isEmpty()
        ? ""
        : "this process can't read its own memory ("
            + denial
            + "), so stacks end early or lack their names; it is tried again each second, and"
            + " needs a free file descriptor and a readable /proc/self/mem";
  }

  /**
   * Makes what decodes samples.
   *
   * @param ground must stay open as long as it
   */
  Pipeline open(Groundwork ground, EventStore store, int depth, SamplerTotals totals) {
    boolean open = ground.hotSpot() != null && openJavaBase();
    SampledContexts contexts = openContexts(open, store, totals);
    boolean opened = false;
    try {
      Pipeline pipeline = open(ground, store, depth, totals, contexts, open);
      opened = true;
      return pipeline;
    } finally {
      if (!opened) {
        contexts.close(); // or the application's scopes would take effect for nobody
      }
    }
  }

  private Pipeline open(
      Groundwork ground,
      EventStore store,
      int depth,
      SamplerTotals totals,
      SampledContexts contexts,
      boolean open) {
    SelfMemory memory = ground.memory();
    MappedTables tables = ground.tables();
    RuleTable rules = ground.rules();
    ModuleIndex modules = ground.modules();
    modules.readUnread();
    HotSpot hotSpot = ground.hotSpot();
    HotSpotMethods methods = new HotSpotMethods();
    MixedUnwinder unwinder =
        new MixedUnwinder(new NativeUnwinder(rules), CodeUnwinder::new, hotSpot, methods);
    totals.decodeWith(unwinder.counters());
    StackNames names =
        new StackNames(
            store, methods, new KernelNames(tables), new JitNames(modules, memory), memory);
    ThreadNames threads =
        new ThreadNames(
            store,
            open ? findThreads(hotSpot) : null,
            () -> open ? openVirtualThreads(hotSpot, contexts.threads()) : null);
    FailureRecorder failures =
        failureFiles == null || hotSpot == null || !failureFiles.isUsable()
            ? null
            : new FailureRecorder(failureFiles, libjvm(modules), memory, rules, methods, depth);
    SamplePipeline sink =
        new SamplePipeline(
            store,
            modules,
            memory,
            unwinder,
            names,
            threads,
            contexts,
            failures,
            hotSpot == null ? null : hotSpot.startedThreads(),
            depth,
            totals.counts);
    noteMemory(memory, totals);
    return new Pipeline(
        sink,
        modules,
        memory,
        threads,
        open ? hotSpot.threads() : null,
        hotSpot == null ? new long[2] : hotSpot.reservedHeap(),
        new WallParts.Shared(
            store,
            sink,
            modules,
            unwinder,
            methods,
            names,
            threads,
            memory,
            hotSpot == null ? null : hotSpot.blockedThread(),
            depth));
  }

  /**
   * Begins to look at waiting threads.
   *
   * @param sinceNanos when they were asked for, by {@link System#nanoTime}
   * @param drainPercent what the drain thread may use, in percent of a core
   * @param whyNot is told if that is not possible
   * @return null then
   */
  WallSampler openWall(
      Pipeline pipeline,
      long sinceNanos,
      long intervalNanos,
      int drainPercent,
      SamplerTotals totals,
      Consumer<String> whyNot) {
    WallParts parts = openWallParts(pipeline, "waiting threads are not sampled", whyNot);
    return parts == null
        ? null
        : new WallSampler(
            parts, sinceNanos, intervalNanos, drainPercent, filter(), totals.counts.counters);
  }

  /**
   * Begins to time blocked threads.
   *
   * @param drainPercent what the drain thread may use, in percent of a core
   * @param perfBudget kernel memory that events of threads may take
   * @param policy which system calls may be made now
   * @param whyNot is told if that is not possible
   * @return null then
   */
  BlockedSampler openBlocked(
      Pipeline pipeline,
      long thresholdNanos,
      int drainPercent,
      SamplerTotals totals,
      PerfBudget perfBudget,
      Supplier<CallPolicy> policy,
      Consumer<String> whyNot) {
    WallParts parts = openWallParts(pipeline, "blocked threads are not timed", whyNot);
    return parts == null
        ? null
        : new BlockedSampler(
            parts,
            thresholdNanos,
            drainPercent,
            filter(),
            totals.counts.counters,
            perfBudget,
            policy);
  }

  /**
   * Begins to record first touches of native memory.
   *
   * @param perfMemoryBytes kernel memory that events of threads may take
   * @param policy which system calls may be made now
   * @param whyNot is told if that is not possible
   * @return null then
   */
  MemorySampler openMemory(
      Pipeline pipeline,
      EventStore store,
      SamplerTotals totals,
      long perfMemoryBytes,
      CallPolicy policy,
      Consumer<String> whyNot) {
    if (!policy.allows(GuardedCall.PERF_EVENT_OPEN)) {
      whyNot.accept(
          "native memory is not recorded: perf " + GuardedCall.PERF_EVENT_OPEN.notTried());
      return null;
    }
    return MemorySampler.open(
        pipeline.sink(),
        store,
        pipeline.heap(),
        perfMemoryBytes,
        memoryAccess,
        policy,
        totals.counts.counters,
        whyNot);
  }

  /**
   * Begins to record blocks of malloc.
   *
   * @param policy which system calls may be made now
   * @param whyNot is told if that is not possible
   * @return null then
   */
  static AllocationSampler openAllocations(
      Pipeline pipeline,
      EventStore store,
      SamplerTotals totals,
      CallPolicy policy,
      Consumer<String> whyNot) {
    return AllocationSampler.open(pipeline.sink(), store, policy, totals.counts.counters, whyNot);
  }

  private WallFilter filter() {
    return wallThreads.isEmpty() ? WallFilter.DEFAULT : WallFilter.parse(wallThreads);
  }

  private static WallParts openWallParts(Pipeline pipeline, String what, Consumer<String> whyNot) {
    WallParts parts = WallParts.open(pipeline.forWall());
    if (parts == null) {
      whyNot.accept(what + ": /proc/self/task can't be read [" + Errno.name(Libc.errno()) + "]");
    }
    return parts;
  }

  /** Keeps C2 away from the agent's classes, where that is wanted; returns before it is done. */
  void limitCompilers() {
    if (compilerLimit != null) {
      compilerLimit.begin();
    }
  }

  /** Takes over what became of {@link #limitCompilers}. */
  void noteCompilers(SamplerTotals totals) {
    totals.compilerNote = compilerLimit == null ? "" : compilerLimit.note();
  }

  /** Instruments what loads libraries before sampling begins; says on stderr if it can't. */
  void observeLoadsEarly() {
    try {
      if (loads != null) {
        loads.beginEarly();
      }
    } catch (HookException | RuntimeException | LinkageError e) {
      messages.sampling("loads of libraries are not observed: " + e.getMessage());
    }
  }

  /**
   * Begins to observe which libraries are loaded, if permitted.
   *
   * @param refresh finds what was mapped since the last time
   */
  void observeLoads(
      ModuleIndex modules, SelfMemory memory, Runnable refresh, SamplerTotals totals) {
    totals.loadNote = "";
    try {
      if (loads != null) {
        loads.begin(modules, memory, refresh);
      }
    } catch (HookException | RuntimeException | LinkageError e) {
      totals.loadNote = "loads of libraries are not observed: " + e.getMessage();
    }
  }

  /** Does what the libraries ask for that were loaded since the last time. */
  void lookAtLoads(long nowNanos, SamplerTotals totals) {
    if (loads == null) {
      return;
    }
    try {
      loads.turn(nowNanos);
    } catch (RuntimeException | Error e) {
      totals.loadNote = "loads of libraries are not observed any more: " + e;
      loads.end();
    }
  }

  /** Sampling ends. */
  void forgetLoads() {
    if (loads != null) {
      loads.end();
    }
  }

  /**
   * Instruments {@code Thread.start} if permitted, for an engine that has to find threads.
   *
   * @return what tells which have started
   */
  ThreadStarts hookThreadStarts(Pipeline pipeline, SamplerTotals totals) {
    if (hooks == null) {
      return ThreadStarts.NONE;
    }
    if (pipeline.vmThreads() == null) {
      totals.hookNote = "Thread.start is not instrumented, for this VM's threads are not known";
      return ThreadStarts.NONE;
    }
    try {
      return new StartedJavaThreads(hooks.begin(), pipeline.vmThreads());
    } catch (HookException | ReflectiveOperationException e) {
      totals.hookNote =
          "Thread.start is not instrumented, so short threads may be missed: " + e.getMessage();
      return ThreadStarts.NONE;
    }
  }

  /** Threads that start are no longer told of; call it at the end of sampling. */
  void unhookThreadStarts() {
    if (hooks != null) {
      hooks.end();
    }
  }

  /** Undoes what outlives a pipeline; call it when there is no drain thread any more. */
  void close() {
    if (hooks != null) {
      hooks.remove();
    }
    if (loads != null) {
      loads.close();
    }
  }

  private SampledContexts openContexts(boolean open, EventStore store, SamplerTotals totals) {
    if (!open) {
      return SampledContexts.none(store, totals.counts.counters);
    }
    SampledContexts contexts = SampledContexts.open(instrumentation, store, totals.counts.counters);
    if (!contexts.whyNot().isEmpty()) {
      messages.sampling(contexts.whyNot());
    }
    return contexts;
  }

  private HotSpot openHotSpot(ModuleIndex modules, SelfMemory memory, SamplerTotals totals) {
    String denial = memory.denial();
    if (!denial.isEmpty()) {
      totals.note =
          "native frames only: this process may not read its own memory ("
              + denial
              + "); a seccomp profile that allows process_vm_readv, or a readable /proc/self/mem,"
              + " lifts it";
      messages.sampling(totals.note);
      return null;
    }
    try {
      return HotSpot.open(libjvm(modules), memory, new DirectSelfMemory());
    } catch (UnsupportedVmException e) {
      totals.note = "native frames only: " + e.getMessage();
      messages.sampling("native frames only: " + e.getMessage());
      return null;
    }
  }

  static boolean isLibjvm(MappedModule module) {
    return module.name().equals(LIBJVM);
  }

  private static SymbolAddresses libjvm(ModuleIndex modules) {
    MappedModule libjvm = modules.latest().named(LIBJVM);
    return libjvm == null ? symbol -> 0 : libjvm::addressOf;
  }

  /** Opens the java.base packages that relate threads to OS threads to this module. */
  private boolean openJavaBase() {
    try {
      JavaBase.openThreads(instrumentation);
      return true;
    } catch (RuntimeException e) {
      messages.sampling("threads have the names of the OS: java.base is not opened (" + e + ")");
      return false;
    }
  }

  private JavaThreadFinder findThreads(HotSpot hotSpot) {
    try {
      return new JavaThreadFinder(hotSpot.threads());
    } catch (ReflectiveOperationException e) {
      messages.sampling(
          "threads have the names of the OS, for java.lang.Thread is unlike any known (" + e + ")");
      return null;
    }
  }

  /** Null if samples can't be assigned to virtual threads. */
  private VirtualThreads openVirtualThreads(HotSpot hotSpot, ContextHook labelled) {
    GarbageCollections collections = hotSpot.collections();
    String why;
    if (collections == null || collections.moves() == GarbageCollections.Moves.UNKNOWN) {
      why = "this garbage collector is not known";
    } else {
      try {
        MountedContinuations mounted = new MountedContinuations();
        return new VirtualThreads(
            collections,
            mounted,
            new ObjectBits(SystemCalls.current().orElseThrow(), CallPolicy.ofThread(Set.of())),
            labelled);
      } catch (ReflectiveOperationException | RuntimeException e) {
        why = e.toString();
      }
    }
    messages.sampling("virtual threads are sampled, but not told from each other: " + why);
    return null;
  }
}
