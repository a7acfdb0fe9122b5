package stackweave.agent.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.stream.Stream;

/**
 * Counts the virtual threads that live, by the containers of threads that a thread dump of the JDK
 * lists (jdk.internal.vm.ThreadContainers and ThreadDumper, JDK 21 to 27). Allocates, and takes a
 * few ms for as many threads as are counted at most: for now and then, on the drain thread. Takes
 * no lock but that of the JVM's list of threads. Needs jdk.internal.vm open to this module.
 */
public final class VirtualThreadCount {
  /** Not counted further. */
  public static final int MAX = 10_000;

  private static final String CONTAINER = "jdk.internal.vm.ThreadContainer";

  /** Containers are owned by threads of containers; so deep none that makes sense is. */
  private static final int MAX_DEPTH = 16;

  /** For each, the JDK goes through the list of all containers. */
  private static final int MAX_CONTAINERS = 200;

  private final Class<?> virtualThread;
  private final MethodHandle root;
  private final MethodHandle children;
  private final MethodHandle threads;
  private int containersLeft;

  /**
   * @throws ReflectiveOperationException if the JDK lacks these members or the package isn't open
   */
  public VirtualThreadCount() throws ReflectiveOperationException {
    Class<?> container = Class.forName(CONTAINER, false, null);
    Class<?> containers = Class.forName("jdk.internal.vm.ThreadContainers", false, null);
    virtualThread = Class.forName("java.lang.BaseVirtualThread", false, null);
    MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(container, MethodHandles.lookup());
    MethodType toStream = MethodType.methodType(Stream.class);
    MethodType toAny = MethodType.methodType(Stream.class, Object.class);
    root =
        lookup
            .findStatic(containers, "root", MethodType.methodType(container))
            .asType(MethodType.methodType(Object.class));
    children = lookup.findVirtual(container, "children", toStream).asType(toAny);
    threads = lookup.findVirtual(container, "threads", toStream).asType(toAny);
  }

  /**
   * How many there are, mounted or not: {@link #MAX} if so many or more, or if they are in more
   * containers than are looked at. Those that no container lists, as with {@code
   * -Djdk.trackAllThreads=false}, are not among them.
   */
  public long count() {
    containersLeft = MAX_CONTAINERS;
    try {
      return count((Object) root.invokeExact(), MAX_DEPTH);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e); // these methods declare none
    }
  }

  private long count(Object container, int depth) throws Throwable {
    if (--containersLeft < 0) {
      return MAX;
    }
    long count =
        ((Stream<?>) threads.invokeExact(container))
            .filter(virtualThread::isInstance)
            .limit(MAX)
            .count();
    // The containers inside are found by a look at each thread of this one.
    if (depth > 0 && count < MAX) {
      Object[] inside = ((Stream<?>) children.invokeExact(container)).toArray();
      for (int i = 0; i < inside.length && count < MAX; i++) {
        count += count(inside[i], depth - 1);
      }
    }
    return Math.min(count, MAX);
  }
}
