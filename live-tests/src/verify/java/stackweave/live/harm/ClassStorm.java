package stackweave.live.harm;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.Locale;
import java.util.function.LongUnaryOperator;

/** Classes that are loaded, used once and thrown away, as fast as two threads can. */
final class ClassStorm {
  private static final int TURN = 500;

  /** One class in so many has a class loader of its own; the others are hidden. */
  private static final int LOADERS = 10;

  /** The class that is loaded again and again. */
  public static final class Throwaway implements LongUnaryOperator {
    @Override
    public long applyAsLong(long n) {
      long sum = 0;
      for (long i = 1; i <= n; i++) {
        sum += i;
      }
      return sum;
    }
  }

  private static final class Loader extends ClassLoader {
    Loader() {
      super(ClassStorm.class.getClassLoader());
    }

    Class<?> define(byte[] bytes) {
      return defineClass(Throwaway.class.getName(), bytes, 0, bytes.length);
    }
  }

  private final long end;
  private final long start = System.nanoTime();
  private final byte[] bytes;

  ClassStorm(double seconds) throws IOException {
    end = start + (long) (seconds * 1e9);
    String name = Throwaway.class.getName().replace('.', '/') + ".class";
    try (InputStream in = ClassStorm.class.getClassLoader().getResourceAsStream(name)) {
      bytes = in.readAllBytes();
    }
  }

  String run() throws InterruptedException {
    long[] loaded = new long[2];
    Thread[] threads = new Thread[loaded.length];
    for (int i = 0; i < threads.length; i++) {
      int number = i;
      threads[i] = new Thread(() -> loaded[number] = load(), "classes-" + i);
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    long all = loaded[0] + loaded[1];
    double seconds = (System.nanoTime() - start) / 1e9;
    return String.format(Locale.ROOT, "%d classes, %.0f a second", all, all / seconds);
  }

  private long load() {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    long count = 0;
    try {
      while (System.nanoTime() - end < 0) {
        Class<?> type =
            count % LOADERS == 0
                ? new Loader().define(bytes)
                : lookup.defineHiddenClass(bytes, true).lookupClass();
        LongUnaryOperator code = (LongUnaryOperator) type.getConstructor().newInstance();
        Spin.check(code.applyAsLong(TURN), TURN);
        count++;
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    return count;
  }
}
