package stackweave.agent.drain;

import java.util.function.IntUnaryOperator;

/**
 * What stays while generations come and go: its code is compiled for the one subclass that there
 * is, and anew for each next one.
 */
public abstract class ChurnBase implements IntUnaryOperator {
  protected abstract int leaf(int n);

  /** Calls {@link #leaf}. */
  protected static int step(ChurnBase generation, int n) {
    int sum = 0;
    for (int i = 0; i < 3; i++) {
      sum += generation.leaf(n + i) ^ i;
    }
    return sum;
  }
}
