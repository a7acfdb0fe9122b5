package stackweave.agent.decode.thread;

import stackweave.agent.jdk.JavaThreadFinder;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.heap.ThreadObjects;
import stackweave.hotspot.heap.VirtualThreadObjects;
import stackweave.hotspot.runtime.JavaThreads;
import stackweave.hotspot.runtime.JavaThreads.JavaThread;
import stackweave.jfr.process.SampledProcess;

/**
 * The threads of another process's VM, by the VM's list, with their names in its heap. For the
 * drain thread only.
 */
public final class OtherThreadFinder implements JavaThreadFinder {
  private static final String WHY =
      ", for those in Java can't be read from outside with this garbage collector";

  private final JavaThreads vmThreads;
  private final ThreadIds ids;

  /** Null where names can't be read from the heap. */
  private final ThreadObjects objects;

  private final HotSpot hotSpot;

  /** Null before the first virtual thread, and where they can't be read from the heap. */
  private VirtualThreadObjects virtualThreads;

  private boolean areVirtualThreadsMet;

  /** Of a process's VM. */
  public OtherThreadFinder(SampledProcess process, HotSpot hotSpot) {
    this.hotSpot = hotSpot;
    ids = new ThreadIds(process);
    vmThreads = hotSpot.threads();
    objects = hotSpot.threadObjects();
  }

  @Override
  public boolean forEach(Visitor visitor) {
    boolean allCertain = true;
    ids.look();
    if (objects != null) {
      objects.begin();
    }
    for (JavaThread thread : vmThreads.all()) {
      long address = thread.address();
      ThreadObjects.Found found =
          objects == null ? ThreadObjects.Found.NONE : objects.read(address);
      allCertain &= found != null;
      int tid = ids.ofSamples(thread.osThreadId());
      if (tid > 0) {
        visitor.javaThread(tid, named(found), vmThreads.stackEnd(address), address);
      }
    }
    return allCertain;
  }

  private static Named named(ThreadObjects.Found found) {
    return found == null || found == ThreadObjects.Found.NONE
        ? null
        : new Named(found.name(), found.id(), found.isCarrier(), null);
  }

  @Override
  public ThreadObjects.Found virtualThread(long continuation, long nanos) {
    if (!areVirtualThreadsMet) {
      areVirtualThreadsMet = true;
      virtualThreads = hotSpot.virtualThreadObjects();
    }
    return virtualThreads == null ? null : virtualThreads.find(continuation, nanos);
  }

  @Override
  public String note() {
    if (areVirtualThreadsMet && virtualThreads == null) {
      return (objects == null ? "threads have the kernel's names, and " : "")
          + "virtual threads are not told from each other"
          + WHY;
    }
    return objects == null ? "threads have the kernel's names" + WHY : "";
  }
}
