package stackweave.jfr.store;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.zip.Deflater;
import stackweave.jfr.event.BlockFormat;
import stackweave.jfr.event.DefinitionBlock;
import stackweave.jfr.store.output.EventOutput;

/**
 * Gathers definitions into a block and makes {@link DefinitionBlock} events of it. A block does not
 * refer to others. Adding a definition allocates only for new texts. Not thread-safe.
 */
final class BlockEncoder implements AutoCloseable {
  /**
   * Size at which a block is written: deflate looks back no further. Two fifths in the recording.
   */
  static final int FULL_BYTES = 32_768;

  private static final int USUAL_CAPACITY = FULL_BYTES + 4_096;
  private static final int FIRST_CAPACITY = 64;
  private static final int MAX_NUMBER_BYTES = 10;

  /**
   * Bytes given to the deflater at once: a call holds off the garbage collector for some 0.1 ms.
   */
  private static final int SLICE_BYTES = 4_096;

  /** Takes half the time of zlib's default level, and 5 % more bytes. */
  private static final int LEVEL = 2;

  private byte[] block = new byte[FIRST_CAPACITY];
  private int length;
  private byte[] deflated = {};

  /** Numbers of class names and of other texts in the block, in the order of their first use. */
  private Map<String, Integer> classes = new HashMap<>();

  private Map<String, Integer> texts = new HashMap<>();

  /** Number of the block that was committed last. */
  private long number;

  private long nextFrame;
  private long nextMethod;

  /** Holds 256 KiB of native memory; null while it is not needed. */
  private Deflater deflater;

  /** Copies bytes into an array twice as long; throws where the heap is full. */
  private final UnaryOperator<byte[]> longer;

  BlockEncoder() {
    this(bytes -> Arrays.copyOf(bytes, 2 * bytes.length));
  }

  /** With another way to get longer arrays, for tests. */
  BlockEncoder(UnaryOperator<byte[]> longer) {
    this.longer = longer;
    clear();
  }

  /** Forgets what was gathered. */
  void clear() {
    if (block.length > 2 * USUAL_CAPACITY) {
      block = new byte[USUAL_CAPACITY];
    }
    block[0] = BlockFormat.FORMAT;
    length = 1;
    classes = new HashMap<>();
    texts = new HashMap<>();
    nextFrame = 0;
    nextMethod = 0;
  }

  boolean isEmpty() {
    return length == 1;
  }

  boolean isFull() {
    return length >= FULL_BYTES;
  }

  // ---- definitions

  /**
   * Begins a chain of frames, each the caller of the next, whose ids follow each other; {@code
   * count} calls of {@link #frame} have to follow.
   *
   * @param parentId the caller of the first, less than its id; 0 for none
   */
  void chain(long firstId, long parentId, int count) {
    number(BlockFormat.CHAIN);
    signed(firstId - nextFrame);
    number(parentId == 0 ? 0 : firstId - parentId);
    number(count);
    nextFrame = firstId + count;
  }

  void frame(long methodId, int kind, int line, long offset, int found) {
    number(methodId);
    number(kind + (long) found * BlockFormat.FOUND);
    number(line);
    number(offset);
  }

  void method(long id, MethodDefinition method) {
    number(BlockFormat.METHOD);
    signed(id - nextMethod);
    nextMethod = id + 1;
    boolean hasModule = method.moduleId() != 0 || method.start() != 0;
    boolean usual = hasUsualSource(method);
    int parts =
        (hasModule ? BlockFormat.HAS_MODULE : 0)
            | (method.className().isEmpty() ? 0 : BlockFormat.HAS_CLASS)
            | (method.descriptor().isEmpty() ? 0 : BlockFormat.HAS_DESCRIPTOR)
            | (method.modifiers() == 0 ? 0 : BlockFormat.HAS_MODIFIERS)
            | (usual
                ? BlockFormat.USUAL_SOURCE
                : method.sourceFile().isEmpty() ? 0 : BlockFormat.HAS_SOURCE);
    number(parts);
    if (hasModule) {
      number(method.moduleId());
      number(method.start());
    }
    if ((parts & BlockFormat.HAS_CLASS) != 0) {
      className(method.className());
    }
    text(method.name());
    if ((parts & BlockFormat.HAS_DESCRIPTOR) != 0) {
      text(method.descriptor());
    }
    if ((parts & BlockFormat.HAS_MODIFIERS) != 0) {
      number(method.modifiers() & 0xFFFF_FFFFL);
    }
    if ((parts & BlockFormat.HAS_SOURCE) != 0) {
      text(method.sourceFile());
    }
  }

  private static boolean hasUsualSource(MethodDefinition method) {
    String className = method.className();
    String source = method.sourceFile();
    int start = BlockFormat.simpleStart(className);
    int length = BlockFormat.outermostEnd(className) - start;
    return length > 0
        && source.length() == length + BlockFormat.SOURCE_SUFFIX.length()
        && source.endsWith(BlockFormat.SOURCE_SUFFIX)
        && className.regionMatches(start, source, 0, length);
  }

  void library(long id, ModuleDefinition module) {
    number(BlockFormat.LIBRARY);
    number(id);
    text(module.path());
    text(module.buildId());
    number(module.start());
    number(module.end());
    text(module.unwindSource());
    text(module.unwindReason());
    number(module.functions());
    text(module.symbolsFrom());
  }

  void thread(ThreadTable.Entry thread) {
    number(BlockFormat.THREAD);
    number(thread.key());
    number(thread.tid());
    text(thread.name());
    number(thread.javaId());
    number(thread.virtual() ? 1 : 0);
    number(thread.carrierId());
  }

  void attributes(long id, int state, int end, long contextId, long ageNanos) {
    number(BlockFormat.ATTRIBUTES);
    number(id);
    number(state);
    number(end);
    number(contextId);
    signed(ageNanos);
  }

  // ---- parts of them

  private void number(long value) {
    reserve(MAX_NUMBER_BYTES);
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      block[length++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    block[length++] = (byte) rest;
  }

  private void reserve(int bytes) {
    if (block.length - length < bytes) {
      int enough = Math.max(2 * block.length, length + bytes);
      block = Arrays.copyOf(block, enough < USUAL_CAPACITY ? USUAL_CAPACITY : enough);
    }
  }

  private void signed(long value) {
    number(value << 1 ^ value >> 63);
  }

  private void text(String text) {
    text(text, texts, false);
  }

  /** Writes it with dots and slashes exchanged, so that it is the same text as in descriptors. */
  private void className(String name) {
    text(name, classes, true);
  }

  private void text(String text, Map<String, Integer> numbers, boolean exchange) {
    Integer known = numbers.putIfAbsent(text, numbers.size());
    if (known != null) {
      number(2L * known + 1);
    } else {
      newText(text, exchange);
    }
  }

  private void newText(String text, boolean exchange) {
    // Not by charAt: most of this is interpreted, where a call is ten times an access.
    char[] characters = text.toCharArray();
    number(2L * characters.length);
    for (char c : characters) {
      char written = !exchange ? c : c == '.' ? '/' : c == '/' ? '.' : c;
      if (written < 0x80 && length < block.length) {
        block[length++] = (byte) written;
      } else {
        number(written);
      }
    }
  }

  // ---- the event

  /** Commits events with all that was gathered; the next block is empty then. */
  void commit(EventOutput output) {
    int count = deflate();
    int pieces = (count + DefinitionBlock.PIECE_BYTES - 1) / DefinitionBlock.PIECE_BYTES;
    number++;
    for (int piece = 0; piece < pieces; piece++) {
      DefinitionBlock event = new DefinitionBlock();
      event.block = number;
      event.piece = piece;
      event.pieces = pieces;
      event.size = length;
      event.fill(deflated, piece * DefinitionBlock.PIECE_BYTES, count);
      output.commit(event);
    }
    clear();
  }

  /**
   * Calls all of zlib's native functions. The first call of each waits while the application loads
   * a library, as long as the library's constructors take; so this is done before the first block.
   */
  void bind() {
    deflater = new Deflater(LEVEL, true);
    deflater.setInput(new byte[1]);
    deflater.finish();
    deflater.deflate(new byte[Long.BYTES]);
    deflater.reset();
  }

  /** Deflates the block into {@link #deflated}; returns the number of bytes. */
  private int deflate() {
    if (deflater == null) {
      bind();
    }
    // Not at the end: the previous block may have failed midway and left output in it.
    deflater.reset();
    if (deflated.length == 0) {
      deflated = new byte[FULL_BYTES / 2];
    }
    int count = 0;
    int given = 0;
    while (!deflater.finished()) {
      if (deflater.needsInput()) {
        int slice = Math.min(SLICE_BYTES, length - given);
        deflater.setInput(block, given, slice);
        given += slice;
        if (given == length) {
          deflater.finish();
        }
      }
      if (count == deflated.length) {
        deflated = longer.apply(deflated);
      }
      count += deflater.deflate(deflated, count, deflated.length - count);
    }
    return count;
  }

  /** Frees what is not needed while nothing is written; it is made again when needed. */
  @Override
  public void close() {
    if (deflater != null) {
      deflater.end();
      deflater = null;
    }
    deflated = new byte[0];
    block = new byte[FIRST_CAPACITY];
    clear();
  }
}
