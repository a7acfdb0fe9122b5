package stackweave.agent.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.HashMap;
import java.util.Map;
import stackweave.hotspot.runtime.JavaThreads;

/**
 * The live Java threads of this JVM with their OS thread ids.
 *
 * <p>{@code Thread.getThreads()} copies the VM's thread list without a safepoint and without a lock
 * of Java's; {@link VmThreadAddress} leads to the OS thread id through fault-safe reads, once for a
 * thread. Needs java.lang open to this module. For the drain thread only.
 */
public final class OwnThreadFinder implements JavaThreadFinder {
  private final JavaThreads vmThreads;
  private final MethodHandle getThreads;
  private final VmThreadAddress address;
  private final ThreadFacts facts = new ThreadFacts();

  /**
   * The threads of the last look by the address of their JavaThread, so that only new ones are
   * read. An address may be reused, but then for a Java thread with another id, which never is.
   */
  private Map<Long, Known> known = new HashMap<>();

  private record Known(long javaId, int tid, long stackEnd) {}

  /**
   * @throws ReflectiveOperationException if the JDK lacks these members or java.lang is not open:
   *     threads then have the OS's names
   */
  public OwnThreadFinder(JavaThreads vmThreads) throws ReflectiveOperationException {
    this.vmThreads = vmThreads;
    MethodHandles.Lookup threadClass =
        MethodHandles.privateLookupIn(Thread.class, MethodHandles.lookup());
    getThreads =
        threadClass.findStatic(Thread.class, "getThreads", MethodType.methodType(Thread[].class));
    address = new VmThreadAddress();
  }

  @Override
  public boolean forEach(Visitor visitor) {
    Map<Long, Known> met = new HashMap<>();
    for (Thread thread : threads()) {
      long vmThread = address.of(thread);
      if (vmThread == 0) {
        continue; // it has not begun, or has ended
      }
      long id = facts.idOf(thread);
      Known one = known.get(vmThread);
      if (one == null || id == 0 || one.javaId != id) {
        one = new Known(id, vmThreads.osThreadId(vmThread), vmThreads.stackEnd(vmThread));
      }
      if (one.tid > 0) {
        Named named = new Named(thread.getName(), id, ThreadFacts.isCarrier(thread), thread);
        visitor.javaThread(one.tid, named, one.stackEnd, vmThread);
      }
      // Used only if it is still the same after its data were read.
      if (one.tid > 0 && one.stackEnd != 0 && address.of(thread) == vmThread) {
        met.put(vmThread, one);
      }
    }
    known = met;
    return true;
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
