package stackweave.lab.matrix;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The figures of one run's recording, as one JVM hands them to another.
 *
 * @param jvm name and version of the JVM under test
 * @param engine that took the samples
 * @param intervalNanos asked for
 * @param phases in the order of the run
 * @param whole all samples of the run, those of start and end of the JVM too
 * @param badPairs each bad pair, with the number of samples
 * @param incomplete the outermost frames of stacks that are not complete, with the number of
 *     samples
 * @param ways how many frames were found otherwise than by unwind tables, each way with their
 *     number, each frame once for each sample
 * @param note the sampler's note, empty for none
 */
record RunReport(
    String jvm,
    String engine,
    long intervalNanos,
    List<Figures> phases,
    Figures whole,
    Map<String, Long> badPairs,
    Map<String, Long> incomplete,
    Map<String, Long> ways,
    String note)
    implements Serializable {

  void write(Path file) throws IOException {
    try (var out = new ObjectOutputStream(Files.newOutputStream(file))) {
      out.writeObject(this);
    }
  }

  static RunReport read(Path file) throws IOException {
    try (var in = new ObjectInputStream(Files.newInputStream(file))) {
      return (RunReport) in.readObject();
    } catch (ClassNotFoundException e) {
      throw new IOException(e);
    }
  }
}
