package stackweave.agent.apps;

import java.util.Random;
import java.util.zip.Deflater;

/** Compresses noise for some seconds: Java over C code of the JDK. */
public final class BurnsCpu {

  private static final long NANOS = 5_000_000_000L;

  private BurnsCpu() {}

  public static void main(String[] arguments) {
    byte[] noise = new byte[1 << 16];
    new Random(1).nextBytes(noise);
    byte[] compressed = new byte[noise.length * 2];
    Deflater deflater = new Deflater();
    long start = System.nanoTime();
    while (System.nanoTime() - start < NANOS) {
      deflater.reset();
      deflater.setInput(noise);
      deflater.finish();
      deflater.deflate(compressed);
    }
  }
}
