package stackweave.live.harm;

import java.io.FileInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import stackweave.lab.Sampling;

/** Opens files until no descriptor is left, and works on for as many seconds as told. */
final class DescriptorsApp {
  private DescriptorsApp() {}

  public static void main(String[] args) throws Exception {
    Sampling.await();
    List<FileInputStream> open = new ArrayList<>();
    boolean full = false;
    while (!full) {
      try {
        open.add(new FileInputStream("/dev/null"));
      } catch (IOException e) {
        full = true;
      }
    }
    long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
    double sum = 0;
    while (System.nanoTime() < end) {
      sum += Math.sin(sum + 1);
    }
    for (FileInputStream file : open) {
      file.close();
    }
    System.out.println("worked " + open.size() + " " + sum);
  }
}
