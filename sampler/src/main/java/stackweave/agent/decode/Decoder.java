package stackweave.agent.decode;

import java.lang.instrument.Instrumentation;
import java.util.Set;
import stackweave.agent.decode.context.SampledContexts;
import stackweave.agent.decode.name.JitNames;
import stackweave.agent.decode.name.KernelNames;
import stackweave.agent.decode.name.StackNames;
import stackweave.agent.decode.thread.OtherThreadFinder;
import stackweave.agent.decode.thread.ThreadNames;
import stackweave.agent.decode.thread.VirtualThreads;
import stackweave.agent.jdk.JavaBase;
import stackweave.agent.jdk.JavaThreadFinder;
import stackweave.agent.jdk.MountedContinuations;
import stackweave.agent.jdk.OwnThreadFinder;
import stackweave.agent.message.Messages;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.runtime.GarbageCollections;
import stackweave.hotspot.runtime.JavaThreads;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.store.EventStore;
import stackweave.linux.CallPolicy;
import stackweave.linux.ObjectBits;
import stackweave.linux.SystemCalls;
import stackweave.unwind.walk.NativeUnwinder;

/**
 * Unwinds and names stacks, for the samples of the engine and for all features. It takes a moment
 * to make, while samples wait in the engine's rings. For the drain thread.
 */
public final class Decoder implements AutoCloseable {
  private final ProcessView process;
  private final EventStore store;
  private final SampleCounts counts;
  private final int depth;
  private final HotSpotMethods methods = new HotSpotMethods();
  private final MixedUnwinder unwinder;
  private final StackNames names;
  private final ThreadNames threads;
  private SampledContexts contexts;

  /** Null if Java threads can't be matched with the VM's. */
  private final JavaThreads vmThreads;

  /**
   * @param process must stay open as long as this
   * @param depth most frames of a stack
   * @param instrumentation opens java.base, which tells the OS thread of a Java thread; null:
   *     threads have the names of the OS
   */
  public Decoder(
      ProcessView process,
      EventStore store,
      SampleCounts counts,
      int depth,
      Instrumentation instrumentation,
      Messages messages) {
    this.process = process;
    this.store = store;
    this.counts = counts;
    this.depth = depth;
    this.contexts = SampledContexts.none(store, counts.counters);
    HotSpot hotSpot = process.hotSpot();
    this.unwinder = new MixedUnwinder(new NativeUnwinder(process.rules()), hotSpot, methods);
    this.names =
        new StackNames(
            store,
            methods,
            new KernelNames(process.tables()),
            new JitNames(process.modules(), process.memory(), process.process(), process.files()),
            process.memory());
    boolean isOwn = process.process().isOwn();
    boolean open =
        isOwn
            && hotSpot != null
            && instrumentation != null
            && openJavaBase(instrumentation, messages);
    this.vmThreads = open ? hotSpot.threads() : null;
    this.threads =
        new ThreadNames(
            process.process(),
            store,
            threadFinder(process.process(), hotSpot, open, messages),
            () -> open ? openVirtualThreads(hotSpot, messages) : null);
  }

  private static boolean openJavaBase(Instrumentation instrumentation, Messages messages) {
    try {
      JavaBase.openThreads(instrumentation);
      return true;
    } catch (RuntimeException e) {
      messages.sampling("threads have the names of the OS: java.base is not opened (" + e + ")");
      return false;
    }
  }

  /** Null if Java threads can't be found. */
  private static JavaThreadFinder threadFinder(
      SampledProcess process, HotSpot hotSpot, boolean open, Messages messages) {
    if (hotSpot != null && !process.isOwn()) {
      return new OtherThreadFinder(process, hotSpot);
    }
    if (!open) {
      return null;
    }
    try {
      return new OwnThreadFinder(hotSpot.threads());
    } catch (ReflectiveOperationException e) {
      messages.sampling(
          "threads have the names of the OS, for java.lang.Thread is unlike any known (" + e + ")");
      return null;
    }
  }

  /** Null if samples can't be assigned to virtual threads. */
  private VirtualThreads openVirtualThreads(HotSpot hotSpot, Messages messages) {
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
            contexts.threads());
      } catch (ReflectiveOperationException | RuntimeException e) {
        why = e.toString();
      }
    }
    messages.sampling("virtual threads are sampled, but not told from each other: " + why);
    return null;
  }

  /** Sets where contexts of threads come from; before, there are none. */
  public void label(SampledContexts known) {
    contexts = known;
  }

  /** The mappings and the VM of the process. */
  public ProcessView process() {
    return process;
  }

  /** The store that samples are written to. */
  public EventStore store() {
    return store;
  }

  /** Counters of samples and features. */
  public SampleCounts counts() {
    return counts;
  }

  /** Most frames of a stack. */
  public int depth() {
    return depth;
  }

  /** Names of what the unwinder meets. */
  public HotSpotMethods methods() {
    return methods;
  }

  /** Unwinds stacks. */
  public MixedUnwinder unwinder() {
    return unwinder;
  }

  /** Names frames. */
  public StackNames names() {
    return names;
  }

  /** Finds the thread of a stack. */
  public ThreadNames threads() {
    return threads;
  }

  /** What threads work for. */
  public SampledContexts contexts() {
    return contexts;
  }

  /** The VM's threads; null if Java threads can't be matched with them. */
  public JavaThreads vmThreads() {
    return vmThreads;
  }

  @Override
  public void close() {
    threads.close();
  }
}
