package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * JFR's own stack traces in one chunk. In memory are the chunk's methods, classes and symbols, and
 * one stack trace at a time. Constants that are missing leave texts empty. The source stays open as
 * long as this is used. Not thread-safe.
 */
public final class StackTraces {
  private static final String STACK_TRACE = "jdk.types.StackTrace";
  private static final String METHOD = "jdk.types.Method";
  private static final String CLASS = "java.lang.Class";
  private static final String SYMBOL = "jdk.types.Symbol";
  private static final String FRAME_TYPE = "jdk.types.FrameType";

  /**
   * A method; each is one object for all stack traces of its chunk.
   *
   * @param className of its class as in the class file, with slashes. Profilers of native code have
   *     the library of a function there
   * @param name its name, or a function's
   * @param descriptor as in the class file
   * @param modifiers as in the class file
   */
  public record Method(String className, String name, String descriptor, int modifiers) {
    private static final Method MISSING = new Method("", "", "", 0);
  }

  /**
   * A frame.
   *
   * @param line in the source; 0 if it is not known
   * @param bytecodeIndex of a Java method; 0 if it is not known
   * @param type how its code runs, such as {@code Interpreted}
   */
  public record Frame(Method method, int line, int bytecodeIndex, String type) {}

  /** Receives stack traces. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * A stack trace.
     *
     * @param key by which events refer to it
     * @param isTruncated whether callers of the last frame are missing
     * @param frames the innermost first; valid during the call only
     */
    void stack(long key, boolean isTruncated, List<Frame> frames);
  }

  /** A method as its constant has it. */
  private record RawMethod(long type, long name, long descriptor, int modifiers) {}

  private final ChunkSource source;
  private final ChunkHeader header;
  private final Map<Long, RawMethod> rawMethods = new HashMap<>();
  private final Map<Long, Long> classes = new HashMap<>();
  private final Map<Long, String> symbols = new HashMap<>();
  private final Map<Long, String> types = new HashMap<>();
  private final Map<Long, Method> methods = new HashMap<>();

  /** Reads the methods of a chunk. After damage it has those that were found before. */
  public StackTraces(ChunkSource source, ChunkHeader header) {
    this.source = source;
    this.header = header;
    read(
        (type, key, input) -> {
          switch (type.name()) {
            case METHOD -> {
              Map<String, Object> method = type.readFields(input);
              rawMethods.put(
                  key,
                  new RawMethod(
                      EventConstants.number(method, "type"),
                      EventConstants.number(method, "name"),
                      EventConstants.number(method, "descriptor"),
                      (int) EventConstants.number(method, "modifiers")));
            }
            case CLASS -> classes.put(key, EventConstants.number(type.readFields(input), "name"));
            case SYMBOL -> symbols.put(key, EventConstants.text(type.readFields(input), "string"));
            case FRAME_TYPE ->
                types.put(key, EventConstants.text(type.readFields(input), "description"));
            default -> {
              return false;
            }
          }
          return true;
        });
  }

  /** Reads constants up to damage, if there is some. */
  private void read(ConstantPools.Reader reader) {
    try {
      ConstantPools.read(source, header, reader);
    } catch (IOException e) {
      // What was found is used; events have no stacks or names for the rest.
    }
  }

  /** The name of a class as in the class file, with slashes; empty if it is not known. */
  public String className(long key) {
    Long name = classes.get(key);
    return name == null ? "" : symbols.getOrDefault(name, "");
  }

  /**
   * Reads the wanted stack traces, in no order; of several with one key each.
   *
   * @param wanted says by its key whether a stack trace is visited
   */
  public void forEach(LongPredicate wanted, Visitor visitor) {
    List<Frame> frames = new ArrayList<>();
    List<Frame> shown = Collections.unmodifiableList(frames);
    read(
        (type, key, input) -> {
          if (!type.name().equals(STACK_TRACE) || !wanted.test(key)) {
            return false;
          }
          boolean isTruncated = readStack(type, input, frames);
          visitor.stack(key, isTruncated, shown);
          return true;
        });
  }

  /** Reads a stack trace; returns whether it is truncated. */
  private boolean readStack(ValueType type, ChunkInput input, List<Frame> frames)
      throws IOException {
    boolean isTruncated = false;
    frames.clear();
    for (ValueType.Field field : type.fields()) {
      if (field.name().equals("truncated")) {
        isTruncated = field.readNumber(input) != 0;
      } else if (field.name().equals("frames") && field.isArray() && !field.isKey()) {
        for (int left = input.readCount(); left > 0; left--) {
          frames.add(readFrame(field.type(), input));
        }
      } else {
        field.skip(input, 0);
      }
    }
    return isTruncated;
  }

  private Frame readFrame(ValueType type, ChunkInput input) throws IOException {
    if (type.fields().isEmpty()) {
      throw new IOException("the metadata do not say how frames lie");
    }
    long method = 0;
    long line = 0;
    long bytecodeIndex = 0;
    long frameType = 0;
    for (ValueType.Field field : type.fields()) {
      switch (field.name()) {
        case "method" -> method = field.readNumber(input);
        case "lineNumber" -> line = field.readNumber(input);
        case "bytecodeIndex" -> bytecodeIndex = field.readNumber(input);
        case "type" -> frameType = field.readNumber(input);
        default -> field.skip(input, 0);
      }
    }
    return new Frame(
        methods.computeIfAbsent(method, this::method),
        (int) Math.max(0, line),
        (int) Math.max(0, bytecodeIndex),
        types.getOrDefault(frameType, ""));
  }

  private Method method(long key) {
    RawMethod raw = rawMethods.get(key);
    return raw == null
        ? Method.MISSING
        : new Method(
            className(raw.type),
            symbols.getOrDefault(raw.name, ""),
            symbols.getOrDefault(raw.descriptor, ""),
            raw.modifiers);
  }
}
