package stackweave.jfr.weave.format;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Event;
import stackweave.jfr.chunk.Metadata;
import stackweave.jfr.weave.format.TypeWriter.Holds;
import stackweave.jfr.weave.format.TypeWriter.Known;

/** Writes events of one class in JFR's layout. Not thread-safe. */
final class EventWriter {
  private static final int START = 0;
  private static final int DURATION = 1;
  private static final int FIRST = 2;

  private final TypeWriter type;

  /** The class's own fields, from {@link #FIRST} on among the known ones of the type. */
  private final List<VarHandle> fields = new ArrayList<>();

  /**
   * @throws IOException if the metadata do not fit the class
   */
  EventWriter(Metadata metadata, String name, Class<? extends Event> event) throws IOException {
    List<Known> known = new ArrayList<>();
    known.add(Known.needed("startTime", Holds.TICKS, null));
    known.add(Known.optional("duration", Holds.TICKS, null));
    for (Field field : event.getFields()) {
      int modifiers = field.getModifiers();
      if (!Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers)) {
        Holds holds = holds(field.getType());
        if (holds != null) {
          known.add(Known.needed(field.getName(), holds, null));
          fields.add(handle(field));
        }
      }
    }
    type = new TypeWriter(metadata, name, known.toArray(new Known[0]));
  }

  /** Null for what is written as nothing: threads. */
  private static Holds holds(Class<?> type) {
    if (type == boolean.class) {
      return Holds.FLAG;
    }
    if (type == String.class) {
      return Holds.TEXT;
    }
    return type == int.class || type == long.class ? Holds.NUMBER : null;
  }

  private static VarHandle handle(Field field) {
    try {
      return MethodHandles.publicLookup().unreflectVarHandle(field);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e); // the field is public
    }
  }

  /** Appends an event without its size. */
  void write(Event event, long ticks, long durationTicks, EncodedBytes out) throws IOException {
    type.set(START, ticks);
    type.set(DURATION, durationTicks);
    for (int i = 0; i < fields.size(); i++) {
      VarHandle field = fields.get(i);
      if (field.varType() == String.class) {
        type.set(FIRST + i, (String) field.get(event));
      } else if (field.varType() == boolean.class) {
        type.set(FIRST + i, (boolean) field.get(event) ? 1 : 0);
      } else if (field.varType() == int.class) {
        type.set(FIRST + i, (int) field.get(event));
      } else {
        type.set(FIRST + i, (long) field.get(event));
      }
    }
    out.number(type.id());
    type.write(out);
  }
}
