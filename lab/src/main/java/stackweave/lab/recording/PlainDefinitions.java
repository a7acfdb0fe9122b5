package stackweave.lab.recording;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import jdk.jfr.consumer.RecordedEvent;

/**
 * The definitions of {@code stackweave.Definitions} events of one session, read as docs/events.md
 * says: nothing of the product's code has a part in it. Not thread-safe.
 */
public final class PlainDefinitions {
  public static final String EVENT = "stackweave.Definitions";

  /**
   * A frame.
   *
   * @param found how it was found from its callee, a code of Session.foundLegend; 0 by unwind
   *     tables
   */
  public record Frame(long parentId, long methodId, int kind, int line, long offset, int found) {}

  public record Method(
      long libraryId,
      String className,
      String name,
      String descriptor,
      int modifiers,
      String sourceFile,
      long start) {}

  public record Library(
      String path, String unwindSource, String symbolsFrom, long functions, String buildId) {}

  public record SampledThread(
      long osThreadId, String name, long javaId, boolean virtual, long carrierId) {}

  public record Attributes(int state, int end, long contextId, long age) {}

  private static final int WORDS = 64;

  /** Blocks of which pieces are missing. */
  private final Map<Long, RecordedEvent[]> blocks = new HashMap<>();

  public final Map<Long, Frame> frames = new HashMap<>();
  public final Map<Long, Method> methods = new HashMap<>();
  public final Map<Long, Library> libraries = new HashMap<>();
  public final Map<Long, SampledThread> threads = new HashMap<>();
  public final Map<Long, Attributes> attributes = new HashMap<>();

  /** Takes an event of {@link #EVENT}. */
  public void add(RecordedEvent event) {
    RecordedEvent[] pieces =
        blocks.computeIfAbsent(
            event.getLong("block"), block -> new RecordedEvent[event.getInt("pieces")]);
    pieces[event.getInt("piece")] = event;
    ByteBuffer deflated =
        ByteBuffer.allocate(pieces.length * 8 * WORDS).order(ByteOrder.LITTLE_ENDIAN);
    for (RecordedEvent piece : pieces) {
      if (piece == null) {
        return; // there is more to come
      }
      for (int i = 0; i < WORDS; i++) {
        deflated.putLong(piece.getLong(i < 10 ? "w0" + i : "w" + i));
      }
    }
    blocks.remove(event.getLong("block"));
    try {
      new Block(inflated(deflated.array(), event.getInt("size"))).read();
    } catch (DataFormatException e) {
      throw new IllegalStateException("a block that can't be read", e);
    }
  }

  private static byte[] inflated(byte[] deflated, int size) throws DataFormatException {
    Inflater inflater = new Inflater(true);
    inflater.setInput(deflated);
    byte[] block = new byte[size];
    int inflated = inflater.inflate(block);
    inflater.end();
    if (inflated != size || block[0] != 1) {
      throw new DataFormatException(inflated + " bytes of format " + block[0]);
    }
    return block;
  }

  private final class Block {
    private final byte[] bytes;
    private final List<String> classes = new ArrayList<>();
    private final List<String> texts = new ArrayList<>();
    private int position = 1;
    private long nextFrame;
    private long nextMethod;

    Block(byte[] bytes) {
      this.bytes = bytes;
    }

    void read() throws DataFormatException {
      while (position < bytes.length) {
        int record = (int) number();
        switch (record) {
          case 1 -> chain();
          case 2 -> method();
          case 3 -> library();
          case 4 ->
              threads.put(
                  number(),
                  new SampledThread(number(), text(texts), number(), number() != 0, number()));
          case 5 ->
              attributes.put(
                  number(), new Attributes((int) number(), (int) number(), number(), signed()));
          default -> throw new DataFormatException("record " + record);
        }
      }
    }

    private void chain() {
      long id = nextFrame + signed();
      long distance = number();
      long parent = distance == 0 ? 0 : id - distance;
      for (long left = number(); left > 0; left--) {
        long method = number();
        int kind = (int) number();
        int line = (int) number();
        frames.put(id, new Frame(parent, method, kind & 0xFF, line, number(), kind >>> 8));
        parent = id++;
      }
      nextFrame = id;
    }

    private void method() {
      long id = nextMethod + signed();
      nextMethod = id + 1;
      int parts = (int) number();
      long library = (parts & 1) != 0 ? number() : 0;
      long start = (parts & 1) != 0 ? number() : 0;
      String className = (parts & 2) != 0 ? exchanged(text(classes)) : "";
      String name = text(texts);
      String descriptor = (parts & 4) != 0 ? text(texts) : "";
      int modifiers = (parts & 8) != 0 ? (int) number() : 0;
      String source = (parts & 16) != 0 ? text(texts) : "";
      if ((parts & 32) != 0) {
        String simple = className.substring(className.lastIndexOf('.') + 1);
        int nested = simple.indexOf('$', 1);
        source = (nested < 0 ? simple : simple.substring(0, nested)) + ".java";
      }
      methods.put(id, new Method(library, className, name, descriptor, modifiers, source, start));
    }

    private void library() {
      long id = number();
      String path = text(texts);
      String buildId = text(texts);
      number(); // start
      number(); // end
      String unwindSource = text(texts);
      text(texts); // why from there
      long functions = number();
      libraries.put(id, new Library(path, unwindSource, text(texts), functions, buildId));
    }

    private long number() {
      long value = 0;
      int shift = 0;
      byte next;
      do {
        next = bytes[position++];
        value |= (next & 0x7FL) << shift;
        shift += 7;
      } while (next < 0);
      return value;
    }

    private long signed() {
      long number = number();
      return number >>> 1 ^ -(number & 1);
    }

    private String text(List<String> earlier) {
      long head = number();
      if ((head & 1) != 0) {
        return earlier.get((int) (head >>> 1));
      }
      StringBuilder text = new StringBuilder();
      for (long left = head >>> 1; left > 0; left--) {
        text.append((char) number());
      }
      earlier.add(text.toString());
      return text.toString();
    }

    private static String exchanged(String text) {
      return text.replace('/', '\0').replace('.', '/').replace('\0', '.');
    }
  }
}
