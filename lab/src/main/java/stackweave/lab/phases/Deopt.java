package stackweave.lab.phases;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import stackweave.samples.work.Round;

/**
 * Deoptimization storms: fresh copies of a class become compiled code under assumptions that a
 * subclass, a first failed cast and a branch never taken before then break.
 */
final class Deopt implements Round {
  private static final int BREAK = -1;

  @Override
  public long run() {
    try {
      FreshLoader loader = new FreshLoader(Victim.class, Victim.Sub.class);
      Class<?> fresh = Class.forName(Victim.class.getName(), true, loader);
      MethodHandle run = MethodHandles.lookup().unreflect(fresh.getMethod("run", int.class));
      long sum = repeat(run, 300);
      sum += (int) run.invokeExact(BREAK);
      return sum + repeat(run, 50);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static long repeat(MethodHandle run, int times) throws Throwable {
    long sum = 0;
    for (int i = 0; i < times; i++) {
      sum += (int) run.invokeExact(200);
    }
    return sum;
  }

  /** Defined anew by each round's loader. */
  public static class Victim {
    static Victim instance = new Victim();
    static int calls;

    int f(int x) {
      return x + 1;
    }

    private static int inner(Victim victim, int n) {
      int sum = 0;
      for (int i = 0; i < n; i++) {
        sum += victim.f(i) ^ sum;
      }
      return sum;
    }

    private static int branch(int n) {
      return n > 100_000 ? Integer.parseInt("7") : n;
    }

    /** Works; a negative {@code n} breaks what compiled code takes for granted. */
    public static int run(int n) {
      if (n >= 0) {
        return inner(instance, n) + branch(n + calls++ * 300);
      }
      instance = new Sub();
      Object text = "text";
      try {
        return (Integer) text;
      } catch (ClassCastException e) {
        return inner(instance, 10_000);
      }
    }

    /** Loaded when its superclass is compiled already. */
    static final class Sub extends Victim {
      @Override
      int f(int x) {
        return x * 3;
      }
    }
  }
}
