package stackweave.hotspot;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

/** The stacks of {@link ParkedStacks}. */
final class ParkedBodies {
  private static final int WARM_UP = 20_000;
  private static final int OSR_TURNS = 150_000;

  private ParkedBodies() {}

  /** Something that ends in a call of {@link Gate#await}, or blocks after {@link Gate#block}. */
  interface Body {
    void run(Gate gate) throws Throwable;
  }

  static Map<String, Body> bodies() throws Exception {
    Map<String, Body> bodies = new LinkedHashMap<>();
    bodies.put("plain", Gate::await);
    bodies.put("recursion of 60", gate -> recurse(gate, 60));
    bodies.put("compiled recursion of 40", gate -> warm(gate, () -> recurse(gate, 40)));
    bodies.put("inlined", gate -> warm(gate, () -> inlinedOuter(gate)));
    bodies.put("lambda", gate -> apply(x -> lambdaBody(gate, x)));
    bodies.put("compiled lambda", gate -> warm(gate, () -> apply(x -> lambdaBody(gate, x))));
    bodies.put("sort with comparator", ParkedBodies::sortWithComparator);
    bodies.put("synchronized", ParkedBodies::synchronizedOuter);
    Method method = ParkedBodies.class.getDeclaredMethod("reflected", Gate.class);
    bodies.put("reflection", gate -> method.invoke(null, gate));
    bodies.put("compiled reflection", gate -> warm(gate, () -> method.invoke(null, gate)));
    MethodHandle handle =
        MethodHandles.lookup()
            .findStatic(
                ParkedBodies.class, "reflected", MethodType.methodType(void.class, Gate.class));
    bodies.put(
        "method handle",
        gate -> {
          handle.invokeExact(gate);
        });
    bodies.put(
        "compiled method handle",
        gate ->
            warm(
                gate,
                () -> {
                  handle.invokeExact(gate);
                }));
    MethodHandle dropping = MethodHandles.dropArguments(handle, 0, int.class, String.class);
    bodies.put(
        "adapted method handle",
        gate -> {
          dropping.invoke(3, "x", gate);
        });
    bodies.put("doPrivileged (native before 25)", ParkedBodies::privileged);
    bodies.put("many arguments", gate -> many(gate, 1, 2L, 3.0f, 4.0, 5, 6, 7, 8L, 9, "10", 11));
    bodies.put("class initialiser", gate -> InitialisedLate.begin(gate));
    bodies.put("osr", gate -> osr(gate));
    bodies.put("osr that inlines", gate -> osrInlining(gate));
    bodies.put("compiled, many arguments", gate -> warm(gate, () -> many(gate)));
    bodies.put("method reference", gate -> consume(Gate::await, gate));
    bodies.put("compiled method reference", gate -> warm(gate, () -> consume(Gate::await, gate)));
    bodies.put("string concatenation", gate -> concatenate(gate));
    bodies.put("compiled string concatenation", gate -> warm(gate, () -> concatenate(gate)));
    bodies.put("record's hashCode", gate -> keep(new Pair(1, new Waiting(gate)).hashCode()));
    bodies.put(
        "record's equals", gate -> keep(new Pair(1, new Waiting(gate)).equals(new Pair(1, 2))));
    bodies.put("record's toString", gate -> keep(new Pair(1, new Waiting(gate)).toString()));
    bodies.put("proxy", gate -> proxy(gate).run());
    bodies.put("compiled proxy", gate -> warm(gate, proxy(gate)::run));
    MethodHandle constructor =
        MethodHandles.lookup()
            .findConstructor(Built.class, MethodType.methodType(void.class, Gate.class));
    bodies.put("constructor by method handle", gate -> constructor.invoke(gate));
    bodies.put(
        "constructor by reflection",
        gate -> Built.class.getDeclaredConstructor(Gate.class).newInstance(gate));
    MethodHandle always =
        MethodHandles.dropArguments(MethodHandles.constant(boolean.class, true), 0, Gate.class);
    MethodHandle guarded = MethodHandles.guardWithTest(always, handle, handle);
    bodies.put(
        "guarded method handle",
        gate -> {
          guarded.invokeExact(gate);
        });
    bodies.put("catch block", gate -> thrown(gate));
    bodies.put("compiled catch block", gate -> warm(gate, () -> thrown(gate)));
    bodies.put(
        "stream", gate -> List.of(gate, gate).stream().filter(g -> true).forEach(Gate::await));
    bodies.put(
        "compiled stream",
        gate -> warm(gate, () -> List.of(gate).stream().map(g -> g).forEach(Gate::await)));
    bodies.put("sleep", ParkedBodies::sleep);
    bodies.put("wait", ParkedBodies::waitForever);
    bodies.put("lock", ParkedBodies::lock);
    bodies.put("monitor", ParkedBodies::monitor);
    return bodies;
  }

  private static volatile Object kept;

  private static void keep(Object result) {
    kept = result;
  }

  private interface Task {
    void run() throws Throwable;
  }

  /** Runs the task until it is compiled, then once more with the gate closed. */
  static void warm(Gate gate, Task task) throws Throwable {
    gate.closed = false;
    for (int i = 0; i < WARM_UP; i++) {
      task.run();
    }
    gate.closed = true;
    task.run();
  }

  private static int osr(Gate gate) {
    int x = 0;
    for (int i = 0; i <= OSR_TURNS; i++) {
      x += i;
      gate.awaitAt(OSR_TURNS);
    }
    return x;
  }

  private static int osrInlining(Gate gate) {
    int x = 0;
    for (int i = 0; i <= OSR_TURNS; i++) {
      x += small(gate, i);
    }
    return x;
  }

  private static int small(Gate gate, int i) {
    gate.awaitAt(OSR_TURNS);
    return i;
  }

  private static void consume(Consumer<Gate> consumer, Gate gate) {
    consumer.accept(gate);
  }

  private static String concatenate(Gate gate) {
    return "a" + new Waiting(gate) + 1;
  }

  private record Pair(int number, Object object) {}

  private record Waiting(Gate gate) {
    @Override
    public int hashCode() {
      gate.await();
      return 1;
    }

    @Override
    public boolean equals(Object other) {
      gate.await();
      return false;
    }

    @Override
    public String toString() {
      gate.await();
      return "w";
    }
  }

  private static Runnable proxy(Gate gate) {
    return (Runnable)
        Proxy.newProxyInstance(
            ParkedBodies.class.getClassLoader(),
            new Class<?>[] {Runnable.class},
            (proxy, method, arguments) -> {
              gate.await();
              return null;
            });
  }

  private static final class Built {
    Built(Gate gate) {
      gate.await();
    }
  }

  private static int thrown(Gate gate) {
    try {
      return Integer.parseInt("no number");
    } catch (NumberFormatException e) {
      gate.await();
      return 0;
    }
  }

  private static void sleep(Gate gate) throws InterruptedException {
    gate.block();
    try {
      Thread.sleep(1_000_000);
    } catch (InterruptedException e) {
      Thread.interrupted();
    }
  }

  private static void waitForever(Gate gate) {
    Object monitor = new Object();
    synchronized (monitor) {
      gate.block();
      try {
        while (gate.closed) {
          monitor.wait();
        }
      } catch (InterruptedException e) {
        Thread.interrupted();
      }
    }
  }

  private static void lock(Gate gate) throws InterruptedException {
    ReentrantLock lock = new ReentrantLock();
    CountDownLatch locked = new CountDownLatch(1);
    Thread owner =
        new Thread(
            () -> {
              lock.lock(); // and never unlocks
              locked.countDown();
            });
    owner.start();
    locked.await();
    gate.block();
    try {
      lock.lockInterruptibly();
    } catch (InterruptedException e) {
      Thread.interrupted();
    }
  }

  private static void monitor(Gate gate) throws InterruptedException {
    Object monitor = new Object();
    CountDownLatch owned = new CountDownLatch(1);
    Thread owner =
        new Thread(
            () -> {
              try {
                hold(monitor, owned, gate);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    owner.start();
    owned.await();
    gate.block();
    synchronized (monitor) {
      gate.block();
    }
  }

  private static void hold(Object monitor, CountDownLatch owned, Gate gate)
      throws InterruptedException {
    synchronized (monitor) {
      owned.countDown();
      gate.awaitOpen();
    }
  }

  private static double many(Gate gate) {
    return many(gate, 1, 2L, 3.0f, 4.0, 5, 6, 7, 8L, 9, "10", 11);
  }

  private static int recurse(Gate gate, int depth) {
    if (depth == 0) {
      gate.await();
      return 0;
    }
    int below = recurse(gate, depth - 1);
    return below + 1;
  }

  private static int inlinedOuter(Gate gate) {
    int x = gate.hashCode();
    x += inlinedMiddle(gate, x);
    return x;
  }

  private static int inlinedMiddle(Gate gate, int x) {
    int y = x * 3;

    y += inlinedInner(gate);
    return y;
  }

  private static int inlinedInner(Gate gate) {
    gate.await();
    return 7;
  }

  private static int apply(IntUnaryOperator operator) {
    return operator.applyAsInt(5);
  }

  private static int lambdaBody(Gate gate, int x) {
    gate.await();
    return x;
  }

  private static void sortWithComparator(Gate gate) {
    Integer[] numbers = {3, 1, 2};
    Comparator<Integer> comparator =
        (a, b) -> {
          gate.await();
          return a.compareTo(b);
        };
    Arrays.sort(numbers, comparator);
  }

  private static synchronized void synchronizedOuter(Gate gate) {
    synchronized (gate) {
      gate.await();
    }
  }

  private static void reflected(Gate gate) {
    gate.await();
  }

  @SuppressWarnings({"removal", "deprecation"})
  private static void privileged(Gate gate) {
    AccessController.doPrivileged(
        (PrivilegedAction<Void>)
            () -> {
              gate.await();
              return null;
            });
  }

  private static double many(
      Gate gate,
      int a,
      long b,
      float c,
      double d,
      int e,
      int f,
      int g,
      long h,
      int i,
      String j,
      int k) {
    gate.await();
    return a + b + c + d + e + f + g + h + i + j.length() + k;
  }

  /** Parks inside of a static initialiser: the VM stands between Java and Java. */
  static final class InitialisedLate {
    private static Gate gate;

    private InitialisedLate() {}

    static void begin(Gate given) {
      gate = given;
      Initialised.touch();
    }

    static final class Initialised {
      static {
        gate.await();
      }

      private Initialised() {}

      static void touch() {}
    }
  }
}
