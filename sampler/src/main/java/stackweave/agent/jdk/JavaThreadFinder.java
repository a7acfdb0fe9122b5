package stackweave.agent.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import stackweave.hotspot.runtime.JavaThreads;

/**
 * The live Java threads with their OS thread ids.
 *
 * <p>{@code Thread.getThreads()} copies the VM's thread list without a safepoint and without a lock
 * of Java's; {@link VmThreadAddress} leads to the OS thread id through fault-safe reads, once for a
 * thread. Needs java.lang open to this module. For the drain thread only.
 */
public final class JavaThreadFinder {
  private final JavaThreads vmThreads;
  private final MethodHandle getThreads;
  private final VmThreadAddress address;
  private final JavaThreadId ids = new JavaThreadId();
  private final KnownJavaThreads known = new KnownJavaThreads();

  /**
   * @throws ReflectiveOperationException if the JDK lacks these members or java.lang is not open:
   *     threads then have the OS's names
   */
  public JavaThreadFinder(JavaThreads vmThreads) throws ReflectiveOperationException {
    this.vmThreads = vmThreads;
    MethodHandles.Lookup threadClass =
        MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
    getThreads =
        threadClass.findStatic(Thread.class, "getThreads", MethodType.methodType(Thread[].class));
    address = new VmThreadAddress();
  }

  /** Receives the threads. */
  public interface Visitor {
    /**
     * A thread.
     *
     * @param stackEnd the first address above its stack, 0 if unknown
     * @param vmThread address of its JavaThread
     */
    void javaThread(int tid, Thread thread, long stackEnd, long vmThread);
  }

  /** Visits all live platform threads that have an OS thread. */
  public void forEach(Visitor visitor) {
    known.begin();
    for (Thread thread : threads()) {
      long vmThread = address.of(thread);
      long id = ids.of(thread);
      int i = vmThread == 0 ? -1 : known.find(vmThread, id);
      if (i >= 0) {
        visitor.javaThread(known.osThreadId(i), thread, known.stackEnd(i), vmThread);
        continue;
      }
      int tid = vmThread == 0 ? 0 : vmThreads.osThreadId(vmThread);
      if (tid > 0) {
        long stackEnd = vmThreads.stackEnd(vmThread);
        // Still the same after what was read of it.
        if (id != 0 && stackEnd != 0 && address.of(thread) == vmThread) {
          known.add(vmThread, id, tid, stackEnd);
        }
        visitor.javaThread(tid, thread, stackEnd, vmThread);
      }
    }
    known.end();
  }

  private Thread[] threads() {
    try {
      return (Thread[]) getThreads.invokeExact();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("Thread.getThreads declares no exception", e);
    }
  }
}
