package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;

/**
 * Looks up what the events of one chunk name by keys: threads, classes, and JFR's own stack traces.
 * Each call reads the chunk's constants again. Constants that are missing have no entry in the
 * result; after damage the result has those that were found before it. The source stays open as
 * long as this is used.
 */
public final class EventConstants {
  private static final String SYMBOL = "jdk.types.Symbol";

  /**
   * A thread.
   *
   * @param name its Java name, or that of the OS
   * @param osId its id in the OS; 0 if it has none
   * @param javaId its id in Java; 0 if it has none
   * @param isVirtual whether it is a virtual thread
   */
  public record EventThread(String name, long osId, long javaId, boolean isVirtual) {
    /** A thread of which nothing is known. */
    public static final EventThread UNKNOWN = new EventThread("", 0, 0, false);
  }

  /**
   * A Java frame.
   *
   * @param className as in {@code java.util.Map$Entry}; empty if it is not known
   * @param method its name
   * @param line in the source; 0 if it is not known
   */
  public record Frame(String className, String method, int line) {}

  private final ChunkSource source;
  private final ChunkHeader header;

  /** Looks up the constants of a chunk. */
  public EventConstants(ChunkSource source, ChunkHeader header) {
    this.source = source;
    this.header = header;
  }

  /** The threads of these keys. */
  public Map<Long, EventThread> threads(Set<Long> keys) {
    Map<Long, EventThread> threads = new HashMap<>();
    values("java.lang.Thread", keys)
        .forEach(
            (key, value) -> {
              String name = text(value, "javaName");
              threads.put(
                  key,
                  new EventThread(
                      name.isEmpty() ? text(value, "osName") : name,
                      number(value, "osThreadId"),
                      number(value, "javaThreadId"),
                      number(value, "virtual") != 0));
            });
    return threads;
  }

  /** The names of the classes of these keys, as in {@code java.util.Map$Entry}. */
  public Map<Long, String> classNames(Set<Long> keys) {
    Map<Long, String> names = new HashMap<>();
    symbols(values("java.lang.Class", keys), "name")
        .forEach((key, name) -> names.put(key, name.replace('/', '.')));
    return names;
  }

  /** The texts in a field of all constants of a type, by their keys. */
  public Map<Long, String> texts(String type, String field) {
    Map<Long, String> texts = new HashMap<>();
    values(type, key -> true).forEach((key, value) -> texts.put(key, text(value, field)));
    return texts;
  }

  /** The stack traces of these keys, the innermost frame first. */
  public Map<Long, List<Frame>> stacks(Set<Long> keys) {
    Map<Long, List<Frame>> stacks = new HashMap<>();
    if (!keys.isEmpty()) {
      new StackTraces(source, header)
          .forEach(
              keys::contains,
              (key, isTruncated, frames) ->
                  stacks.put(key, frames.stream().map(EventConstants::frame).toList()));
    }
    return stacks;
  }

  private static Frame frame(StackTraces.Frame frame) {
    StackTraces.Method method = frame.method();
    return new Frame(method.className().replace('/', '.'), method.name(), frame.line());
  }

  /** The texts of the symbols that a field of some values names, by the keys of the values. */
  private Map<Long, String> symbols(Map<Long, Map<String, Object>> values, String field) {
    Set<Long> wanted = new HashSet<>();
    values.values().forEach(value -> wanted.add(number(value, field)));
    Map<Long, Map<String, Object>> symbols = values(SYMBOL, wanted);
    Map<Long, String> texts = new HashMap<>();
    values.forEach(
        (key, value) -> {
          Map<String, Object> symbol = symbols.get(number(value, field));
          if (symbol != null) {
            texts.put(key, text(symbol, "string"));
          }
        });
    return texts;
  }

  /** The values of a type by their keys, each by the names of its fields. */
  private Map<Long, Map<String, Object>> values(String name, Set<Long> keys) {
    return keys.isEmpty() ? Map.of() : values(name, keys::contains);
  }

  private Map<Long, Map<String, Object>> values(String name, LongPredicate isWanted) {
    Map<Long, Map<String, Object>> values = new HashMap<>();
    try {
      ConstantPools.read(
          source,
          header,
          (type, key, input) -> {
            if (!type.name().equals(name) || !isWanted.test(key)) {
              return false;
            }
            values.put(key, type.readFields(input));
            return true;
          });
    } catch (IOException e) {
      // What was found is used; events have no names for the rest.
    }
    return values;
  }

  static long number(Map<String, Object> value, String field) {
    return value.get(field) instanceof Long number ? number : 0;
  }

  static String text(Map<String, Object> value, String field) {
    return value.get(field) instanceof String text ? text : "";
  }
}
