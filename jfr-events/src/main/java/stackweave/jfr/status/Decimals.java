package stackweave.jfr.status;

/**
 * Numbers with decimals, as texts of the status have them. Called every second while samples are
 * taken: a Formatter takes the time of a dozen samples, and BigDecimal 45 KB of the heap for good
 * (JDK 25).
 *
 * @hidden no part of the API
 */
public final class Decimals {
  private Decimals() {}

  /**
   * As {@code %.nf}.
   *
   * @param value less than 10¹² and not negative
   * @param digits behind the point, 0 to 3
   */
  public static String fixed(double value, int digits) {
    int unit =
        switch (digits) {
          case 0 -> 1;
          case 1 -> 10;
          case 2 -> 100;
          case 3 -> 1_000;
          default -> throw new IllegalArgumentException(digits + " digits");
        };
    long scaled = Math.round(value * unit);
    if (digits == 0) {
      return Long.toString(scaled);
    }
    // The unit's own 1 is cut off; the zeros before the rest stay.
    return scaled / unit + "." + Long.toString(unit + scaled % unit).substring(1);
  }
}
