package stackweave.jfr.weave.format;

import java.util.HashMap;
import java.util.Map;

/**
 * The methods of woven stacks, and what these are called by, each with the key that it is known by:
 * readers compare methods by their keys. Not thread-safe.
 */
final class WovenNames {
  /** A text with the key that it is known by. */
  static final class Name {
    final long key;
    final String text;

    /** Of a class and a package: its text. */
    final Name symbol;

    /** Of a class: its package, or null. */
    final Name packageName;

    /** The number of the last {@link WovenChunk} that has it. */
    int piece;

    private Name(long key, String text, Name symbol, Name packageName) {
      this.key = key;
      this.text = text;
      this.symbol = symbol;
      this.packageName = packageName;
    }
  }

  /** A method with the key that it is known by. */
  static final class Method {
    final long key;
    final Name type;
    final Name name;
    final Name descriptor;
    final int modifiers;

    /** As {@link Name#piece}. */
    int piece;

    private Method(long key, Name type, Name name, Name descriptor, int modifiers) {
      this.key = key;
      this.type = type;
      this.name = name;
      this.descriptor = descriptor;
      this.modifiers = modifiers;
    }
  }

  private final FileIds ids;
  private final Map<TraceFrame, Method> methods = new HashMap<>();
  private final Map<String, Name> classes = new HashMap<>();
  private final Map<String, Name> packages = new HashMap<>();
  private final Map<String, Name> symbols = new HashMap<>();

  WovenNames(FileIds ids) {
    this.ids = ids;
  }

  /** The method of a frame. */
  Method of(TraceFrame frame) {
    Method known = methods.get(frame);
    if (known == null) {
      known =
          new Method(
              ids.method(),
              type(frame.className(), frame.packageName()),
              symbol(frame.name()),
              symbol(frame.descriptor()),
              frame.modifiers());
      methods.put(frame, known);
    }
    return known;
  }

  private Name type(String className, String packageName) {
    Name known = classes.get(className);
    if (known == null) {
      Name in = packageName.isEmpty() ? null : packageOf(packageName);
      known = new Name(ids.name(), className, symbol(className), in);
      classes.put(className, known);
    }
    return known;
  }

  private Name packageOf(String name) {
    Name known = packages.get(name);
    if (known == null) {
      known = new Name(ids.name(), name, symbol(name), null);
      packages.put(name, known);
    }
    return known;
  }

  private Name symbol(String text) {
    Name known = symbols.get(text);
    if (known == null) {
      known = new Name(ids.symbol(), text, null, null);
      symbols.put(text, known);
    }
    return known;
  }

  /** How many methods there are. */
  int methods() {
    return methods.size();
  }

  /** Forgets all; keys do not come again. */
  void clear() {
    methods.clear();
    classes.clear();
    packages.clear();
    symbols.clear();
  }
}
