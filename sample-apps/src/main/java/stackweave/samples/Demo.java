package stackweave.samples;

import java.util.List;
import java.util.Map;
import stackweave.samples.lab.JniLab;
import stackweave.samples.work.Round;
import stackweave.samples.work.Workers;
import stackweave.samples.zoo.JniZoo;

/**
 * The lab, then the zoo, in one JVM: {@code Demo [SECONDS]}, half of the time for each.
 *
 * <p>Standard output is a checksum per thread, the same in every run.
 */
public final class Demo {

  private Demo() {}

  public static void main(String[] args) {
    double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 20;
    show(JniLab.workers(JniLab.PHASES), seconds / 2);
    show(JniZoo.workers(), seconds / 2);
  }

  private static void show(Map<String, List<Round>> workers, double seconds) {
    Workers.run(workers, seconds).forEach(System.out::println);
  }
}
