package stackweave.jfr.read.choice;

import java.util.Locale;

/** What the weights of samples are counted in. */
public enum WeightUnit {
  /** Time. */
  NANOSECONDS("nanoseconds"),
  /** Events, of any sort. */
  EVENTS("count"),
  /** Memory. */
  BYTES("bytes");

  private static final double KIB = 1024;

  private final String label;

  WeightUnit(String label) {
    this.label = label;
  }

  /** As pprof and OpenTelemetry name it. */
  public String label() {
    return label;
  }

  /** A sum of weights for people: {@code 1.25 s}, {@code 1,204}, {@code 3.4 MiB}. */
  public String text(long weight) {
    return switch (this) {
      case NANOSECONDS -> String.format(Locale.ROOT, "%.2f s", weight / 1e9);
      case EVENTS -> String.format(Locale.ROOT, "%,d", weight);
      case BYTES -> bytes(weight);
    };
  }

  private static String bytes(long bytes) {
    double size = bytes / KIB;
    if (Math.abs(size) < KIB) {
      return String.format(Locale.ROOT, "%,.0f KiB", size);
    }
    size /= KIB;
    return Math.abs(size) < KIB
        ? String.format(Locale.ROOT, "%.1f MiB", size)
        : String.format(Locale.ROOT, "%.2f GiB", size / KIB);
  }
}
