package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.List;

/** How an event of one type is decoded: what to do with each of its fields, in their order. */
final class EventPlan {
  private final int shape;
  private final List<ValueType.Field> fields;

  /** By field: where its value goes; -1 to pass over it. */
  private final int[] slots;

  /**
   * @param shape the number of what is wanted of it
   * @param type the layout of its values in the chunk
   */
  EventPlan(int shape, EventShape wanted, ValueType type) {
    this.shape = shape;
    this.fields = type.fields();
    this.slots = new int[fields.size()];
    for (int i = 0; i < slots.length; i++) {
      ValueType.Field field = fields.get(i);
      slots[i] = canBeWanted(field) ? wanted.fields().indexOf(field.name()) : -1;
    }
  }

  /** A field of another type is left out, as if it were not there. */
  private static boolean canBeWanted(ValueType.Field field) {
    ValueType type = field.typeOrNull();
    if (type == null || field.isArray()) {
      return false;
    }
    return field.isKey()
        || switch (type.layout()) {
          case LONG, INT, SHORT, CHAR, BYTE, TEXT -> true;
          case FLOAT, DOUBLE, FIELDS -> false;
        };
  }

  int shape() {
    return shape;
  }

  /**
   * Decodes the numbers that follow, each to the place of its field, and finds the strings.
   *
   * @param textsAt where the strings are; for one by its key the complement of that
   */
  void decode(ChunkInput input, long[] numbers, long[] textsAt) throws IOException {
    for (int i = 0; i < slots.length; i++) {
      ValueType.Field field = fields.get(i);
      int slot = slots[i];
      if (slot < 0) {
        field.skip(input, 0);
      } else if (field.typeOrNull().isText()) {
        textsAt[slot] = field.isKey() ? ~input.position() : input.position();
        field.skip(input, 0);
      } else {
        numbers[slot] = field.isKey() ? input.readLong() : field.typeOrNull().readNumber(input);
      }
    }
  }
}
