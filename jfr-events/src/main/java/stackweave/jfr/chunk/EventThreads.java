package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The threads that events of a chunk have by their keys. Stateless. */
public final class EventThreads {
  private static final String THREAD = "java.lang.Thread";

  private EventThreads() {}

  /**
   * A thread.
   *
   * @param name its Java name, or that of the system
   * @param osId its id in the system; 0 if it has none
   * @param javaId its id in Java; 0 if it has none
   */
  public record EventThread(String name, long osId, long javaId) {
    /** One of which nothing is known. */
    public static final EventThread UNKNOWN = new EventThread("", 0, 0);
  }

  /**
   * Reads threads.
   *
   * @param source stays open
   * @param threads keys of threads
   * @return by key; without those that the chunk lacks
   * @throws IOException if the chunk's constants are damaged
   */
  public static Map<Long, EventThread> read(
      ChunkSource source, ChunkHeader header, Set<Long> threads) throws IOException {
    Map<Long, EventThread> found = new HashMap<>();
    if (threads.isEmpty()) {
      return found;
    }
    ConstantPools.read(
        source,
        header,
        source.metadata(header),
        (type, key, input) -> {
          if (!type.name().equals(THREAD) || !threads.contains(key)) {
            return false;
          }
          found.put(key, thread(type, input));
          return true;
        });
    return found;
  }

  private static EventThread thread(ValueType type, ChunkInput input) throws IOException {
    String osName = "";
    String javaName = "";
    long osId = 0;
    long javaId = 0;
    for (ValueType.Field field : type.fields()) {
      boolean isValue = !field.isKey() && !field.isArray();
      if (isValue && field.name().equals("osName") && field.type().isText()) {
        osName = input.readText(null);
      } else if (isValue && field.name().equals("javaName") && field.type().isText()) {
        javaName = input.readText(null);
      } else if (isValue && field.name().equals("osThreadId") && isLong(field)) {
        osId = input.readLong();
      } else if (isValue && field.name().equals("javaThreadId") && isLong(field)) {
        javaId = input.readLong();
      } else {
        field.skip(input, 0);
      }
    }
    return new EventThread(javaName.isEmpty() ? osName : javaName, osId, javaId);
  }

  private static boolean isLong(ValueType.Field field) throws IOException {
    return field.type().layout() == ValueType.Layout.LONG;
  }
}
