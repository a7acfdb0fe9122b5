package stackweave.jfr.weave.format;

import java.io.IOException;
import java.util.List;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.chunk.ValueType;

/**
 * Writes values of one type in the layout of a chunk's metadata. Fields that are not known here,
 * because a later JDK added them, are written as 0 or null. Not thread-safe.
 */
public final class TypeWriter {
  /** What a field holds. */
  public enum Holds {
    /** The key of a constant. */
    KEY,
    NUMBER,
    /** A number that another one may replace: any but 0 takes nine bytes. */
    TICKS,
    FLAG,
    TEXT,
    /** Values that the caller writes: their number, then each. */
    VALUES
  }

  /**
   * A field that is known here.
   *
   * @param type the name of the type of what it holds; null for any
   * @param isNeeded whether the type is useless without it
   */
  public record Known(String name, Holds holds, String type, boolean isNeeded) {
    public static Known needed(String name, Holds holds, String type) {
      return new Known(name, holds, type, true);
    }

    public static Known optional(String name, Holds holds, String type) {
      return new Known(name, holds, type, false);
    }
  }

  /** Nesting of values within values. */
  private static final int MAX_DEPTH = 8;

  /** The most bytes of an unknown field's empty value: nested types could fill the memory. */
  private static final int MAX_UNKNOWN_BYTES = 4_096;

  private final long id;
  private final List<ValueType.Field> fields;

  /** The place of each field among the known ones; -1 for none. */
  private final int[] slots;

  private final Known[] known;
  private final long[] numbers;
  private final String[] texts;
  private EncodedBytes values;

  /**
   * Matches a type's layout with the known fields.
   *
   * @throws IOException if it does not fit
   */
  public TypeWriter(Metadata metadata, String name, Known... known) throws IOException {
    this.id = metadata.idOf(name);
    this.fields = metadata.type(id).fields();
    this.known = known;
    this.slots = new int[fields.size()];
    this.numbers = new long[known.length];
    this.texts = new String[known.length];
    boolean[] found = new boolean[known.length];
    for (int i = 0; i < slots.length; i++) {
      slots[i] = slot(fields.get(i), name);
      if (slots[i] >= 0) {
        found[slots[i]] = true;
      }
    }
    for (int i = 0; i < known.length; i++) {
      if (known[i].isNeeded && !found[i]) {
        throw new IOException("its type " + name + " has no field " + known[i].name);
      }
    }
    // Fails if an unknown field is of a type for which no 0 can be written.
    write(new EncodedBytes(64));
  }

  private int slot(ValueType.Field field, String name) throws IOException {
    for (int i = 0; i < known.length; i++) {
      if (known[i].name.equals(field.name())) {
        if (!fits(field, known[i])) {
          throw new IOException(
              "its type " + name + " has a field " + field.name() + " of another layout");
        }
        return i;
      }
    }
    return -1;
  }

  private static boolean fits(ValueType.Field field, Known known) throws IOException {
    if (known.type != null && !field.type().name().equals(known.type)) {
      return false;
    }
    return switch (known.holds) {
      case KEY -> field.isKey() && !field.isArray();
      case VALUES -> !field.isKey() && field.isArray();
      default ->
          !field.isKey()
              && !field.isArray()
              && switch (field.type().layout()) {
                case LONG, INT, SHORT, CHAR ->
                    known.holds == Holds.NUMBER || known.holds == Holds.TICKS;
                case BYTE -> known.holds == Holds.FLAG;
                case TEXT -> known.holds == Holds.TEXT;
                default -> false;
              };
    };
  }

  /** The type's id in the chunk. */
  public long id() {
    return id;
  }

  /** Whether the field of a place among the known ones is the type's first. */
  public boolean isFirst(int slot) {
    return slots.length > 0 && slots[0] == slot;
  }

  /** The number of a known field for the next value. */
  public TypeWriter set(int slot, long number) {
    numbers[slot] = number;
    return this;
  }

  public TypeWriter set(int slot, String text) {
    texts[slot] = text;
    return this;
  }

  /** Sets the {@link Holds#VALUES} of the next value: a count and the values. */
  public TypeWriter set(EncodedBytes countAndValues) {
    values = countAndValues;
    return this;
  }

  /** Writes a value from the fields that were set last. */
  public void write(EncodedBytes out) throws IOException {
    for (int i = 0; i < slots.length; i++) {
      int slot = slots[i];
      if (slot < 0) {
        nothing(fields.get(i), out, 0, out.size() + MAX_UNKNOWN_BYTES);
        continue;
      }
      switch (known[slot].holds) {
        case KEY, NUMBER -> out.number(numbers[slot]);
        case TICKS -> out.replaceableNumber(numbers[slot]);
        case FLAG -> out.raw((int) numbers[slot]);
        case TEXT -> out.text(texts[slot]);
        case VALUES -> {
          if (values == null) {
            out.number(0);
          } else {
            out.append(values);
          }
        }
      }
    }
  }

  private static void nothing(ValueType.Field field, EncodedBytes out, int depth, int limit)
      throws IOException {
    if (out.size() > limit) {
      throw new IOException("its field " + field.name() + " is too large to be left empty");
    }
    if (field.isArray() || field.isKey()) {
      out.number(0);
      return;
    }
    ValueType type = field.type();
    switch (type.layout()) {
      case LONG, INT, SHORT, CHAR -> out.number(0);
      case BYTE -> out.raw(0);
      case FLOAT -> zeros(Float.BYTES, out);
      case DOUBLE -> zeros(Double.BYTES, out);
      case TEXT -> out.text(null);
      case FIELDS -> {
        if (type.fields().isEmpty() || depth == MAX_DEPTH) {
          throw new IOException("its metadata do not say how values of " + type.name() + " lie");
        }
        for (ValueType.Field each : type.fields()) {
          nothing(each, out, depth + 1, limit);
        }
      }
    }
  }

  private static void zeros(int count, EncodedBytes out) {
    for (int i = 0; i < count; i++) {
      out.raw(0);
    }
  }
}
