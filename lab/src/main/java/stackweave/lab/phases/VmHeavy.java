package stackweave.lab.phases;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import stackweave.samples.work.Round;

/**
 * Calls from Java into the VM: reflection, stack traces, interning, identity, inflated monitors.
 */
final class VmHeavy implements Round {
  private final Method reflected;
  private final MethodHandle handle;
  private Object sink;
  private long hash;

  VmHeavy() {
    try {
      reflected = VmHeavy.class.getDeclaredMethod("target", int.class);
      handle = MethodHandles.lookup().unreflect(reflected);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long run() {
    long sum = 0;
    for (int i = 0; i < 200; i++) {
      sum += called(i) + named(i) + traced() + reflectedOn() + identified();
      sum += i % 10 == 0 ? inflated() : 0;
    }
    return sum;
  }

  private static int target(int n) {
    return Compute.fibonacci(n & 7);
  }

  private long called(int i) {
    try {
      return (int) reflected.invoke(null, i) + (int) handle.invokeExact(i);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static long named(int i) {
    return "name".concat(Integer.toString(i * 7919)).intern().length();
  }

  private long traced() {
    sink = Thread.currentThread().getStackTrace();
    sink = new Throwable().getStackTrace();
    return StackWalker.getInstance().walk(frames -> frames.filter(this::isMine).count());
  }

  private boolean isMine(StackWalker.StackFrame frame) {
    return frame.getClassName().equals(getClass().getName());
  }

  private static long reflectedOn() {
    try {
      Object array = Array.newInstance(Class.forName("java.util.HashMap"), 100);
      return Array.getLength(array) + VmHeavy.class.getDeclaredMethods().length;
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private long identified() {
    for (int i = 0; i < 20; i++) {
      Object fresh = new Object();
      hash ^= System.identityHashCode(fresh) + Runtime.getRuntime().freeMemory();
    }
    return 20;
  }

  /** Waiting, however briefly, inflates the lock to a monitor. */
  private static long inflated() {
    Object lock = new Object();
    synchronized (lock) {
      try {
        lock.wait(0, 1);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      lock.notifyAll();
    }
    return 1;
  }
}
