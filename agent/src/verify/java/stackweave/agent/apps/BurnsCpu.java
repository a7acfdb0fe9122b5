package stackweave.agent.apps;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.zip.Deflater;

/**
 * Compresses noise: Java over C code of the JDK. As a program it says {@code running} and does so
 * for as many seconds as told, a fifth of the time: what is done beside it needs a CPU, too.
 */
public final class BurnsCpu {
  private static final int WORK_MILLIS = 10;

  private BurnsCpu() {}

  public static void main(String[] arguments) throws InterruptedException {
    System.out.println("running");
    long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
    burnWithRests(() -> System.nanoTime() - end >= 0);
  }

  /** Works a fifth of the time until it is over, which it asks each time before it works. */
  static void burnWithRests(BooleanSupplier over) throws InterruptedException {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    while (!over.getAsBoolean()) {
      long rest = threads.getCurrentThreadCpuTime() + WORK_MILLIS * 1_000_000L;
      burn(() -> threads.getCurrentThreadCpuTime() >= rest);
      Thread.sleep(4 * WORK_MILLIS);
    }
  }

  /** Works without a rest until it is over. */
  static void burn(BooleanSupplier over) {
    byte[] noise = new byte[1 << 16];
    new Random(1).nextBytes(noise);
    byte[] compressed = new byte[noise.length * 2];
    Deflater deflater = new Deflater();
    do {
      deflater.reset();
      deflater.setInput(noise);
      deflater.finish();
      deflater.deflate(compressed);
    } while (!over.getAsBoolean());
    deflater.end();
  }
}
