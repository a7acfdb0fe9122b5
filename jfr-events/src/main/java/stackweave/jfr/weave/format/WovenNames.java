package stackweave.jfr.weave.format;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The methods of woven stacks, and what these are called by, each with the key that it is known by:
 * readers compare methods by their keys. Not thread-safe.
 */
public final class WovenNames {
  /** A text with the key that it is known by. */
  public static final class Name {
    public final long key;
    public final String text;

    /** Of a class and a package: its text. */
    public final Name symbol;

    /** Of a class: its package, or null. */
    public final Name packageName;

    /** The last piece that has it, for who writes pieces. */
    public int piece;

    private Name(long key, String text, Name symbol, Name packageName) {
      this.key = key;
      this.text = text;
      this.symbol = symbol;
      this.packageName = packageName;
    }
  }

  /** A method with the key that it is known by. */
  public static final class Method {
    public final long key;
    public final Name type;
    public final Name name;
    public final Name descriptor;
    public final int modifiers;

    /** As {@link Name#piece}. */
    public int piece;

    private Method(long key, Name type, Name name, Name descriptor, int modifiers) {
      this.key = key;
      this.type = type;
      this.name = name;
      this.descriptor = descriptor;
      this.modifiers = modifiers;
    }
  }

  private final FileIds ids;
  private final Map<TraceFrame, Method> methods = new LinkedHashMap<>();
  private final Map<String, Name> classes = new LinkedHashMap<>();
  private final Map<String, Name> packages = new LinkedHashMap<>();
  private final Map<String, Name> symbols = new LinkedHashMap<>();

  public WovenNames(FileIds ids) {
    this.ids = ids;
  }

  /** The method of a frame. */
  public Method of(TraceFrame frame) {
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

  public Collection<Method> methods() {
    return methods.values();
  }

  public Collection<Name> classes() {
    return classes.values();
  }

  public Collection<Name> packages() {
    return packages.values();
  }

  /** All texts. */
  public Collection<Name> symbols() {
    return symbols.values();
  }

  /** Forgets all; keys do not come again. */
  public void clear() {
    methods.clear();
    classes.clear();
    packages.clear();
    symbols.clear();
  }
}
