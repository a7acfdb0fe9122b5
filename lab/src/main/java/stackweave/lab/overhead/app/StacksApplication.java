package stackweave.lab.overhead.app;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.Random;
import java.util.zip.Deflater;
import stackweave.samples.lab.Variant;

/**
 * Deep stacks of Java and C, without garbage. An operation takes some 200 µs; a unit is a hundred.
 *
 * <p>Java calls of many targets, {@value #DEPTH} frames deep; from there C code that calls back
 * into Java five times over and is then about a hundred frames deep; C code alone, 120 frames deep
 * and 32 KiB down the stack; zlib. The C code is the lab's, without frame pointers.
 */
public final class StacksApplication implements Application {
  private static final int OPERATIONS = 100;
  private static final int DEPTH = 24;
  private static final int CALLBACK_LEVELS = 5;
  private static final int RECURSION_DEPTH = 120;
  private static final int SPIN = 6_000;

  private static final Variant LAB = Variant.load("omitfp");
  private static final MethodHandle CALLBACKS =
      lab("Callbacks", "down", Object.class, int.class, long.class, int.class);
  private static final MethodHandle RECURSION =
      lab("Recursion", "run", null, long.class, int.class, int.class);
  private static final MethodHandle CHAINS = lab("Chains", "run", null, long.class, int.class);

  private final Object callbacks = LAB.phase("Callbacks");
  private final Step first = steps();
  private final int[] table = new Random(5).ints(8 * 1024).toArray();
  private final byte[] text = new byte[8 * 1024];
  private final byte[] packed = new byte[16 * 1024];
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);

  /** Each thread has one of its own. */
  public StacksApplication() {
    Random random = new Random(7);
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + random.nextInt(6));
    }
  }

  /** A native method of the lab, as a handle that the compiler inlines. */
  private static MethodHandle lab(
      String phase, String method, Class<?> receiver, Class<?>... arguments) {
    try {
      Class<?> type = LAB.type(phase);
      Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
      MethodType signature = MethodType.methodType(long.class, arguments);
      return receiver == null
          ? lookup.findStatic(type, method, signature)
          : lookup
              .findVirtual(type, method, signature)
              .asType(signature.insertParameterTypes(0, receiver));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the lab has no " + phase + "." + method, e);
    }
  }

  @Override
  public void work(int worker, Units units) {
    StacksApplication own = new StacksApplication();
    long expected = own.first.run(own, 1);
    while (units.next()) {
      for (int i = 0; i < OPERATIONS; i++) {
        if (own.first.run(own, 1) != expected) {
          throw new IllegalStateException("an operation came to another result than before");
        }
      }
    }
  }

  private long bottom(long seed) {
    long x = seed;
    try {
      x ^= (long) CALLBACKS.invokeExact(callbacks, CALLBACK_LEVELS, x, SPIN);
      x ^= (long) RECURSION.invokeExact(x, RECURSION_DEPTH, SPIN);
      x ^= (long) CHAINS.invokeExact(x, SPIN);
    } catch (Throwable e) {
      throw new IllegalStateException("the lab's C code failed", e);
    }
    return x * 31 + deflate();
  }

  private int deflate() {
    deflater.reset();
    deflater.setInput(text);
    deflater.finish();
    return deflater.deflate(packed);
  }

  private long lookUp(long seed, int times) {
    long x = seed;
    for (int i = 0; i < times; i++) {
      x = x * 6364136223846793005L + table[(int) (x >>> 51)];
    }
    return x;
  }

  private static Step steps() {
    Step step = null;
    for (int i = 0; i < DEPTH; i++) {
      step =
          switch (i % 3) {
            case 0 -> new Before(step);
            case 1 -> new After(step);
            default -> new Around(step);
          };
    }
    return step;
  }

  /** A frame of Java; the compiler can't tell which one is next. */
  private abstract static class Step {
    private final Step next;

    Step(Step next) {
      this.next = next;
    }

    final long further(StacksApplication work, long x) {
      return next == null ? work.bottom(x) : next.run(work, x);
    }

    abstract long run(StacksApplication work, long x);
  }

  private static final class Before extends Step {
    Before(Step next) {
      super(next);
    }

    @Override
    long run(StacksApplication work, long x) {
      return further(work, work.lookUp(x, 800)) + 1;
    }
  }

  private static final class After extends Step {
    After(Step next) {
      super(next);
    }

    @Override
    long run(StacksApplication work, long x) {
      return work.lookUp(further(work, x), 800) + 2;
    }
  }

  private static final class Around extends Step {
    Around(Step next) {
      super(next);
    }

    @Override
    long run(StacksApplication work, long x) {
      return work.lookUp(further(work, work.lookUp(x, 400)), 400) + 3;
    }
  }
}
