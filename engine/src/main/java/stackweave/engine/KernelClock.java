package stackweave.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import stackweave.linux.Libc;
import stackweave.linux.NativeBuffer;
import stackweave.maps.proc.PlainFiles;

/**
 * The difference between {@link System#nanoTime} and the kernel's CLOCK_MONOTONIC of this process,
 * which gives samples their times. HotSpot reads the same clock by libc's function (os_posix.cpp,
 * JDK 17 to 27), which a preloaded library may replace: libfaketime does. Measured when created.
 * Immutable.
 */
public final class KernelClock {
  private static final Path NAMESPACE = Path.of("/proc/self/ns/time");
  private static final Path NAMESPACE_OF_CHILDREN = Path.of("/proc/self/ns/time_for_children");

  /** The first namespace of times (include/linux/proc_ns.h, PROC_TIME_INIT_INO). */
  private static final String FIRST_NAMESPACE = "time:[" + 0xEFFFFFFAL + "]";

  /** Has the lines {@code CLOCK SECONDS NANOSECONDS} (time_namespaces(7)). */
  private static final String OFFSETS = "/proc/self/timens_offsets";

  private static final long NANOS_PER_SECOND = 1_000_000_000L;
  private static final int TRIES = 8;

  /** A bracket of two readings that is precise enough; an undisturbed try takes less. */
  private static final long BRACKET_NANOS = 5_000;

  /** Clocks that differ by less are the same; faked times differ by more. */
  private static final long SAME_NANOS = 1_000_000;

  /** If two measurements differ by more, the clocks run at different speeds. */
  private static final long DRIFT_NANOS = 20_000_000;

  /** Times that are further apart are from different clocks. */
  private static final long MAX_APART_NANOS = 10_000_000_000L;

  private final long offset;

  /** Measures the difference. */
  public KernelClock() {
    this(measure());
  }

  KernelClock(long offset) {
    this.offset = offset;
  }

  /** The nanoseconds to add to a time of the kernel's clock; 0 if the clocks are the same. */
  public long offset() {
    return offset;
  }

  /**
   * The nanoseconds to add to a time of the machine's CLOCK_MONOTONIC, which perf's records have:
   * in a time namespace that clock has another offset than the process's.
   *
   * @return empty where the kernel does not say which
   */
  public OptionalLong offsetOfMachine() {
    try {
      Path own = Files.readSymbolicLink(NAMESPACE);
      if (own.toString().equals(FIRST_NAMESPACE)) {
        return OptionalLong.of(offset);
      }
      // The file is that of the children's namespace.
      return own.equals(Files.readSymbolicLink(NAMESPACE_OF_CHILDREN))
          ? OptionalLong.of(offset + ofNamespace(PlainFiles.lines(OFFSETS)))
          : OptionalLong.empty();
    } catch (NoSuchFileException e) {
      return OptionalLong.of(offset); // before Linux 5.6
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }

  /** The ns that a namespace adds to CLOCK_MONOTONIC, from the lines of its offsets. */
  static long ofNamespace(List<String> lines) throws IOException {
    for (String line : lines) {
      String[] words = line.strip().split("\\s+");
      if (words.length == 3 && words[0].equals("monotonic")) {
        return Long.parseLong(words[1]) * NANOS_PER_SECOND + Long.parseLong(words[2]);
      }
    }
    throw new IOException(OFFSETS + " has no monotonic clock");
  }

  /** A note on wrong times of samples; empty if they are right. */
  public String note() {
    long drift = measure() - offset;
    return Math.abs(drift) <= DRIFT_NANOS
        ? ""
        : "this JVM's clock runs at another speed than the kernel's (a preloaded library fakes the"
            + " time): times of samples are off by up to "
            + Math.abs(drift) / 1_000_000
            + " ms";
  }

  /**
   * Converts a recent time of the machine's clock. If it is far from this process's clock, because
   * that is in a time namespace, the result is the present time.
   */
  public long near(long kernelNanos) {
    long now = System.nanoTime();
    long time = kernelNanos + offset;
    return Math.abs(now - time) > MAX_APART_NANOS ? now : time;
  }

  private static long measure() {
    try (NativeBuffer time = NativeBuffer.allocate(2 * Long.BYTES)) {
      long shortest = Long.MAX_VALUE;
      long difference = 0;
      for (int i = 0; i < TRIES && shortest > BRACKET_NANOS; i++) {
        long before = System.nanoTime();
        long kernel = Libc.clockNanos(Libc.CLOCK_MONOTONIC, time);
        long after = System.nanoTime();
        if (kernel < 0) {
          return 0;
        }
        if (after - before < shortest) {
          shortest = after - before;
          difference = before + shortest / 2 - kernel;
        }
      }
      return Math.abs(difference) <= SAME_NANOS + shortest / 2 ? 0 : difference;
    }
  }
}
