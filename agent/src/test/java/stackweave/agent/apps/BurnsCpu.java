package stackweave.agent.apps;

import java.util.Random;
import java.util.zip.Deflater;

/** Compresses noise for 5 seconds, or as many as told: Java over C code of the JDK. */
public final class BurnsCpu {

  private static final long SECONDS = 5;

  private BurnsCpu() {}

  public static void main(String[] arguments) {
    byte[] noise = new byte[1 << 16];
    new Random(1).nextBytes(noise);
    byte[] compressed = new byte[noise.length * 2];
    Deflater deflater = new Deflater();
    long seconds = arguments.length == 0 ? SECONDS : Long.parseLong(arguments[0]);
    long start = System.nanoTime();
    while (System.nanoTime() - start < seconds * 1_000_000_000L) {
      deflater.reset();
      deflater.setInput(noise);
      deflater.finish();
      deflater.deflate(compressed);
    }
  }
}
