package stackweave.jfr.event;

/**
 * The numbers that a {@link DefinitionBlock} is made of, for the one who writes blocks and the one
 * who reads them. docs/events.md says what stands where.
 */
public final class BlockFormat {
  /** The first byte of a block. */
  public static final int FORMAT = 1;

  // The first byte of a record.
  public static final int CHAIN = 1;
  public static final int METHOD = 2;
  public static final int LIBRARY = 3;
  public static final int THREAD = 4;
  public static final int ATTRIBUTES = 5;

  /**
   * What a frame's way of being found is multiplied by, to be added to its kind: readers that take
   * the lowest byte of the kind know nothing of it.
   */
  public static final int FOUND = 256;

  // What a method's record has.
  public static final int HAS_MODULE = 1;
  public static final int HAS_CLASS = 2;
  public static final int HAS_DESCRIPTOR = 4;
  public static final int HAS_MODIFIERS = 8;
  public static final int HAS_SOURCE = 16;

  /** The source file has the name of the outermost class, with {@link #SOURCE_SUFFIX}. */
  public static final int USUAL_SOURCE = 32;

  public static final String SOURCE_SUFFIX = ".java";

  private BlockFormat() {}

  /** Where the name of the outermost class ends that a class of this binary name lies in. */
  public static int outermostEnd(String className) {
    int nested = className.indexOf('$', simpleStart(className) + 1);
    return nested < 0 ? className.length() : nested;
  }

  /** Where the name of a class begins behind its package. */
  public static int simpleStart(String className) {
    return className.lastIndexOf('.') + 1;
  }

  /**
   * The name of a field of {@link DefinitionBlock}, from 0. Here and not there: a class that is an
   * event becomes a type of JFR's as soon as one of its methods is called, also in a program that
   * only reads.
   */
  public static String wordName(int number) {
    return (number < 10 ? "w0" : "w") + number;
  }
}
