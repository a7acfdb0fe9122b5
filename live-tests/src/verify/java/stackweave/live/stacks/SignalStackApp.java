package stackweave.live.stacks;

import java.nio.file.Path;
import stackweave.lab.Sampling;

/**
 * Runs a native thread without a usable signal stack, once the agent has had the time to see its
 * library: {@code SignalStackApp LIBRARY}.
 */
final class SignalStackApp {
  private static final long LOOKS_NANOS = 5_000_000_000L;

  private SignalStackApp() {}

  static native void run(int millis);

  public static void main(String[] args) throws Exception {
    Sampling.await();
    System.load(Path.of(args[0]).toString());
    long end = System.nanoTime() + LOOKS_NANOS;
    double sum = 0;
    while (System.nanoTime() < end) {
      for (int i = 0; i < 100_000; i++) {
        sum += Math.sin(sum + 1);
      }
      Thread.sleep(5);
    }
    run(300);
    System.out.println("survived " + sum);
  }
}
