package stackweave.jfr.weave.format;

import java.util.HashMap;
import java.util.Map;

/**
 * The methods of woven stacks with their names, classes and packages, each with its key: readers
 * compare methods by their keys. Not thread-safe.
 */
final class WovenNames {
  /** A symbol, class or package with its key. */
  static final class Name {
    final long key;
    final String text;

    /** The text of a class or a package. */
    final Name symbol;

    /** The package of a class, or null. */
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

  /** A method with its key. */
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
    return methods.computeIfAbsent(
        frame,
        key ->
            new Method(
                ids.method(),
                type(key.className(), key.packageName()),
                symbol(key.name()),
                symbol(key.descriptor()),
                key.modifiers()));
  }

  private Name type(String className, String packageName) {
    Name in = packageName.isEmpty() ? null : packageOf(packageName);
    return classes.computeIfAbsent(className, key -> new Name(ids.name(), key, symbol(key), in));
  }

  private Name packageOf(String name) {
    return packages.computeIfAbsent(name, key -> new Name(ids.name(), key, symbol(key), null));
  }

  private Name symbol(String text) {
    return symbols.computeIfAbsent(text, key -> new Name(ids.symbol(), key, null, null));
  }

  /** How many methods there are. */
  int methods() {
    return methods.size();
  }

  /** Forgets all methods and names; keys continue. */
  void clear() {
    methods.clear();
    classes.clear();
    packages.clear();
    symbols.clear();
  }
}
