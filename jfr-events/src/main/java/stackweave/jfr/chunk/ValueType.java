package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A type of the metadata, and so the layout of its values: one of JFR's own, such as {@code int},
 * or the values of its fields one after the other.
 */
public final class ValueType {
  /** How a value is encoded. */
  public enum Layout {
    /** A compressed number of up to eight bytes. */
    LONG,
    /** A compressed number; of a negative one the lower four bytes. */
    INT,
    /** A compressed number; of a negative one the lower two bytes. */
    SHORT,
    /** A compressed number. */
    CHAR,
    /** One byte. */
    BYTE,
    /** Four bytes. */
    FLOAT,
    /** Eight bytes. */
    DOUBLE,
    /** A string, by its encoding. */
    TEXT,
    /** The values of the fields. */
    FIELDS
  }

  /**
   * A field.
   *
   * @param typeId the id of the type of the value, or of each of them
   * @param typeOrNull that type; null where the metadata lack it
   * @param isKey whether there is a key of a constant pool instead of the value
   * @param isArray whether there is a count and so many values
   */
  public record Field(
      String name, long typeId, ValueType typeOrNull, boolean isKey, boolean isArray) {
    /**
     * The type of the value, or of each of them.
     *
     * @throws IOException if the metadata lack it
     */
    public ValueType type() throws IOException {
      if (typeOrNull == null) {
        throw new IOException("the metadata lack type " + typeId + " of field " + name);
      }
      return typeOrNull;
    }

    /** The value or the key, or a list of them. */
    private Object read(ChunkInput input, int depth) throws IOException {
      if (!isArray) {
        return readOne(input, depth);
      }
      int count = input.readCount();
      if (count > MAX_ELEMENTS) {
        throw new IOException("an array of " + count + " elements");
      }
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        values.add(readOne(input, depth));
      }
      return values;
    }

    private Object readOne(ChunkInput input, int depth) throws IOException {
      return isKey ? input.readLong() : type().read(input, depth);
    }

    /**
     * The number, truth value or key that it has; of a field of another sort 0, which is skipped.
     */
    long readNumber(ChunkInput input) throws IOException {
      if (isArray || !isKey && !type().isNumber()) {
        skip(input, 0);
        return 0;
      }
      return isKey ? input.readLong() : type().readNumber(input);
    }

    /** Skips the value, or the key, or the whole array. */
    void skip(ChunkInput input, int depth) throws IOException {
      int count = isArray ? input.readCount() : 1;
      if (isKey) {
        for (int i = 0; i < count; i++) {
          input.readLong();
        }
        return;
      }
      ValueType each = type();
      for (int i = 0; i < count; i++) {
        each.skip(input, depth);
      }
    }
  }

  /** More than JFR's deepest stack trace has frames: in a longer array the file is damaged. */
  private static final int MAX_ELEMENTS = 4_096;

  /** Nesting of values within values; JFR's own are nested three deep. */
  private static final int MAX_DEPTH = 32;

  private final String name;
  private final List<Field> fields = new ArrayList<>();
  private final Layout layout;

  ValueType(String name, boolean hasFields) {
    this.name = name;
    this.layout = hasFields ? Layout.FIELDS : layout(name);
  }

  private static Layout layout(String name) {
    return switch (name) {
      case "long" -> Layout.LONG;
      case "int" -> Layout.INT;
      case "short" -> Layout.SHORT;
      case "char" -> Layout.CHAR;
      case "boolean", "byte" -> Layout.BYTE;
      case "float" -> Layout.FLOAT;
      case "double" -> Layout.DOUBLE;
      case "java.lang.String" -> Layout.TEXT;
      default -> Layout.FIELDS;
    };
  }

  /** Its name, such as {@code jdk.types.StackTrace}. */
  public String name() {
    return name;
  }

  List<Field> ownFields() {
    return fields;
  }

  /** Its fields, in the order of their values. */
  public List<Field> fields() {
    return Collections.unmodifiableList(fields);
  }

  /** Whether its values are strings. */
  public boolean isText() {
    return layout == Layout.TEXT;
  }

  /** Whether its values are numbers without a fraction, or truth values. */
  boolean isNumber() {
    return switch (layout) {
      case LONG, INT, SHORT, CHAR, BYTE -> true;
      case FLOAT, DOUBLE, TEXT, FIELDS -> false;
    };
  }

  /** How its values are encoded. */
  public Layout layout() {
    return layout;
  }

  /** The values of its fields by their names: numbers as Long, strings, lists, and such maps. */
  Map<String, Object> readFields(ChunkInput input) throws IOException {
    return readFields(input, 0);
  }

  private Map<String, Object> readFields(ChunkInput input, int depth) throws IOException {
    mustHaveFields(depth);
    Map<String, Object> values = new HashMap<>();
    for (Field field : fields) {
      values.put(field.name, field.read(input, depth + 1));
    }
    return values;
  }

  /** A value of a type of numbers without a fraction. */
  long readNumber(ChunkInput input) throws IOException {
    return switch (layout) {
      case INT -> (int) input.readLong();
      case SHORT -> (short) input.readLong();
      case CHAR -> (char) input.readLong();
      case BYTE -> input.readByte();
      default -> input.readLong();
    };
  }

  private Object read(ChunkInput input, int depth) throws IOException {
    return switch (layout) {
      case LONG, INT, SHORT, CHAR, BYTE -> readNumber(input);
      case TEXT -> input.readText(null);
      case FLOAT, DOUBLE -> {
        skip(input, depth);
        yield ""; // nobody asks for one
      }
      case FIELDS -> readFields(input, depth);
    };
  }

  /** Skips a value. */
  void skip(ChunkInput input) throws IOException {
    skip(input, 0);
  }

  private void skip(ChunkInput input, int depth) throws IOException {
    switch (layout) {
      case LONG, INT, SHORT, CHAR -> input.readLong();
      case BYTE -> input.readByte();
      case FLOAT -> input.skip(Float.BYTES);
      case DOUBLE -> input.skip(Double.BYTES);
      case TEXT -> input.skipText();
      case FIELDS -> {
        mustHaveFields(depth);
        for (int i = 0; i < fields.size(); i++) {
          fields.get(i).skip(input, depth + 1);
        }
      }
    }
  }

  /** Refuses types without bytes, or that contain themselves: they would be read for ever. */
  private void mustHaveFields(int depth) throws IOException {
    if (fields.isEmpty() || depth == MAX_DEPTH) {
      throw new IOException("the metadata do not say how values of type " + name + " lie");
    }
  }
}
