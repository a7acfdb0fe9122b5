package stackweave.lab.calls;

import java.util.Arrays;
import stackweave.lab.CpuTime;

/** Calls a native method so often, and prints how many native methods with a prefix there are. */
public final class CallsProgram {
  static final int CALLS = 100_000;

  private CallsProgram() {}

  public static void main(String[] arguments) {
    long last = 0;
    for (int i = 0; i < CALLS; i++) {
      long now = CpuTime.ofThread();
      if (now < last) {
        throw new IllegalStateException(now + " after " + last);
      }
      last = now;
    }
    long prefixed =
        Arrays.stream(CpuTime.class.getDeclaredMethods())
            .filter(method -> method.getName().startsWith("stackweave$native$"))
            .count();
    System.out.println(prefixed);
  }
}
