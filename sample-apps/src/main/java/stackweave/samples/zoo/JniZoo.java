package stackweave.samples.zoo;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import stackweave.samples.work.Round;
import stackweave.samples.work.Workers;

/**
 * Compresses, decompresses and hashes with the native libraries of the zoo, a thread for each.
 *
 * <p>{@code JniZoo [SECONDS [LIBRARY...]]}, by default all of snappy, lz4, zstd and zlib; standard
 * output is a checksum per library, the same in every run.
 */
public final class JniZoo {

  private JniZoo() {}

  public static void main(String[] args) {
    double seconds = args.length > 0 ? Double.parseDouble(args[0]) : 10;
    Map<String, List<Round>> workers = workers();
    if (args.length > 1) {
      workers.keySet().retainAll(Arrays.stream(args).skip(1).map(name -> "zoo-" + name).toList());
    }
    Workers.run(workers, seconds).forEach(System.out::println);
  }

  /** Thread name → its rounds. */
  public static Map<String, List<Round>> workers() {
    byte[] text = Texts.sample(1 << 20);
    Map<String, List<Round>> workers = new LinkedHashMap<>();
    workers.put("zoo-snappy", List.of(new SnappyRound(text)));
    workers.put("zoo-lz4", List.of(new Lz4Round(text)));
    workers.put("zoo-zstd", List.of(new ZstdRound(text)));
    workers.put("zoo-zlib", List.of(new ZlibRound(text)));
    return workers;
  }
}
