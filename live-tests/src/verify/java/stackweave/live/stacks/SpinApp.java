package stackweave.live.stacks;

import java.util.function.LongUnaryOperator;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import stackweave.lab.Sampling;
import stackweave.samples.lab.Variant;

/**
 * Two threads, one after the other, that stay in a known place in C for a while: {@code cold} gets
 * there through interpreted frames, {@code warm} through compiled and inlined ones. Prints what
 * {@link Thread#getStackTrace()} says of each meanwhile: {@code STACK thread class method line},
 * innermost first.
 */
public final class SpinApp {

  /** The time in which a thread spins. */
  @Name("test.Spin")
  @Label("Spin")
  public static final class SpinEvent extends Event {
    @Label("Spinner")
    String spinner;
  }

  /** The moment in which its stack was seen. */
  @Name("test.Seen")
  @Label("Seen")
  static final class SeenEvent extends Event {
    @Label("Spinner")
    String spinner;
  }

  private SpinApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    long millis = Long.parseLong(args[0]);
    Variant variant = Variant.load(args[1]);
    LongUnaryOperator cold = operator(variant);
    while (!run(new Spinner("cold", 0, millis, cold))) {
      // It was over before it was seen: on a busy machine this thread gets its turn late.
    }
    LongUnaryOperator warm = operator(variant);
    while (!run(new Spinner("warm", 30_000, millis, warm))) {
      // The same.
    }
  }

  private static LongUnaryOperator operator(Variant variant) {
    try {
      return (LongUnaryOperator) variant.type("Spin").getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns false if it ended before its stack was seen. */
  private static boolean run(Spinner spinner) throws InterruptedException {
    spinner.start();
    while (!spinner.ready) {
      Thread.sleep(1);
    }
    StackTraceElement[] stack = spinner.getStackTrace();
    // On its way; the first call of a native method looks for its function, in native methods too.
    while (!isThere(stack) && spinner.isAlive()) {
      Thread.sleep(10);
      stack = spinner.getStackTrace();
    }
    if (!isThere(stack)) {
      return false;
    }
    SeenEvent seen = new SeenEvent();
    seen.spinner = spinner.getName();
    seen.commit();
    for (StackTraceElement element : stack) {
      System.out.printf(
          "STACK %s %s %s %d%n",
          spinner.getName(),
          element.getClassName(),
          element.getMethodName(),
          element.getLineNumber());
    }
    spinner.join();
    return true;
  }

  private static boolean isThere(StackTraceElement[] stack) {
    return stack.length > 0 && stack[0].isNativeMethod() && stack[0].getMethodName().equals("spin");
  }

  private static final class Spinner extends Thread {
    private final int warmUps;
    private final long millis;
    private final LongUnaryOperator spin;
    private volatile boolean ready;
    long result;

    Spinner(String name, int warmUps, long millis, LongUnaryOperator spin) {
      super(name);
      this.warmUps = warmUps;
      this.millis = millis;
      this.spin = spin;
    }

    @Override
    public void run() {
      for (int i = 0; i < warmUps; i++) {
        result += stay(0);
      }
      SpinEvent event = new SpinEvent();
      event.spinner = getName();
      event.begin();
      ready = true;
      result += stay(millis * 1_000_000);
      event.commit();
    }

    private long stay(long nanos) {
      return spin.applyAsLong(nanos) + 1;
    }
  }
}
