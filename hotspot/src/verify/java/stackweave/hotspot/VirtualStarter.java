package stackweave.hotspot;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Virtual threads that stay on their carrier while they park. For a program that also runs where
 * there are none, hence reflection. Needs jdk.internal.vm exported, and a scheduler of one thread.
 */
final class VirtualStarter {
  private final Method start;
  private final Method pin;
  private final AtomicReference<Thread> carrier = new AtomicReference<>();
  private final Method currentCarrier;

  VirtualStarter() throws ReflectiveOperationException {
    start = Thread.class.getMethod("startVirtualThread", Runnable.class);
    pin = Class.forName("jdk.internal.vm.Continuation").getMethod("pin");
    currentCarrier = Thread.class.getDeclaredMethod("currentCarrierThread");
    currentCarrier.setAccessible(true);
  }

  Thread start(Runnable task) throws ReflectiveOperationException {
    return (Thread)
        start.invoke(
            null,
            (Runnable)
                () -> {
                  try {
                    pin.invoke(null);
                    carrier.set((Thread) currentCarrier.invoke(null));
                  } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                  }
                  task.run();
                });
  }

  /** The carrier of the thread started last, once its task runs. */
  Thread carrier() {
    return carrier.get();
  }
}
