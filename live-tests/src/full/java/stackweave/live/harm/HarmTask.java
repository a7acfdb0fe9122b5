package stackweave.live.harm;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.function.LongUnaryOperator;

/** Loaded anew by {@link HarmApp} in every turn, by a loader that nobody keeps. */
public final class HarmTask implements LongUnaryOperator {

  /** Kind after kind, so that call sites compiled for one type meet others: deoptimisation. */
  abstract static class Shape {
    abstract long area(long x);

    static long sum(Shape[] shapes, long x) {
      long sum = 0;
      for (Shape shape : shapes) {
        sum = sum * 31 + shape.area(x);
      }
      return sum;
    }
  }

  static final class Square extends Shape {
    @Override
    long area(long x) {
      return x * x;
    }
  }

  static final class Triangle extends Shape {
    @Override
    long area(long x) {
      return (x * x) >> 1;
    }
  }

  static final class Circle extends Shape {
    @Override
    long area(long x) {
      return x * 3 + (x >> 3);
    }
  }

  public HarmTask() {}

  @Override
  public long applyAsLong(long seed) {
    long x = seed;
    Shape[] shapes = {new Square(), new Square()};
    for (int i = 0; i < 20_000; i++) {
      x ^= Shape.sum(shapes, x + i);
    }
    shapes = new Shape[] {new Square(), new Triangle(), new Circle()};
    for (int i = 0; i < 5_000; i++) {
      x ^= Shape.sum(shapes, x + i);
    }
    for (int i = 0; i < 500; i++) {
      x += thrown(x, i % 7);
    }
    int captured = (int) (x & 7);
    LongUnaryOperator lambda = y -> y * 17 + captured;
    for (int i = 0; i < 2_000; i++) {
      x = lambda.applyAsLong(x);
    }
    return reflective(x);
  }

  private static long thrown(long x, int depth) {
    try {
      return deep(x, depth);
    } catch (IllegalStateException e) {
      return e.getStackTrace().length > depth ? depth : -1;
    } catch (ArithmeticException e) {
      return 5;
    }
  }

  private static long deep(long x, int depth) {
    if (depth == 0) {
      if ((x & 1) == 0) {
        return 1 / (x & 1);
      }
      throw new IllegalStateException();
    }
    return deep(x, depth - 1) + 1;
  }

  private static long reflective(long x) {
    try {
      MethodHandle handle =
          MethodHandles.lookup()
              .findStatic(HarmTask.class, "mixed", MethodType.methodType(long.class, long.class));
      Method method = HarmTask.class.getDeclaredMethod("mixed", long.class);
      for (int i = 0; i < 40; i++) {
        x = (long) handle.invokeExact(x) + (long) method.invoke(null, x);
      }
      return x;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static long mixed(long x) {
    return x * 6364136223846793005L + 1442695040888963407L;
  }
}
