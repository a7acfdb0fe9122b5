package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The types of a chunk's values, from its metadata: a table of strings, then a tree of elements
 * with attributes, from which classes and their fields are read. Not thread-safe.
 */
public final class Metadata {
  private static final int METADATA_TYPE = 0;

  /** A JVM's own are a tenth of a megabyte. */
  private static final int MAX_BYTES = 16 << 20;

  private final byte[] bytes;
  private final MetadataElement root;

  /** By their ids, in the order of the metadata. */
  private final Map<Long, ValueType> types = new LinkedHashMap<>();

  /**
   * Reads the metadata of a chunk.
   *
   * @param before those of the chunk before it, or null: used instead if their bytes are the same
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
      types.put(number(each, "id"), new ValueType(each.attribute("name"), hasFields));
    }
    for (MetadataElement each : classes) {
      List<ValueType.Field> fields = types.get(number(each, "id")).ownFields();
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
        types.get(type),
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

  /**
   * The id of the only type that has a name.
   *
   * @throws IOException if none has it, or several have
   */
  public long idOf(String name) throws IOException {
    List<Long> found = new ArrayList<>();
    types.forEach(
        (id, type) -> {
          if (type.name().equals(name)) {
            found.add(id);
          }
        });
    if (found.size() != 1) {
      String what = found.isEmpty() ? "no type " : "several types ";
      throw new IOException("its metadata have " + what + name);
    }
    return found.get(0);
  }

  /**
   * The type of an id, which must be there.
   *
   * @throws IOException if the metadata lack it
   */
  public ValueType type(long id) throws IOException {
    ValueType type = types.get(id);
    if (type == null) {
      throw new IOException("the metadata lack type " + id);
    }
    return type;
  }

  /** All types by their ids; unmodifiable. */
  public Map<Long, ValueType> types() {
    return Collections.unmodifiableMap(types);
  }
}
