package stackweave.unwind;

import java.util.Locale;

/**
 * Where a value of the caller is found: a kind, a register and an offset packed into a {@code
 * long}. Zero is {@link #SAME}.
 */
public final class Location {
  /** value = the callee's value of the same register. */
  public static final int SAME = 0;

  /** value is lost. */
  public static final int UNKNOWN = 1;

  /** value = *(CFA + offset). */
  public static final int AT_CFA = 2;

  /** value = CFA + offset. */
  public static final int CFA_PLUS = 3;

  /** value = register + offset. */
  public static final int REGISTER_PLUS = 4;

  /** value = *(register + offset). */
  public static final int AT_REGISTER = 5;

  /** There is no caller: only for the return address. */
  public static final int UNDEFINED = 6;

  /**
   * value = what an expression gives; the offset is its number among those of the rule table
   * ({@link stackweave.unwind.rule.RuleTable#expressions}).
   */
  public static final int EXPRESSION = 7;

  /** value = *(what an expression gives). */
  public static final int AT_EXPRESSION = 8;

  /** Register numbers are below this: a location has no room for others. */
  public static final int MAX_REGISTERS = 256;

  private Location() {}

  /** A location that needs no register and no offset, as {@link #SAME}. */
  public static long of(int kind) {
    return (long) kind << 40;
  }

  /**
   * A location of any kind.
   *
   * @param register DWARF number, below {@link #MAX_REGISTERS}
   * @param offset in bytes
   */
  public static long of(int kind, int register, int offset) {
    return (long) kind << 40 | (long) register << 32 | (offset & 0xffff_ffffL);
  }

  /** The location *(CFA + offset). */
  public static long atCfa(int offset) {
    return of(AT_CFA, 0, offset);
  }

  /** One of the kinds above. */
  public static int kind(long location) {
    return (int) (location >>> 40);
  }

  /** The register's DWARF number; 0 where the kind has none. */
  public static int register(long location) {
    return (int) (location >>> 32) & 0xff;
  }

  /** The offset in bytes; 0 where the kind has none. */
  public static int offset(long location) {
    return (int) location;
  }

  /**
   * A readable text: {@code u} same, {@code c-16} at CFA − 16, {@code r3+8}, {@code *(r6-8)},
   * {@code expression 0}.
   */
  public static String text(long location) {
    String offset = String.format(Locale.ROOT, "%+d", offset(location));
    return switch (kind(location)) {
      case SAME -> "u";
      case UNKNOWN -> "lost";
      case AT_CFA -> "c" + offset;
      case CFA_PLUS -> "cfa" + offset;
      case REGISTER_PLUS -> "r" + register(location) + offset;
      case AT_REGISTER -> "*(r" + register(location) + offset + ")";
      case EXPRESSION -> "expression " + offset(location);
      case AT_EXPRESSION -> "*(expression " + offset(location) + ")";
      default -> "undef";
    };
  }
}
