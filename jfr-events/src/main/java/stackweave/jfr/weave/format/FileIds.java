package stackweave.jfr.weave.format;

/**
 * Keys of the constants that are woven into one file. A key has one meaning in the whole file, and
 * JFR must not use it: the JDK's readers take a constant whose key was in the previous chunk for
 * the same one, whatever its value. Not thread-safe.
 */
public final class FileIds {
  /**
   * Stack traces and threads: JFR counts up from 1, and readers of other projects hold the keys as
   * positive ints.
   */
  public static final long FIRST_TRACE = 1L << 30;

  public static final long FIRST_THREAD = FIRST_TRACE;
  private static final long LAST_INT = Integer.MAX_VALUE;

  /**
   * Methods: JFR's keys are a class's number times 2¹⁶ and more. Classes are numbered behind the
   * built-in types, of which there are more than 128: below that is room for keys of few bytes.
   */
  public static final long FIRST_METHOD = 1;

  public static final long END_OF_SHORT_METHODS = 1L << 23;

  /** Keys of methods above those of all classes, once the others are used up. */
  public static final long FIRST_LONG_METHOD = 1L << 48;

  /** Classes and packages: JFR counts up from 1. */
  public static final long FIRST_NAME = 1L << 34;

  /**
   * Symbols: JDK 27 counts up from 1. Up to JDK 25 they are what was counted since JFR last wrote
   * its constants, and 2²⁴ times how often it has written them (CREATE_SYMBOL_ID in
   * jfrTypeSet.cpp): some hundred times a minute where recordings come and go, so 2³⁴ is reached
   * within minutes, and this after decades. Such keys take eight bytes; larger ones would take
   * nine.
   */
  public static final long FIRST_SYMBOL = 1L << 55;

  /** Strings: JFR counts up from 1. */
  public static final long FIRST_TEXT = 1L << 40;

  private long trace = FIRST_TRACE;
  private long thread = FIRST_THREAD;
  private long method = FIRST_METHOD;
  private long name = FIRST_NAME;
  private long symbol = FIRST_SYMBOL;
  private long text = FIRST_TEXT;

  /**
   * A new stack trace's key.
   *
   * @throws WeaveException if the file has a billion of them
   */
  public long trace() throws WeaveException {
    return limited(trace++);
  }

  /** A new thread's key. */
  public long thread() throws WeaveException {
    return limited(thread++);
  }

  private static long limited(long key) throws WeaveException {
    if (key > LAST_INT) {
      throw new WeaveException(
          "there are more stacks or threads than keys for them, a billion in one file or process");
    }
    return key;
  }

  /** A new method's key. */
  public long method() {
    if (method == END_OF_SHORT_METHODS) {
      method = FIRST_LONG_METHOD;
    }
    return method++;
  }

  /** A new key of a class or a package. */
  public long name() {
    return name++;
  }

  /** A new key of a symbol. */
  public long symbol() {
    return symbol++;
  }

  /** A new string's key. */
  public long text() {
    return text++;
  }
}
