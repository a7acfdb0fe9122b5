package stackweave.live.harm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import stackweave.lab.Sampling;

/** {@code FullDirectMemoryApp CPU_SECONDS}: uses up -XX:MaxDirectMemorySize, then computes. */
public final class FullDirectMemoryApp {
  /** What it says when there is none left. */
  static final String FULL = "DIRECT MEMORY full";

  private static final int BLOCK = 4096;

  private FullDirectMemoryApp() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    List<ByteBuffer> live = new ArrayList<>();
    try {
      while (true) {
        live.add(ByteBuffer.allocateDirect(BLOCK));
      }
    } catch (OutOfMemoryError e) {
      System.out.println(FULL);
    }
    Sampling.await();
    long end = Sampling.cpuNanos() + (long) (Double.parseDouble(args[0]) * 1e9);
    long sum = 0;
    while (Sampling.cpuNanos() < end) {
      sum += live.size();
    }
    System.out.println("DIRECT MEMORY done " + (sum != 0));
  }
}
