package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import stackweave.unwind.hash.LongIndex;

/**
 * The types of a chunk's values, from its metadata: a table of strings, then a tree of elements
 * with attributes, of which classes and their fields are taken. Not thread-safe.
 */
public final class Metadata {
  private static final int METADATA_TYPE = 0;

  /** A JVM's own are a tenth of a megabyte. */
  private static final int MAX_BYTES = 16 << 20;

  private final byte[] bytes;
  private final MetadataElement root;
  private final LongIndex ids = new LongIndex();
  private final List<ValueType> types = new ArrayList<>();

  /**
   * Reads the metadata of a chunk.
   *
   * @param before those of the chunk before it, or null: what says the same is not read again
   */
  static Metadata read(ChunkSource source, ChunkHeader chunk, Metadata before) throws IOException {
    ChunkInput input = source.input(1 << 12, chunk);
    input.range(chunk.metadata(), chunk.end());
    long size = input.readLong();
    if (size <= 0 || size > chunk.end() - chunk.metadata() || size > MAX_BYTES) {
      throw new IOException("its metadata have " + size + " bytes");
    }
    input.range(input.position(), chunk.metadata() + size);
    if (input.readLong() != METADATA_TYPE) {
      throw new IOException("at " + chunk.metadata() + " are no metadata");
    }
    input.readLong(); // time
    input.readLong(); // duration
    input.readLong(); // id
    byte[] bytes = input.readBytes((int) input.left());
    return before != null && Arrays.equals(before.bytes, bytes) ? before : new Metadata(bytes);
  }

  /**
   * The types in metadata that are in no chunk yet.
   *
   * @param bytes what follows the id of the metadata in a chunk: strings, then elements
   * @throws IOException if they are damaged
   */
  public static Metadata of(byte[] bytes) throws IOException {
    return new Metadata(bytes);
  }

  private Metadata(byte[] bytes) throws IOException {
    this.bytes = bytes;
    this.root = MetadataElement.root(bytes);
    List<MetadataElement> classes = root.classes();
    for (MetadataElement each : classes) {
      boolean hasFields = each.children().stream().anyMatch(Metadata::isField);
      put(number(each, "id"), new ValueType(each.attribute("name"), hasFields));
    }
    for (MetadataElement each : classes) {
      List<ValueType.Field> fields = find(number(each, "id")).ownFields();
      fields.clear(); // of several types with one id the last one counts
      for (MetadataElement field : each.children()) {
        if (isField(field)) {
          fields.add(field(field));
        }
      }
    }
  }

  private static boolean isField(MetadataElement element) {
    return element.name().equals("field");
  }

  private ValueType.Field field(MetadataElement field) throws IOException {
    long type = number(field, "class");
    return new ValueType.Field(
        field.attribute("name"),
        type,
        find(type),
        field.attribute("constantPool").equals("true"),
        number(field, "dimension") > 0);
  }

  /** The elements that they are made of. */
  public MetadataElement root() {
    return root;
  }

  private static long number(MetadataElement element, String attribute) throws IOException {
    String text = element.attributes().getOrDefault(attribute, "-1");
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IOException("its metadata have '" + text + "' for a number", e);
    }
  }

  private void put(long id, ValueType type) {
    int index = ids.add(id);
    if (index == types.size()) {
      types.add(type);
    } else {
      types.set(index, type);
    }
  }

  /**
   * The id of the only type that has a name.
   *
   * @throws IOException if none has it, or several have
   */
  public long idOf(String name) throws IOException {
    int found = -1;
    for (int i = 0; i < types.size(); i++) {
      if (types.get(i).name().equals(name)) {
        if (found >= 0) {
          throw new IOException("its metadata have several types " + name);
        }
        found = i;
      }
    }
    if (found < 0) {
      throw new IOException("its metadata have no type " + name);
    }
    return ids.key(found);
  }

  /** The type of an id; null if there is none. */
  ValueType find(long id) {
    int index = ids.find(id);
    return index < 0 ? null : types.get(index);
  }

  /**
   * The type of an id, which must be there.
   *
   * @throws IOException if the metadata lack it
   */
  public ValueType type(long id) throws IOException {
    ValueType type = find(id);
    if (type == null) {
      throw new IOException("the metadata lack type " + id);
    }
    return type;
  }

  /** The ids of all types, and the types, by a number from 0 to {@link #count}. */
  public long id(int number) {
    return ids.key(number);
  }

  /** The type of a number. */
  public ValueType at(int number) {
    return types.get(number);
  }

  /** How many types there are. */
  public int count() {
    return types.size();
  }
}
