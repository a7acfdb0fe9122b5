package stackweave.hotspot;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.AccessController;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import stackweave.unwind.Architecture;
import stackweave.unwind.NativeUnwinder;
import stackweave.unwind.RuleTable;
import stackweave.unwind.StackSnapshot;

/**
 * Parks threads in known stacks and compares what the unwinder sees with {@link
 * Thread#getStackTrace}: same methods, lines and order. Runs on any JDK as a program of its own,
 * with -XX:+ShowHiddenFrames so that no frame is left out: prints a line per stack, exits with 1 if
 * one differs.
 */
public final class ParkedStacks {
  private static final int WARM_UP = 20_000;

  private final ProcessMemory memory = new ProcessMemory();
  private final RuleTable rules = new RuleTable(Architecture.X86_64);
  private final ProcessModules modules = new ProcessModules(rules, memory);
  private final HotSpotMethods methods = new HotSpotMethods();
  private final HotSpot hotspot = HotSpot.open(modules.libjvm(), memory);
  private final MixedUnwinder unwinder =
      new MixedUnwinder(new NativeUnwinder(rules), hotspot, methods);
  private final FrameBuffer frames = new FrameBuffer(4096);

  private int started;

  private ParkedStacks() throws Exception {}

  public static void main(String[] args) throws Exception {
    ParkedStacks stacks = new ParkedStacks();
    boolean same = true;
    for (Map.Entry<String, Body> entry : bodies().entrySet()) {
      same &= stacks.check(entry.getKey(), entry.getValue());
    }
    System.exit(same ? 0 : 1);
  }

  /** Something that ends in a call of {@link Gate#await}. */
  interface Body {
    void run(Gate gate) throws Throwable;
  }

  /** Where a stack stands still; until then everything can be warmed up through it. */
  static final class Gate {
    private final CountDownLatch reached = new CountDownLatch(1);
    private volatile boolean closed;
    private int passed;

    void await() {
      if (!closed) {
        passed++;
        return;
      }
      reached.countDown();
      while (closed) {
        LockSupport.park(this);
      }
    }
  }

  static Map<String, Body> bodies() throws Exception {
    Map<String, Body> bodies = new LinkedHashMap<>();
    bodies.put("plain", Gate::await);
    bodies.put("recursion of 60", gate -> recurse(gate, 60));
    bodies.put("compiled recursion of 40", gate -> warm(gate, () -> recurse(gate, 40)));
    bodies.put("inlined", gate -> warm(gate, () -> inlinedOuter(gate)));
    bodies.put("lambda", gate -> apply(x -> lambdaBody(gate, x)));
    bodies.put("compiled lambda", gate -> warm(gate, () -> apply(x -> lambdaBody(gate, x))));
    bodies.put("sort with comparator", ParkedStacks::sortWithComparator);
    bodies.put("synchronized", ParkedStacks::synchronizedOuter);
    Method method = ParkedStacks.class.getDeclaredMethod("reflected", Gate.class);
    bodies.put("reflection", gate -> method.invoke(null, gate));
    bodies.put("compiled reflection", gate -> warm(gate, () -> method.invoke(null, gate)));
    MethodHandle handle =
        MethodHandles.lookup()
            .findStatic(
                ParkedStacks.class, "reflected", MethodType.methodType(void.class, Gate.class));
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
    bodies.put("doPrivileged (native before 25)", ParkedStacks::privileged);
    bodies.put("many arguments", gate -> many(gate, 1, 2L, 3.0f, 4.0, 5, 6, 7, 8L, 9, "10", 11));
    bodies.put("class initialiser", gate -> InitialisedLate.begin(gate));
    return bodies;
  }

  private interface Task {
    void run() throws Throwable;
  }

  /** Runs the task until it is compiled, then once more with the gate closed. */
  private static void warm(Gate gate, Task task) throws Throwable {
    gate.closed = false;
    for (int i = 0; i < WARM_UP; i++) {
      task.run();
    }
    gate.closed = true;
    task.run();
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

  private boolean check(String name, Body body) throws Exception {
    Gate gate = new Gate();
    gate.closed = true;
    Throwable[] failure = new Throwable[1];
    Thread thread =
        new Thread(
            () -> {
              try {
                body.run(gate);
              } catch (Throwable t) {
                failure[0] = t;
                gate.reached.countDown();
              }
            },
            "parked-" + ++started); // one just ended may still be listed under its name
    thread.start();
    gate.reached.await();
    if (failure[0] != null) {
      throw new IllegalStateException(name, failure[0]);
    }
    int tid = tidOf(thread);
    modules.refresh();
    StackSnapshot snapshot = parkedSnapshot(thread, tid);
    unwinder.unwind(snapshot, modules, frames);
    List<String> expected = expected(thread);
    List<String> seen = javaFrames();
    boolean same = expected.equals(seen) && frames.end().isComplete();
    System.out.println((same ? "PASS " : "FAIL ") + name + ": " + expected.size() + " Java frames");
    if (!same) {
      report(expected, seen);
    }
    gate.closed = false;
    LockSupport.unpark(thread);
    thread.join();
    return same;
  }

  private StackSnapshot parkedSnapshot(Thread thread, int tid) throws Exception {
    while (true) {
      if (thread.getState() == Thread.State.WAITING) {
        try {
          return ParkedThread.snapshot(tid, memory);
        } catch (IllegalStateException e) {
          // On its way into the system call.
        }
      }
      Thread.sleep(1);
    }
  }

  private int tidOf(Thread thread) throws Exception {
    while (true) {
      for (JavaThreads.JavaThread candidate : hotspot.threads().all()) {
        if (comm(candidate.osThreadId()).equals(thread.getName())) {
          return candidate.osThreadId();
        }
      }
      Thread.sleep(1);
    }
  }

  private List<String> expected(Thread thread) {
    List<String> expected = new ArrayList<>();
    for (StackTraceElement e : thread.getStackTrace()) {
      expected.add(
          e.getClassName() + "." + e.getMethodName() + ":" + Math.max(-1, e.getLineNumber()));
    }
    return expected;
  }

  private List<String> javaFrames() {
    List<String> seen = new ArrayList<>();
    for (int i = 0; i < frames.count(); i++) {
      if (frames.method(i) != FrameBuffer.NO_METHOD && !methods.get(frames.method(i)).isStub()) {
        HotSpotMethod method = methods.get(frames.method(i));
        seen.add(method.className() + "." + method.name() + ":" + frames.line(i));
      }
    }
    return seen;
  }

  private void report(List<String> expected, List<String> seen) {
    System.out.println("  end: " + frames.end());
    System.out.println("  expected " + String.join("\n           ", expected));
    System.out.println("  seen     " + String.join("\n           ", seen));
    for (int i = 0; i < frames.count(); i++) {
      int m = frames.method(i);
      System.out.printf(
          "    %-13s %x %s%n", frames.kind(i), frames.pc(i), m < 0 ? "" : methods.get(m));
    }
  }

  private static String comm(int tid) {
    try {
      return Files.readString(Path.of("/proc/self/task/" + tid + "/comm")).trim();
    } catch (IOException e) {
      return "";
    }
  }
}
