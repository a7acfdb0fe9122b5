package stackweave.jfr.read.jdk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import stackweave.jfr.chunk.ChunkHeader;
import stackweave.jfr.chunk.ChunkSource;
import stackweave.jfr.read.choice.JdkEvent;

/**
 * What a recording has of events with stack traces of JFR's own, chunk by chunk. What its samples
 * stand for depends on all of it, so that it is read before them. Immutable.
 */
final class JdkSurvey {
  /** A chunk; with the reason, if nothing of it can be read. */
  private record Read(JdkChunk chunk, IOException damage) {}

  private final List<Read> chunks = new ArrayList<>();

  /**
   * Reads a recording.
   *
   * @param asked an event that is counted beside those that are known
   */
  JdkSurvey(ChunkSource source, List<ChunkHeader> headers, JdkEvent asked) {
    List<JdkEvent> events = new ArrayList<>(JdkEvent.KNOWN);
    if (!events.contains(asked)) {
      events.add(asked);
    }
    for (ChunkHeader header : headers) {
      Read read;
      try {
        read = new Read(new JdkChunk(source, header, events), null);
      } catch (IOException e) {
        read = new Read(null, e);
      }
      chunks.add(read);
    }
  }

  /**
   * A chunk by its number.
   *
   * @throws IOException if nothing of it can be read
   */
  JdkChunk chunk(int number) throws IOException {
    Read read = chunks.get(number);
    if (read.damage != null) {
      throw read.damage;
    }
    return read.chunk;
  }

  /** All chunks of which something can be read. */
  List<JdkChunk> readable() {
    return chunks.stream().filter(read -> read.chunk != null).map(Read::chunk).toList();
  }

  /** A sum over all chunks. */
  long sum(ToLongFunction<JdkChunk> number) {
    return readable().stream().mapToLong(number).sum();
  }

  long count(JdkEvent event) {
    return sum(chunk -> chunk.count(event));
  }

  /** The events that are known by their names, with their number; those without any are missing. */
  Map<String, Long> counts() {
    Map<String, Long> counts = new TreeMap<>();
    for (JdkEvent event : JdkEvent.KNOWN) {
      if (count(event) > 0) {
        counts.put(event.name(), count(event));
      }
    }
    return counts;
  }
}
