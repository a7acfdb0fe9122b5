package stackweave.lab.heap;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * {@code FullHeap MIB SECONDS [SECONDS BEFORE]}: keeps so many MiB of its heap in use, and works on
 * with the rest: short-lived objects on two threads, calls into native code and the kernel, and
 * classes that are loaded and dropped; before that it may do so with an empty heap. Ends with
 * {@link #DONE} on stdout, or as the JVM's options for a full heap say.
 */
public final class FullHeap {
  /** The last line of a run that had memory enough. */
  public static final String DONE = "FULL HEAP done";

  private static final int BLOCK = 4 << 10;

  /** Size of an array's header in bytes. */
  private static final int HEADER = 16;

  private static final int CLASSES_EVERY = 64;

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

  private final long end;
  private final byte[] bytes;
  private volatile Throwable failure;

  private FullHeap(double seconds) throws IOException {
    end = System.nanoTime() + (long) (seconds * 1e9);
    String name = Throwaway.class.getName().replace('.', '/') + ".class";
    try (InputStream in = FullHeap.class.getClassLoader().getResourceAsStream(name)) {
      bytes = in.readAllBytes();
    }
  }

  /** Fills the heap, then works; exits with 1 if that failed and the JVM lives on. */
  public static void main(String[] args) throws Exception {
    if (args.length > 2) {
      work(Double.parseDouble(args[2]));
    }
    byte[][] live = new byte[(int) (Double.parseDouble(args[0]) * (1 << 20) / BLOCK)][];
    for (int i = 0; i < live.length; i++) {
      live[i] = new byte[BLOCK - HEADER];
    }
    work(Double.parseDouble(args[1]));
    System.out.println(DONE + " " + live.length);
  }

  private static void work(double seconds) throws Exception {
    FullHeap run = new FullHeap(seconds);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Thread thread = new Thread(run::work, "full-heap-" + i);
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (run.failure != null) {
      System.out.println("FULL HEAP " + run.failure);
      System.exit(1);
    }
  }

  private void work() {
    try {
      long rounds = 0;
      Deflater deflater = new Deflater();
      byte[] packed = new byte[BLOCK];
      while (System.nanoTime() - end < 0) {
        garbage(rounds);
        deflate(deflater, packed);
        readKernel(packed);
        if (rounds++ % CLASSES_EVERY == 0) {
          classes();
        }
      }
      deflater.end();
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Some 100 KiB, of which at most a few are in use at once. */
  private static void garbage(long round) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 40; i++) {
      text.append(new String("round " + round + " " + i));
      byte[] block = new byte[1 << 10];
      block[i] = (byte) i;
      if (text.length() > 1 << 10) {
        text = new StringBuilder().append(block[i]);
      }
    }
  }

  private static void deflate(Deflater deflater, byte[] packed) {
    CRC32 sum = new CRC32();
    sum.update(packed);
    deflater.reset();
    deflater.setInput(packed, 0, packed.length / 2);
    deflater.finish();
    deflater.deflate(packed, packed.length / 2, packed.length / 2);
    sum.update(packed);
  }

  /** Some KiB that the kernel makes while it is read. */
  private static void readKernel(byte[] buffer) throws IOException {
    try (InputStream in = new FileInputStream("/proc/self/maps")) {
      while (in.read(buffer) > 0) {
        continue;
      }
    }
  }

  private void classes() throws ReflectiveOperationException {
    Class<?> type = MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass();
    LongUnaryOperator code = (LongUnaryOperator) type.getConstructor().newInstance();
    if (code.applyAsLong(100) != 5_050) {
      throw new IllegalStateException("a wrong sum");
    }
  }
}
