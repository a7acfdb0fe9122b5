package stackweave.agent.decode.thread;

import java.lang.ref.WeakReference;
import java.util.function.Supplier;
import stackweave.agent.jdk.JavaThreadFinder;
import stackweave.agent.jdk.ThreadFacts;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.jfr.store.EventStore;
import stackweave.linux.Tasks;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Whose a sample is: the recording's id of an OS thread, with the name that Java gives it, or else
 * the kernel.
 *
 * <p>The Java threads are looked through when an unknown thread turns up, and every few seconds,
 * since pools rename their threads ({@link ThreadLooks}). For the drain thread only.
 */
public final class ThreadNames implements AutoCloseable {
  /** All threads whose id the kernel has taken away already, while they end. */
  private static final String ENDING = "ending threads";

  /** What HotSpot keeps of a mount, at most, in bytes. */
  private static final int ENTRY_BYTES = 64;

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

  /** Of the last {@link #ownerOf}. */
  private Thread owner;

  /** How often the Java threads were looked through. */
  private int listings;

  /**
   * @param finder null where Java threads can't be found: all then have the names of the OS
   * @param virtualThreads asked when the first virtual thread is met; null where virtual threads
   *     can't be told from each other
   */
  public ThreadNames(
      EventStore store, JavaThreadFinder finder, Supplier<VirtualThreads> virtualThreads) {
    this.store = store;
    this.finder = finder;
    this.virtualThreadsOpener = virtualThreads;
  }

  /** Forgets all ids of the store, whose generation has changed. */
  public void forget() {
    threads.clear();
  }

  /** A thread has ended: its id may be another's from now on. */
  public void exited(int tid) {
    threads.remove(tid);
  }

  /** A thread that has no Java name has this one. */
  public void renamed(int tid, String comm) {
    SampledThreads.Entry entry = threads.find(tid);
    if (entry == null) {
      entry = threads.add(tid);
    }
    if (!entry.isMet) {
      // It may have ended when its first sample is decoded, and nothing else has its name then.
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

  /** The same, without an id as long as it is not known whether it is a thread of Java. */
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
      listings++;
      finder.forEach(this::seen);
      looks.done(now, System.nanoTime());
    }
    return entry;
  }

  /**
   * Whether {@link #find} or {@link #findLater} has looked through the Java threads since it was
   * met, for whichever thread, or there are none to look for.
   */
  public boolean isLookedFor(SampledThreads.Entry entry) {
    return finder == null || entry.addedAfter != listings;
  }

  /**
   * The recording's id of the thread that a stack is of: the virtual thread if one was mounted,
   * which may be an unknown one, and else the OS thread's own.
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
    // What was read of the stack after the sample may be of another mount.
    long copied = sample.stackAddress() + sample.stackLength();
    Thread thread =
        carrierThread != null && entry >= sample.stackAddress() && entry + ENTRY_BYTES <= copied
            ? virtualThread(carrierThread, carrier.tid, frames, sample)
            : null;
    carrier.runsVirtualThreads = true;
    owner = thread;
    return store.thread(
        carrier.tid,
        thread == null ? "" : thread.getName(),
        thread == null ? 0 : facts.idOf(thread),
        true,
        carrierThread == null ? 0 : facts.idOf(carrierThread),
        thread);
  }

  /** Whether a virtual thread was met since then, by {@link System#nanoTime}. */
  public boolean hasVirtual(long sinceNanos) {
    return virtualNanos - sinceNanos > 0;
  }

  /** The Java thread that the last {@link #ownerOf} named; null if it is none, or not certain. */
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

  private void seen(int tid, Thread thread, long stackEnd, long vmThread) {
    SampledThreads.Entry entry = threads.find(tid);
    if (entry == null || !entry.isMet) {
      return;
    }
    entry.stackEnd = stackEnd;
    entry.vmThread = vmThread;
    if (entry.thread() != thread || !entry.name.equals(thread.getName())) {
      define(entry, thread.getName(), thread);
    }
  }

  private void defineByKernel(SampledThreads.Entry entry) {
    if (entry.tid < 0) {
      define(entry, ENDING, null);
    } else {
      define(entry, entry.name.isEmpty() ? Tasks.comm(entry.tid) : entry.name, null);
    }
  }

  private void define(SampledThreads.Entry entry, String name, Thread thread) {
    entry.name = name == null || name.isEmpty() ? "thread " + entry.tid : name;
    entry.fromJava = thread != null;
    entry.runsVirtualThreads |= thread != null && ThreadFacts.isCarrier(thread);
    entry.javaThread = thread == null ? null : new WeakReference<>(thread);
    long javaId = thread == null ? 0 : facts.idOf(thread);
    entry.threadId = store.thread(entry.tid, entry.name, javaId, false, 0, thread);
  }
}
