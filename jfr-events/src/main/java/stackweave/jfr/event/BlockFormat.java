package stackweave.jfr.event;

/**
 * The numbers of a {@link DefinitionBlock}, for writer and reader; docs/events.md has the layout.
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
   * How a frame was found is multiplied by this and added to its kind: readers that take only the
   * lowest byte of the kind ignore it.
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

  /** Index in a binary name at which the name of the outermost class ends. */
  public static int outermostEnd(String className) {
    int nested = className.indexOf('$', simpleStart(className) + 1);
    return nested < 0 ? className.length() : nested;
  }

  /** Index at which the name of a class begins behind its package. */
  public static int simpleStart(String className) {
    return className.lastIndexOf('.') + 1;
  }

  /**
   * The name of a field of {@link DefinitionBlock}, by its number. Not in that class: JFR registers
   * an event's class as soon as one of its methods is called, also in a program that only reads.
   */
  public static String wordName(int number) {
    return (number < 10 ? "w0" : "w") + number;
  }
}
