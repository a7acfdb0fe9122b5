package stackweave.lab.phases;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Proxy;
import java.util.function.IntSupplier;
import stackweave.samples.work.Round;

/** Class loading: fresh loaders, hidden classes, proxies, constants as handles, and unloading. */
final class Classes implements Round {
  private final byte[] hidden = FreshLoader.bytes(Initialized.class);
  private int rounds;

  @Override
  public long run() {
    long sum = 0;
    try {
      for (int i = 0; i < 10; i++) {
        sum += hidden() + fresh() + proxied() + handled(i);
      }
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
    if (++rounds % 30 == 0) {
      System.gc();
    }
    return sum;
  }

  private long hidden() throws ReflectiveOperationException {
    Class<?> type = MethodHandles.lookup().defineHiddenClass(hidden, true).lookupClass();
    return type.getDeclaredMethods().length;
  }

  private static long fresh() throws ReflectiveOperationException {
    FreshLoader loader = new FreshLoader(Initialized.class, Deopt.Victim.class);
    return Class.forName(Initialized.class.getName(), true, loader).getDeclaredFields().length;
  }

  private static long proxied() {
    ClassLoader loader = new FreshLoader();
    Object proxy =
        Proxy.newProxyInstance(
            loader, new Class<?>[] {IntSupplier.class}, (self, method, arguments) -> 4);
    return ((IntSupplier) proxy).getAsInt();
  }

  private static long handled(int i) throws Throwable {
    return (int) MethodHandles.constant(int.class, i).invokeExact();
  }

  /** Does some work when it is initialized. */
  static final class Initialized {
    static int sum = Integer.parseInt("5");

    static {
      for (int i = 0; i < 30; i++) {
        sum += triple(i);
      }
    }

    private Initialized() {}

    static int triple(int i) {
      return i * 3;
    }
  }
}
