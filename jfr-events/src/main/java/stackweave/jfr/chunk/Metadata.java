package stackweave.jfr.chunk;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import stackweave.unwind.hash.LongIndex;

/**
 * The types of a chunk's values, from its metadata: a table of strings, then a tree of elements
 * with attributes, of which classes and their fields are taken. Strings are decoded when they are
 * needed, for most are labels and descriptions. Not thread-safe.
 */
public final class Metadata {
  private static final int METADATA_TYPE = 0;

  /** A JVM's own are a tenth of a megabyte. */
  private static final int MAX_BYTES = 16 << 20;

  /** JFR's elements are five deep. */
  private static final int MAX_DEPTH = 32;

  private final byte[] bytes;
  private final ChunkInput input;
  private final int[] textsAt;
  private final String[] texts;
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

  /** What follows the id of the metadata in a chunk; not a copy. */
  public byte[] bytes() {
    return bytes;
  }

  private Metadata(byte[] bytes) throws IOException {
    this.bytes = bytes;
    this.input = new ChunkInput(bytes);
    textsAt = new int[input.readCount()];
    texts = new String[textsAt.length];
    for (int i = 0; i < textsAt.length; i++) {
      textsAt[i] = (int) input.position();
      input.skipText();
    }
    readElement(null, 0);
    for (ValueType type : types) {
      type.link(this);
    }
  }

  /** The element that follows, and those within it. */
  private void readElement(ValueType parent, int depth) throws IOException {
    if (depth == MAX_DEPTH) {
      throw new IOException("its metadata have elements within elements without end");
    }
    String element = readText();
    final boolean isField = parent != null && element.equals("field");
    final boolean isClass = element.equals("class");
    String name = "";
    long id = -1;
    boolean isKey = false;
    boolean isArray = false;
    for (int attributes = input.readCount(); attributes > 0; attributes--) {
      String attribute = readText();
      int value = readIndex();
      if (isClass || isField) {
        switch (attribute) {
          case "name" -> name = text(value);
          case "id", "class" -> id = number(text(value));
          case "constantPool" -> isKey = text(value).equals("true");
          case "dimension" -> isArray = number(text(value)) > 0;
          default -> {
            // Of no matter to where the values lie.
          }
        }
      }
    }
    ValueType type = null;
    if (isClass) {
      type = new ValueType(name);
      put(id, type);
    } else if (isField) {
      parent.ownFields().add(new ValueType.Field(name, id, isKey, isArray));
    }
    for (int children = input.readCount(); children > 0; children--) {
      readElement(type, depth + 1);
    }
  }

  private static long number(String text) throws IOException {
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

  private int readIndex() throws IOException {
    long index = input.readLong();
    if (index < 0 || index >= texts.length) {
      throw new IOException("its metadata have no string " + index);
    }
    return (int) index;
  }

  private String readText() throws IOException {
    return text(readIndex());
  }

  private String text(int index) throws IOException {
    if (texts[index] == null) {
      long back = input.position();
      input.range(textsAt[index], bytes.length);
      texts[index] = input.readText(null);
      input.range(back, bytes.length);
    }
    return texts[index];
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
