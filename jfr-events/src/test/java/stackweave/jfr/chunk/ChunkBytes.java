package stackweave.jfr.chunk;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Makes chunks, whole ones and ones with damage that JFR never writes. */
public final class ChunkBytes {
  /** Types that every chunk of this has. */
  public static final int LONG = 10;

  public static final int INT = 11;
  public static final int STRING = 12;

  private static final String[] TYPES = {"long", "int", "java.lang.String"};

  /** A number, as JFR has them. */
  public static final class Bytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Compressed numbers. */
    public Bytes numbers(long... numbers) {
      for (long number : numbers) {
        long left = number;
        for (int i = 0; i < 8 && (left & ~0x7fL) != 0; i++) {
          out.write((int) (left & 0x7f) | 0x80);
          left >>>= 7;
        }
        out.write((int) left);
      }
      return this;
    }

    /** Bytes as they are. */
    public Bytes raw(int... bytes) {
      for (int each : bytes) {
        out.write(each);
      }
      return this;
    }

    /** A string in UTF-8. */
    public Bytes text(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      raw(3).numbers(bytes.length);
      out.writeBytes(bytes);
      return this;
    }

    byte[] bytes() {
      return out.toByteArray();
    }
  }

  private record Type(long id, String name, List<Object[]> fields) {}

  private final List<Type> types = new ArrayList<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private long checkpoint;

  /** A chunk with the types that are constants here. */
  public ChunkBytes() {
    for (int i = 0; i < TYPES.length; i++) {
      type(LONG + i, TYPES[i]);
    }
  }

  /** Begins the bytes of something. */
  public static Bytes bytes() {
    return new Bytes();
  }

  /**
   * Adds a type.
   *
   * @param fields name, type's id, "constantPool" or "dimension" or "" of each
   */
  public ChunkBytes type(long id, String name, Object... fields) {
    List<Object[]> each = new ArrayList<>();
    for (int i = 0; i < fields.length; i += 3) {
      each.add(new Object[] {fields[i], fields[i + 1], fields[i + 2]});
    }
    types.add(new Type(id, name, each));
    return this;
  }

  /** Adds an event with its size. */
  public ChunkBytes event(long type, Bytes values) {
    sized(bytes().numbers(type), values);
    return this;
  }

  /**
   * Adds a checkpoint, the chunk's last.
   *
   * @param delta how far the one before it is; 0 for none
   * @param pools their number, then type, count, keys and values of each
   */
  public ChunkBytes checkpoint(long delta, Bytes pools) {
    checkpoint = ChunkHeader.BYTES + body.size();
    sized(bytes().numbers(1, 0, 0, delta).raw(0), pools);
    return this;
  }

  /** How far it is from the checkpoint that comes next to the last one. */
  public long toLastCheckpoint() {
    return checkpoint - ChunkHeader.BYTES - body.size();
  }

  private void sized(Bytes head, Bytes rest) {
    byte[] one = head.bytes();
    byte[] two = rest.bytes();
    long size = one.length + two.length + 4L;
    body.writeBytes(
        bytes()
            .raw(
                (int) (size & 0x7f) | 0x80,
                (int) (size >> 7 & 0x7f) | 0x80,
                (int) (size >> 14 & 0x7f) | 0x80,
                (int) (size >> 21 & 0x7f))
            .bytes());
    body.writeBytes(one);
    body.writeBytes(two);
  }

  private Bytes metadata() {
    List<String> strings = new ArrayList<>();
    Bytes tree = bytes();
    element(tree, strings, 1, "root");
    element(tree, strings, types.size(), "metadata");
    for (Type type : types) {
      element(
          tree,
          strings,
          type.fields().size(),
          "class",
          "id",
          Long.toString(type.id()),
          "name",
          type.name());
      for (Object[] field : type.fields()) {
        String flag = field[2].equals("") ? "label" : (String) field[2];
        String value = flag.equals("dimension") ? "1" : "true";
        element(
            tree,
            strings,
            0,
            "field",
            "name",
            (String) field[0],
            "class",
            field[1].toString(),
            flag,
            value);
      }
    }
    Bytes all = bytes().numbers(0, 0, 1).numbers(strings.size());
    for (String string : strings) {
      all.text(string);
    }
    all.out.writeBytes(tree.bytes());
    return all;
  }

  private static void element(
      Bytes tree, List<String> strings, int children, String name, String... attributes) {
    tree.numbers(number(strings, name), attributes.length / 2);
    for (String attribute : attributes) {
      tree.numbers(number(strings, attribute));
    }
    tree.numbers(children);
  }

  private static int number(List<String> strings, String string) {
    if (!strings.contains(string)) {
      strings.add(string);
    }
    return strings.indexOf(string);
  }

  /** The chunk; events that are added later are not in it. */
  public byte[] build() {
    if (checkpoint == 0) {
      checkpoint(0, bytes().numbers(0));
    }
    long metadata = ChunkHeader.BYTES + body.size();
    event(0, metadata());
    ByteBuffer chunk = ByteBuffer.allocate(ChunkHeader.BYTES + body.size());
    chunk.putInt(0x464C5200).putShort((short) 2).putShort((short) 1);
    chunk.putLong(chunk.capacity()).putLong(checkpoint).putLong(metadata);
    chunk.putLong(1_000_000_000_000L).putLong(1_000_000_000L);
    chunk.putLong(500).putLong(2_000_000_000L).putInt(1);
    chunk.put(body.toByteArray());
    return chunk.array();
  }
}
