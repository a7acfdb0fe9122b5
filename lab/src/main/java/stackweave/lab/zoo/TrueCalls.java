package stackweave.lab.zoo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.lab.recording.PlainRecording;

/**
 * What the program {@code stepper} found out: the return addresses that interrupted threads really
 * returned to. {@code stepper.c} has the format.
 */
public final class TrueCalls {
  /**
   * An address.
   *
   * @param module file name of what is mapped there; empty for memory of no file
   * @param offset from the file's lowest address; the address itself for memory of no file
   * @param isJava whether it is in the JVM's code cache
   */
  public record Place(String module, long offset, boolean isJava) {}

  /**
   * An interrupted thread.
   *
   * @param begin when
   * @param end when the sampler's handler had run
   * @param pc the instruction that it was interrupted before
   * @param returns where it returned to, the innermost frame's return address first
   */
  public record Sample(long osThreadId, Instant begin, Instant end, Place pc, List<Place> returns) {
    /** Whether all native frames up to Java have returned. */
    public boolean reachedJava() {
      return !returns.isEmpty() && returns.get(returns.size() - 1).isJava();
    }
  }

  private record Mapping(long begin, long end, long offset, String path) {}

  private final List<Mapping> mappings = new ArrayList<>();
  private final Map<String, Long> lowest = new HashMap<>();
  private long javaBegin;
  private long javaEnd;

  private TrueCalls() {}

  /** Reads the output of the program. */
  public static List<Sample> read(Path file) throws IOException {
    TrueCalls calls = new TrueCalls();
    List<String> lines = Files.readAllLines(file);
    String[] java = lines.get(0).split(" ");
    calls.javaBegin = hexadecimal(java[1]);
    calls.javaEnd = hexadecimal(java[2]);
    lines.stream().filter(line -> line.startsWith("M ")).forEach(calls::mapping);
    return lines.stream().filter(line -> line.startsWith("S ")).map(calls::sample).toList();
  }

  private void mapping(String line) {
    String[] parts = line.split(" ", 5);
    Mapping mapping =
        new Mapping(hexadecimal(parts[1]), hexadecimal(parts[2]), hexadecimal(parts[3]), parts[4]);
    mappings.add(mapping);
    lowest.merge(mapping.path, mapping.begin - mapping.offset, Math::min);
  }

  private Sample sample(String line) {
    String[] parts = line.split(" ");
    List<Place> returns = new ArrayList<>();
    for (int i = 7; i < parts.length; i++) {
      returns.add(place(hexadecimal(parts[i].substring(parts[i].indexOf(':') + 1))));
    }
    return new Sample(
        Long.parseLong(parts[1]),
        instant(Long.parseLong(parts[2])),
        instant(Long.parseLong(parts[3])),
        place(hexadecimal(parts[4])),
        returns);
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(nanos / 1_000_000_000, nanos % 1_000_000_000);
  }

  private Place place(long address) {
    boolean isJava =
        Long.compareUnsigned(address, javaBegin) >= 0 && Long.compareUnsigned(address, javaEnd) < 0;
    for (Mapping mapping : mappings) {
      if (address >= mapping.begin && address < mapping.end && mapping.path.startsWith("/")) {
        return new Place(
            PlainRecording.fileName(mapping.path), address - lowest.get(mapping.path), isJava);
      }
    }
    return new Place("", address, isJava);
  }

  private static long hexadecimal(String text) {
    return Long.parseUnsignedLong(text, 16);
  }
}
