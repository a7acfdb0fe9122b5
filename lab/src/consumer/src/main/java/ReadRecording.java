import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import stackweave.jfr.read.SampledRecording;

/** Prints the CPU time of each trace, labels and innermost function: {@code ReadRecording FILE}. */
public class ReadRecording {
  public static void main(String[] args) throws Exception {
    SampledRecording recording = SampledRecording.open(Path.of(args[0]));
    recording.losses().forEach(System.err::println);
    Map<String, Long> nanos = new TreeMap<>();
    recording.forEachSample(
        sample -> {
          String function = sample.frames().get(sample.frames().size() - 1).text();
          String key = sample.context().traceId() + " " + sample.context().labels() + " " + function;
          nanos.merge(key, sample.weightNanos(), Long::sum);
        });
    nanos.forEach((key, sum) -> System.out.println(sum / 1_000_000 + " ms  " + key));
    System.out.println(recording.samples() + " samples");
  }
}
