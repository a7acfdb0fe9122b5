package stackweave.live.harm;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.LongUnaryOperator;
import stackweave.lab.Sampling;
import stackweave.samples.lab.Variant;

/**
 * What hurts a profiler: classes loaded and unloaded all the time, code deoptimised because of
 * them, exceptions through JNI and Java, garbage collections on request. {@code HarmApp TURNS
 * [sampled]} prints a checksum that depends on nothing but the number of turns; it begins when it
 * is sampled, if that is said.
 */
final class HarmApp {

  private HarmApp() {}

  private static final class TaskLoader extends ClassLoader {
    TaskLoader() {
      super(HarmApp.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(HarmTask.class.getName())) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      if (loaded != null) {
        return loaded;
      }
      try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  public static void main(String[] args) throws Exception {
    int turns = Integer.parseInt(args[0]);
    if (args.length > 1) {
      Sampling.await();
    }
    Thread[] threads = new Thread[2];
    long[] results = new long[threads.length];
    for (int i = 0; i < threads.length; i++) {
      int number = i;
      threads[i] = new Thread(() -> results[number] = churn(turns, number), "churn-" + i);
      threads[i].setUncaughtExceptionHandler(
          (thread, e) -> {
            e.printStackTrace();
            Runtime.getRuntime().halt(3);
          });
      threads[i].start();
    }
    long jni = jni(turns / 20 + 1);
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.printf("checksum %016x %016x %016x%n", results[0], results[1], jni);
  }

  private static long churn(int turns, int seed) {
    long x = seed;
    for (int i = 0; i < turns; i++) {
      try {
        LongUnaryOperator task =
            (LongUnaryOperator)
                new TaskLoader().loadClass(HarmTask.class.getName()).getConstructor().newInstance();
        x = task.applyAsLong(x + i);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
      if (i % 10 == 9) {
        System.gc();
      }
    }
    return x;
  }

  /**
   * The lab meanwhile, from a new copy of its library in every turn, deleted as soon as it is
   * loaded and closed by the VM when a collection finds its loader dead. Without the signal phase:
   * its handler must not be closed.
   */
  private static long jni(int turns) throws IOException {
    long x = 0;
    for (int i = 0; i < turns; i++) {
      String name = Variant.built().get(i % Variant.built().size());
      Path copy = Files.createTempFile("lab-" + name, ".so");
      Files.copy(Variant.library("lab-" + name), copy, StandardCopyOption.REPLACE_EXISTING);
      Variant variant = Variant.load(name, copy);
      Files.delete(copy);
      for (String phase : List.of("Chains", "Callbacks", "Allocas", "NativeThreads")) {
        x = x * 31 + variant.phase(phase).run();
      }
    }
    return x;
  }
}
