package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.List;

/** How an event of one type is decoded: what to do with each of its fields, in their order. */
final class EventPlan {
  /** What to do with a field. */
  private enum Step {
    SKIP,
    LONG,
    INT,
    SHORT,
    CHAR,
    BYTE,
    TEXT,
    TEXT_BY_KEY
  }

  private final int shape;
  private final Step[] steps;
  private final int[] slots;
  private final List<ValueType.Field> fields;

  /**
   * @param shape the number of what is wanted of it
   * @param type the layout of its values in the chunk
   */
  EventPlan(int shape, EventShape wanted, ValueType type) {
    this.shape = shape;
    this.fields = type.fields();
    this.steps = new Step[fields.size()];
    this.slots = new int[fields.size()];
    for (int i = 0; i < steps.length; i++) {
      ValueType.Field field = fields.get(i);
      slots[i] = wanted.fields().indexOf(field.name());
      steps[i] = slots[i] < 0 ? Step.SKIP : step(field);
    }
  }

  /** A field of a type that is none of those wanted is left out, as if it were not there. */
  private static Step step(ValueType.Field field) {
    ValueType type = field.typeOrNull();
    if (type == null || field.isArray()) {
      return Step.SKIP;
    }
    if (field.isKey()) {
      return type.isText() ? Step.TEXT_BY_KEY : Step.LONG;
    }
    return switch (type.layout()) {
      case LONG -> Step.LONG;
      case INT -> Step.INT;
      case SHORT -> Step.SHORT;
      case CHAR -> Step.CHAR;
      case BYTE -> Step.BYTE;
      case TEXT -> Step.TEXT;
      default -> Step.SKIP;
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
    for (int i = 0; i < steps.length; i++) {
      int slot = slots[i];
      switch (steps[i]) {
        case LONG -> numbers[slot] = input.readLong();
        case INT -> numbers[slot] = (int) input.readLong();
        case SHORT -> numbers[slot] = (short) input.readLong();
        case CHAR -> numbers[slot] = (char) input.readLong();
        case BYTE -> numbers[slot] = input.readByte();
        case TEXT -> {
          textsAt[slot] = input.position();
          input.skipText();
        }
        case TEXT_BY_KEY -> {
          textsAt[slot] = ~input.position();
          input.readLong();
        }
        case SKIP -> fields.get(i).skip(input, 0);
      }
    }
  }
}
