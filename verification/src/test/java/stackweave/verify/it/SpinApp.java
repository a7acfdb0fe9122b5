package stackweave.verify.it;

import java.util.function.LongUnaryOperator;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import stackweave.samples.lab.Variant;
import stackweave.verify.Sampling;

/**
 * Two threads, one after the other, that stay in a known place in C for a while: {@code cold} gets
 * there through interpreted frames, {@code warm} through compiled and inlined ones. Prints what
 * {@link Thread#getStackTrace()} says of each meanwhile: {@code STACK thread class method line},
 * innermost first.
 */
final class SpinApp {

  /** The time in which a thread spins. */
  @Name("test.Spin")
  @Label("Spin")
  static final class SpinEvent extends Event {
    @Label("Spinner")
    String spinner;
  }

  private SpinApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    long millis = Long.parseLong(args[0]);
    Variant variant = Variant.load(args[1]);
    run(new Spinner("cold", 0, millis, operator(variant)));
    run(new Spinner("warm", 30_000, millis, operator(variant)));
  }

  private static LongUnaryOperator operator(Variant variant) {
    try {
      return (LongUnaryOperator) variant.type("Spin").getConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void run(Spinner spinner) throws InterruptedException {
    spinner.start();
    while (!spinner.ready) {
      Thread.sleep(1);
    }
    StackTraceElement[] stack = spinner.getStackTrace();
    // On its way; the first call of a native method looks for its function, in native methods too.
    while (!stack[0].isNativeMethod() || !stack[0].getMethodName().equals("spin")) {
      Thread.sleep(10);
      stack = spinner.getStackTrace();
    }
    for (StackTraceElement element : stack) {
      System.out.printf(
          "STACK %s %s %s %d%n",
          spinner.getName(),
          element.getClassName(),
          element.getMethodName(),
          element.getLineNumber());
    }
    spinner.join();
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
