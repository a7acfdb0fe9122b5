package stackweave.maps.demangle;

/**
 * Where a demangled name is written: the text so far, the form wanted, and the bounds that keep a
 * crafted name from taking time or memory.
 */
final class DemanglerOutput {
  /** A name repeats itself by references, so that it can grow exponentially; real ones end here. */
  private static final int MAX_LENGTH = 32 << 10;

  private static final int MAX_STEPS = 200_000;
  private static final int MAX_DEPTH = 400;

  /** In no pack expansion, or in one of which no pack was met yet. */
  static final int NO_PACK = -1;

  /** How names of functions are written. */
  enum Form {
    /** With parameters, return types, ABI tags: as c++filt does. */
    FULL,
    /** Without them. */
    SHORT,
    /** SHORT, and template arguments that have arguments themselves are left out. */
    SHORTER,
    /** Without all template arguments. */
    SHORTEST;

    boolean isFull() {
      return this == FULL;
    }
  }

  final Form form;
  private final StringBuilder text = new StringBuilder();
  private int steps;
  private int depth;

  /** Which element of a pack is written, while an expansion is. */
  int packIndex = NO_PACK;

  /** How many elements the packs of the expansion have, once one was met. */
  int packSize = NO_PACK;

  /** How many lists of template arguments enclose what is written. */
  int argumentDepth;

  DemanglerOutput(Form form) {
    this.form = form;
  }

  void append(String s) {
    text.append(s);
    if (text.length() > MAX_LENGTH) {
      throw UndemangledException.INSTANCE;
    }
  }

  /** To be called when a part is begun; with {@link #leave} when it is finished. */
  void enter() {
    if (++steps > MAX_STEPS || ++depth > MAX_DEPTH) {
      throw UndemangledException.INSTANCE;
    }
  }

  void leave() {
    depth--;
  }

  int length() {
    return text.length();
  }

  void cut(int length) {
    text.setLength(length);
  }

  char lastChar() {
    return text.length() == 0 ? 0 : text.charAt(text.length() - 1);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
