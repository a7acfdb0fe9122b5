package stackweave.samples.it;

import java.io.IOException;
import java.util.Map;
import stackweave.samples.Workers;
import stackweave.samples.zoo.JniZoo;

/** The zoo's zstd alone, once the JVM is being sampled: {@code ZstdApp SECONDS}. */
final class ZstdApp {
  private ZstdApp() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Sampling.await();
    String worker = "zoo-zstd";
    Workers.run(Map.of(worker, JniZoo.workers().get(worker)), Double.parseDouble(args[0]));
  }
}
