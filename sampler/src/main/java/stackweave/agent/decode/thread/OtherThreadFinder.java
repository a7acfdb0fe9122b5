package stackweave.agent.decode.thread;

import stackweave.agent.jdk.JavaThreadFinder;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.heap.ThreadObjects;
import stackweave.hotspot.runtime.JavaThreads;
import stackweave.hotspot.runtime.JavaThreads.JavaThread;
import stackweave.jfr.process.SampledProcess;

/**
 * The threads of another process's VM, by the VM's list, with their names in its heap. For the
 * drain thread only.
 */
public final class OtherThreadFinder implements JavaThreadFinder {
  private final JavaThreads vmThreads;
  private final ThreadIds ids;

  /** Null where names can't be read from the heap. */
  private final ThreadObjects objects;

  /** Of a process's VM. */
  public OtherThreadFinder(SampledProcess process, HotSpot hotSpot) {
    ids = new ThreadIds(process);
    vmThreads = hotSpot.threads();
    objects = hotSpot.threadObjects();
  }

  @Override
  public boolean forEach(Visitor visitor) {
    boolean allCertain = true;
    ids.look();
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
  public String note() {
    return objects == null
        ? "threads have the kernel's names, for those in Java can't be read from outside with this"
            + " garbage collector"
        : "";
  }
}
