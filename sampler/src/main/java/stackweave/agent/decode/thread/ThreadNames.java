package stackweave.agent.decode.thread;

import java.lang.ref.WeakReference;
import java.util.function.Supplier;
import stackweave.agent.jdk.JavaThreadFinder;
import stackweave.agent.jdk.ThreadFacts;
import stackweave.hotspot.heap.ThreadObjects;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.store.EventStore;
import stackweave.linux.Tasks;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Finds the thread of a sample: the recording's id of an OS thread, with its name in Java, or else
 * the kernel's name.
 *
 * <p>The Java threads are listed when an unknown thread is met, and every few seconds, since pools
 * rename their threads ({@link ThreadLooks}). For the drain thread only.
 */
public final class ThreadNames implements AutoCloseable {
  /** Name of all threads that the kernel lists no more while they end. */
  private static final String ENDING = "ending threads";

  /** The most bytes that HotSpot keeps on the stack for a mount. */
  private static final int ENTRY_BYTES = 64;

  private final SampledProcess process;
  private final EventStore store;
  private final JavaThreadFinder finder;
  private final Supplier<VirtualThreads> virtualThreadsOpener;
  private final ThreadFacts facts = new ThreadFacts();
  private final SampledThreads threads = new SampledThreads();
  private final ThreadLooks looks = new ThreadLooks();
  private VirtualThreads virtualThreads;
  private boolean virtualThreadsOpened;

  /** When a virtual thread was last met, by {@link System#nanoTime}. */
  private long virtualNanos = System.nanoTime() - Long.MAX_VALUE / 2;

  /** Result of the last {@link #ownerOf}. */
  private Thread owner;

  /** The number of listings of the Java threads. */
  private int listings;

  /**
   * @param process whose threads they are
   * @param finder null if Java threads can't be found: then all have the names of the OS
   * @param virtualThreads called when the first virtual thread is met; null if virtual threads
   *     can't be told from each other
   */
  public ThreadNames(
      SampledProcess process,
      EventStore store,
      JavaThreadFinder finder,
      Supplier<VirtualThreads> virtualThreads) {
    this.process = process;
    this.store = store;
    this.finder = finder;
    this.virtualThreadsOpener = virtualThreads;
  }

  /** A note for users about names that can't be had; empty for none. */
  public String note() {
    return finder == null ? "" : finder.note();
  }

  /** Forgets all ids of the store, whose generation has changed. */
  public void forget() {
    threads.clear();
  }

  /** A thread has ended: its id may be another's from now on. */
  public void exited(int tid) {
    threads.remove(tid);
  }

  /** Sets the name that a thread has if it has none in Java. */
  public void renamed(int tid, String comm) {
    SampledThreads.Entry entry = threads.find(tid);
    if (entry == null) {
      entry = threads.add(tid);
    }
    if (!entry.isMet) {
      // The thread may have ended when its first sample is decoded, and only this has its name
      // then.
      entry.name = comm;
    } else if (!entry.fromJava) {
      define(entry, comm, null);
    }
  }

  /** The thread of a sample, with an id; allocates nothing for one met before. */
  public SampledThreads.Entry find(int tid) {
    SampledThreads.Entry entry = look(tid);
    if (entry.threadId == 0) {
      defineByKernel(entry);
    }
    return entry;
  }

  /** As {@link #find}, but a thread gets no id before it is known whether it is a Java thread. */
  public SampledThreads.Entry findLater(int tid) {
    SampledThreads.Entry entry = look(tid);
    if (entry.threadId == 0 && isLookedFor(entry)) {
      defineByKernel(entry);
    }
    return entry;
  }

  private SampledThreads.Entry look(int tid) {
    SampledThreads.Entry entry = threads.find(tid);
    long now = System.nanoTime();
    if (entry == null) {
      entry = threads.add(tid);
    }
    if (!entry.isMet) {
      entry.isMet = true;
      entry.addedAfter = listings;
    }
    if (finder != null && looks.isDue(now, entry.addedAfter == listings)) {
      if (finder.forEach(this::seen)) {
        listings++; // else those without a name are looked for again soon
      }
      looks.done(now, System.nanoTime());
    }
    return entry;
  }

  /** Whether the Java threads were listed since this thread was met, or can't be listed. */
  public boolean isLookedFor(SampledThreads.Entry entry) {
    return finder == null || entry.addedAfter != listings;
  }

  /**
   * The recording's id of a stack's thread: of the virtual thread, which may be an unknown one, if
   * one was mounted, else of the OS thread.
   */
  public long ownerOf(FrameBuffer frames, StackSnapshot sample, SampledThreads.Entry carrier) {
    long entry = frames.mountEntry();
    boolean cutOff = entry == 0 && carrier.runsVirtualThreads && mayLackEntry(frames);
    if (entry == 0 && !cutOff) {
      owner = carrier.thread();
      return carrier.threadId;
    }
    virtualNanos = System.nanoTime();
    Thread carrierThread = carrier.thread();
    // The part that was read after the sample may belong to another mount.
    long copied = sample.stackAddress() + sample.stackLength();
    boolean isCopied = entry >= sample.stackAddress() && entry + ENTRY_BYTES <= copied;
    carrier.runsVirtualThreads = true;
    owner =
        isCopied && carrierThread != null
            ? virtualThread(carrierThread, carrier.tid, frames, sample)
            : null;
    if (owner != null) {
      return store.thread(
          carrier.tid, owner.getName(), facts.idOf(owner), true, carrier.javaId, owner);
    }
    ThreadObjects.Found found =
        isCopied && finder != null
            ? finder.virtualThread(frames.mountedContinuation(), sample.timeNanos())
            : null;
    return store.thread(
        carrier.tid,
        found == null ? "" : found.name(),
        found == null ? 0 : found.id(),
        true,
        carrier.javaId,
        null);
  }

  /** Whether a virtual thread was met since then, by {@link System#nanoTime}. */
  public boolean hasVirtual(long sinceNanos) {
    return virtualNanos - sinceNanos > 0;
  }

  /** The Java thread of the last {@link #ownerOf}; null if it is none, or not certain. */
  public Thread owner() {
    return owner;
  }

  /** Whether a virtual thread's frames may have begun where the stack is not known. */
  private static boolean mayLackEntry(FrameBuffer frames) {
    boolean lacks = !frames.end().isComplete();
    for (int i = 0; i < frames.count() && !lacks; i++) {
      lacks = frames.kind(i) == FrameKind.UNKNOWN;
    }
    return lacks;
  }

  private Thread virtualThread(Thread carrier, int tid, FrameBuffer frames, StackSnapshot sample) {
    if (!virtualThreadsOpened) {
      virtualThreadsOpened = true;
      virtualThreads = virtualThreadsOpener.get();
    }
    return virtualThreads == null
        ? null
        : virtualThreads.find(carrier, tid, frames.mountedContinuation(), sample.timeNanos());
  }

  @Override
  public void close() {
    if (virtualThreads != null) {
      virtualThreads.close();
    }
  }

  private void seen(int tid, JavaThreadFinder.Named named, long stackEnd, long vmThread) {
    SampledThreads.Entry entry = threads.find(tid);
    if (entry == null || !entry.isMet) {
      return;
    }
    entry.stackEnd = stackEnd;
    entry.vmThread = vmThread;
    if (named != null && !isKnown(entry, named)) {
      define(entry, named.name(), named);
    }
  }

  private static boolean isKnown(SampledThreads.Entry entry, JavaThreadFinder.Named named) {
    return entry.fromJava
        && entry.javaId == named.id()
        && entry.thread() == named.thread()
        && entry.name.equals(named.name());
  }

  private void defineByKernel(SampledThreads.Entry entry) {
    if (entry.tid < 0) {
      define(entry, ENDING, null);
    } else {
      define(entry, entry.name.isEmpty() ? Tasks.comm(process, entry.tid) : entry.name, null);
    }
  }

  /**
   * @param named null if it is no Java thread
   */
  private void define(SampledThreads.Entry entry, String name, JavaThreadFinder.Named named) {
    Thread thread = named == null ? null : named.thread();
    entry.name = name == null || name.isEmpty() ? "thread " + entry.tid : name;
    entry.fromJava = named != null;
    entry.runsVirtualThreads |= named != null && named.isCarrier();
    entry.javaThread = thread == null ? null : new WeakReference<>(thread);
    entry.javaId = named == null ? 0 : named.id();
    entry.threadId = store.thread(entry.tid, entry.name, entry.javaId, false, 0, thread);
  }
}
