package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * JFR's own stack traces that events of a chunk have by their keys. A trace names methods, these
 * classes and symbols, so the chunk's constants are read several times. Stateless.
 */
public final class StackTraces {
  private static final String TRACE = "jdk.types.StackTrace";
  private static final String METHOD = "jdk.types.Method";

  /** More than JFR's greatest depth; of a longer one the constants are damaged. */
  private static final int MAX_FRAMES = 4_096;

  private StackTraces() {}

  /**
   * A Java frame.
   *
   * @param className as in {@code java.util.Map$Entry}; empty if it is not known
   * @param method its name
   * @param line in the source; 0 if it is not known
   */
  public record Frame(String className, String method, int line) {}

  private record FrameKey(long method, int line) {}

  private record MethodKey(long type, long name) {}

  /**
   * Reads stack traces.
   *
   * @param source stays open
   * @param traces keys of stack traces
   * @return by key, the innermost frame first; without those that the chunk lacks
   * @throws IOException if the chunk's constants are damaged
   */
  public static Map<Long, List<Frame>> read(
      ChunkSource source, ChunkHeader header, Set<Long> traces) throws IOException {
    if (traces.isEmpty()) {
      return Collections.emptyMap();
    }
    Metadata metadata = source.metadata(header);
    Map<Long, List<FrameKey>> frames = frames(source, header, metadata, traces);
    Set<Long> wanted = new HashSet<>();
    frames.values().forEach(all -> all.forEach(frame -> wanted.add(frame.method())));
    Set<ValueType> symbolTypes = new HashSet<>();
    Map<Long, MethodKey> methods = methods(source, header, metadata, wanted, symbolTypes);
    Set<Long> classes = new HashSet<>();
    Set<Long> names = new HashSet<>();
    for (MethodKey method : methods.values()) {
      classes.add(method.type());
      names.add(method.name());
    }
    Map<Long, String> classNames = ClassNames.read(source, header, classes);
    Map<Long, String> texts = ConstantPools.texts(source, header, metadata, symbolTypes, names);
    Map<Long, List<Frame>> result = new HashMap<>();
    frames.forEach(
        (key, all) -> {
          List<Frame> named = new ArrayList<>();
          for (FrameKey frame : all) {
            MethodKey method = methods.getOrDefault(frame.method(), new MethodKey(0, 0));
            named.add(
                new Frame(
                    classNames.getOrDefault(method.type(), ""),
                    texts.getOrDefault(method.name(), ""),
                    Math.max(0, frame.line())));
          }
          result.put(key, List.copyOf(named));
        });
    return result;
  }

  private static Map<Long, List<FrameKey>> frames(
      ChunkSource source, ChunkHeader header, Metadata metadata, Set<Long> traces)
      throws IOException {
    Map<Long, List<FrameKey>> frames = new HashMap<>();
    ConstantPools.read(
        source,
        header,
        metadata,
        (type, key, input) -> {
          if (!type.name().equals(TRACE) || !traces.contains(key)) {
            return false;
          }
          for (ValueType.Field field : type.fields()) {
            if (field.name().equals("frames") && field.isArray() && !field.isKey()) {
              frames.put(key, frames(field.type(), input));
            } else {
              field.skip(input, 0);
            }
          }
          return true;
        });
    return frames;
  }

  private static List<FrameKey> frames(ValueType type, ChunkInput input) throws IOException {
    int count = input.readCount();
    if (count > MAX_FRAMES) {
      throw new IOException("a stack trace of " + count + " frames");
    }
    List<FrameKey> frames = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long method = 0;
      int line = 0;
      for (ValueType.Field field : type.fields()) {
        if (field.name().equals("method") && field.isKey() && !field.isArray()) {
          method = input.readLong();
        } else if (field.name().equals("lineNumber") && isInt(field)) {
          line = (int) input.readLong();
        } else {
          field.skip(input, 0);
        }
      }
      frames.add(new FrameKey(method, line));
    }
    return frames;
  }

  private static boolean isInt(ValueType.Field field) throws IOException {
    return !field.isKey() && !field.isArray() && field.type().layout() == ValueType.Layout.INT;
  }

  private static Map<Long, MethodKey> methods(
      ChunkSource source,
      ChunkHeader header,
      Metadata metadata,
      Set<Long> wanted,
      Set<ValueType> symbolTypes)
      throws IOException {
    Map<Long, MethodKey> methods = new HashMap<>();
    ConstantPools.read(
        source,
        header,
        metadata,
        (type, key, input) -> {
          if (!type.name().equals(METHOD) || !wanted.contains(key)) {
            return false;
          }
          long owner = 0;
          long name = 0;
          for (ValueType.Field field : type.fields()) {
            boolean isKey = field.isKey() && !field.isArray();
            if (field.name().equals("type") && isKey) {
              owner = input.readLong();
            } else if (field.name().equals("name") && isKey) {
              name = input.readLong();
              symbolTypes.add(field.type());
            } else {
              field.skip(input, 0);
            }
          }
          methods.put(key, new MethodKey(owner, name));
          return true;
        });
    return methods;
  }
}
