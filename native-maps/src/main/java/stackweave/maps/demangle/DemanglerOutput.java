package stackweave.maps.demangle;

/**
 * The output of a demangler: the text so far, the wanted form, and limits that keep a crafted name
 * from taking much time or memory. One per name; not thread-safe.
 */
final class DemanglerOutput {
  /** Back-references can make a name grow exponentially; real names are shorter. */
  private static final int MAX_LENGTH = 32 << 10;

  private static final int MAX_STEPS = 200_000;
  private static final int MAX_DEPTH = 400;

  /** In no pack expansion, or in one without any pack so far. */
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

  /** The element of a pack being written, in an expansion. */
  int packIndex = NO_PACK;

  /** The number of elements in the expansion's packs, once known. */
  int packSize = NO_PACK;

  /** The number of enclosing template argument lists. */
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

  /** Call it at the beginning of a part; {@link #leave} at its end. */
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
