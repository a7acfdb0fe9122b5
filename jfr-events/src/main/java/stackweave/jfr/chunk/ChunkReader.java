package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import stackweave.jfr.event.InlineText;
import stackweave.unwind.hash.LongIndex;

/**
 * Reads chosen types of events of a chunk in the order of the file, and skips all others by their
 * size. In memory are a window of the chunk, its metadata, and its strings once one of them is
 * needed. Damage causes an {@link IOException}, and no other exception; events before it are valid.
 * Not thread-safe.
 */
public final class ChunkReader {
  private static final int OLDEST_VERSION = 1;
  private static final int NEWEST_VERSION = 2;

  /** How an event of one type is decoded: what to do with each of its fields, in their order. */
  private static final class EventPlan {
    private final int shape;
    private final List<ValueType.Field> fields;

    /** By field: where its value goes; -1 to pass over it. */
    private final int[] slots;

    /**
     * @param shape the number of {@code wanted} in the list of shapes
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

    /** A field of another type than these is treated as missing. */
    private static boolean canBeWanted(ValueType.Field field) {
      ValueType type = field.typeOrNull();
      return type != null
          && !field.isArray()
          && (field.isKey() || type.isNumber() || type.isText());
    }

    /**
     * Decodes the event's fields: numbers are stored by field, strings are only located.
     *
     * @param textsAt gets the positions of strings; for one given by key, the complement of the
     *     key's position
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

  private final ChunkHeader header;
  private final EventWalk walk;
  private final StringPool pool;

  /** The types of events that are wanted. */
  private final LongIndex types = new LongIndex();

  /** By the numbers of {@link #types}. */
  private final List<EventPlan> plans = new ArrayList<>();

  private final long[] numbers;

  /** Where the event's strings are, as {@link EventPlan#decode} has it; 0 for none. */
  private final long[] textsAt;

  /**
   * Reads the metadata of a chunk.
   *
   * @param source stays open as long as this is used
   * @param shapes what is wanted of each type of event
   * @throws IOException if they are damaged, or of another version
   */
  public ChunkReader(ChunkSource source, ChunkHeader header, List<EventShape> shapes)
      throws IOException {
    if (header.version() < OLDEST_VERSION || header.version() > NEWEST_VERSION) {
      throw new IOException("its format is version " + header.version());
    }
    if (!header.isCompressed()) {
      throw new IOException("its numbers are not compressed");
    }
    this.header = header;
    this.walk = new EventWalk(source, header);
    Metadata metadata = source.metadata(header);
    this.pool = new StringPool(source, header);
    int most = 0;
    for (EventShape shape : shapes) {
      most = Math.max(most, shape.fields().size());
    }
    this.numbers = new long[most];
    this.textsAt = new long[most];
    for (Map.Entry<Long, ValueType> type : metadata.types().entrySet()) {
      // An event's name may belong to several types: of classes of several loaders.
      int shape = number(shapes, type.getValue().name());
      if (shape >= 0) {
        types.add(type.getKey());
        plans.add(new EventPlan(shape, shapes.get(shape), type.getValue()));
      }
    }
  }

  private static int number(List<EventShape> shapes, String name) {
    for (int i = 0; i < shapes.size(); i++) {
      if (shapes.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Whether the chunk's metadata have events of a shape, whether there are any or not. */
  public boolean knows(int shape) {
    for (EventPlan plan : plans) {
      if (plan.shape == shape) {
        return true;
      }
    }
    return false;
  }

  /**
   * Goes to the next event that is wanted.
   *
   * @return the number of its shape; -1 at the end of the chunk
   */
  public int next() throws IOException {
    while (walk.next()) {
      int type = types.find(walk.type());
      if (type >= 0) {
        walk.input().range(walk.valuesAt(), walk.end());
        Arrays.fill(numbers, 0);
        Arrays.fill(textsAt, 0);
        plans.get(type).decode(walk.input(), numbers, textsAt);
        return plans.get(type).shape;
      }
    }
    return -1;
  }

  /**
   * The number, or truth value, in a field of the event, or the key of a constant that is no
   * string; 0 where it has no such field.
   */
  public long number(int field) {
    return numbers[field];
  }

  /**
   * The string in a field of the event, decoded anew each time; "" for none, and where it has no
   * such field.
   */
  public String text(int field) throws IOException {
    long at = textsAt[field];
    if (at == 0) {
      return "";
    }
    ChunkInput input = walk.input();
    if (at < 0) {
      input.range(~at, walk.end());
      return pool.text(input.readLong());
    }
    input.range(at, walk.end());
    return InlineText.read(input.readText(pool));
  }

  /** The time in nanoseconds since 1970 that an event gives in ticks. */
  public long nanosAt(long ticks) {
    return header.nanosAt(ticks);
  }

  /** The length of time in nanoseconds that an event gives in ticks. */
  public long nanosOf(long ticks) {
    return header.nanosAt(header.startTicks() + ticks) - header.startNanos();
  }

  /** Where in the file the next event begins. */
  public long position() {
    return walk.end();
  }
}
