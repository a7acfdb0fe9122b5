package stackweave.jfr.read.block;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import stackweave.jfr.event.BlockFormat;

/**
 * Decodes the blocks of {@code stackweave.Definitions}, each of which can be read by itself. Also
 * for readers that get the events from JFR's own reader. Thread-safe.
 */
public final class BlockDecoder {
  /** A block is some 32 KiB; one that claims to be larger than this is damaged. */
  static final int MAX_BYTES = 1 << 25;

  private final byte[] block;
  private final DefinitionReceiver definitions;
  private final List<String> classes = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private int position = 1;
  private long nextFrame;
  private long nextMethod;

  private BlockDecoder(byte[] block, DefinitionReceiver definitions) {
    this.block = block;
    this.definitions = definitions;
  }

  /**
   * Gives all definitions of a block to {@code definitions}.
   *
   * @param deflated the words of the block's pieces, which may be followed by any bytes
   * @param size the events' field of that name
   * @throws IOException if the block is damaged, or of a later format; definitions before the
   *     damage have been given then
   */
  public static void decode(byte[] deflated, int size, DefinitionReceiver definitions)
      throws IOException {
    if (size < 1 || size > MAX_BYTES) {
      throw new IOException("a block of definitions claims " + size + " bytes");
    }
    byte[] block = inflate(deflated, size);
    if (block[0] != BlockFormat.FORMAT) {
      throw new IOException("a block of definitions has the unknown format " + block[0]);
    }
    try {
      new BlockDecoder(block, definitions).decode();
    } catch (IndexOutOfBoundsException e) {
      throw new IOException("a block of definitions is damaged", e);
    }
  }

  private static byte[] inflate(byte[] deflated, int size) throws IOException {
    Inflater inflater = new Inflater(true);
    try {
      inflater.setInput(deflated);
      byte[] block = new byte[size];
      int count = 0;
      while (count < size) {
        int more = inflater.inflate(block, count, size - count);
        if (more == 0 && (inflater.finished() || inflater.needsInput())) {
          throw new IOException("a block of definitions is cut short");
        }
        count += more;
      }
      return block;
    } catch (DataFormatException e) {
      throw new IOException("a block of definitions is damaged", e);
    } finally {
      inflater.end();
    }
  }

  private void decode() throws IOException {
    while (position < block.length) {
      int record = (int) number();
      switch (record) {
        case BlockFormat.CHAIN -> chain();
        case BlockFormat.METHOD -> method();
        case BlockFormat.LIBRARY ->
            definitions.library(
                number(), text(), text(), number(), number(), text(), text(), number(), text());
        case BlockFormat.THREAD ->
            definitions.thread(number(), number(), text(), number(), number() != 0, number());
        case BlockFormat.ATTRIBUTES ->
            definitions.attributes(number(), (int) number(), (int) number(), number(), signed());
        default -> throw new IOException("a block of definitions has the unknown record " + record);
      }
    }
  }

  private void chain() {
    long id = nextFrame + signed();
    long distance = number();
    long parent = distance == 0 ? 0 : id - distance;
    long count = number();
    for (long i = 0; i < count; i++) {
      long method = number();
      int kind = (int) number();
      int found = Math.max(0, kind / BlockFormat.FOUND);
      definitions.frame(
          id, parent, method, kind & BlockFormat.FOUND - 1, (int) number(), number(), found);
      parent = id++;
    }
    nextFrame = id;
  }

  private void method() {
    long id = nextMethod + signed();
    nextMethod = id + 1;
    int parts = (int) number();
    boolean hasModule = (parts & BlockFormat.HAS_MODULE) != 0;
    long module = hasModule ? number() : 0;
    long start = hasModule ? number() : 0;
    String className = (parts & BlockFormat.HAS_CLASS) != 0 ? className() : "";
    String name = text();
    String descriptor = (parts & BlockFormat.HAS_DESCRIPTOR) != 0 ? text() : "";
    int modifiers = (parts & BlockFormat.HAS_MODIFIERS) != 0 ? (int) number() : 0;
    String source = "";
    if ((parts & BlockFormat.USUAL_SOURCE) != 0) {
      source =
          className.substring(
                  BlockFormat.simpleStart(className), BlockFormat.outermostEnd(className))
              + BlockFormat.SOURCE_SUFFIX;
    } else if ((parts & BlockFormat.HAS_SOURCE) != 0) {
      source = text();
    }
    definitions.method(id, module, className, name, descriptor, modifiers, source, start);
  }

  /** Seven bits in a byte, the lowest first; the eighth says that more follow. */
  private long number() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      byte next = block[position++];
      value |= (next & 0x7FL) << shift;
      if (next >= 0) {
        break;
      }
    }
    return value;
  }

  private long signed() {
    long number = number();
    return number >>> 1 ^ -(number & 1);
  }

  private String text() {
    long head = number();
    if ((head & 1) != 0) {
      return texts.get(index(head));
    }
    String text = new String(characters(head));
    texts.add(text);
    return text;
  }

  private String className() {
    long head = number();
    if ((head & 1) != 0) {
      return classes.get(index(head));
    }
    char[] characters = characters(head);
    for (int i = 0; i < characters.length; i++) {
      char c = characters[i];
      characters[i] = c == '/' ? '.' : c == '.' ? '/' : c;
    }
    String name = new String(characters);
    classes.add(name);
    return name;
  }

  private static int index(long head) {
    return (int) Math.min(head >>> 1, Integer.MAX_VALUE);
  }

  private char[] characters(long head) {
    long length = head >>> 1;
    if (length > block.length - position) {
      throw new IndexOutOfBoundsException("a text of " + length + " characters");
    }
    char[] characters = new char[(int) length];
    for (int i = 0; i < characters.length; i++) {
      characters[i] = (char) number();
    }
    return characters;
  }
}
