package stackweave.maps.kernel;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import stackweave.unwind.TableMemory;

/**
 * The text of /proc/kallsyms as far as it has the kernel's own code, kept as it is. The kernel
 * sorts these lines (it searches them itself, kernel/kallsyms.c get_symbol_pos), and gives whole
 * lines of a page at most with each read. So a read costs us one address, that of its first line;
 * no other line is looked at before an address near it is asked for. In a fresh JVM, where our
 * bytecode is interpreted, to look at all 100,000 lines would cost 0.1 s.
 *
 * <p>Reading ends behind {@code _etext}. It is looked for only where lines jump, by address or to
 * data: where it is not found, {@link KernelSymbolsBuilder} takes all lines.
 */
final class KernelText implements KernelTable {
  private static final int PIECE = 4096;
  private static final int BLOCK_SHIFT = 20;

  /** Between the first lines of two pieces; code has some 16 KiB there. */
  private static final long JUMP = 64 << 10;

  private static final byte[] STEXT = "_stext".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] TEXT = "_text".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ETEXT = "_etext".getBytes(StandardCharsets.US_ASCII);

  /** The value of a hexadecimal digit. */
  private static final byte[] DIGITS = new byte[128];

  static {
    for (int i = 0; i < 16; i++) {
      DIGITS["0123456789abcdef".charAt(i)] = (byte) i;
      DIGITS["0123456789ABCDEF".charAt(i)] = (byte) i;
    }
  }

  private final TableMemory memory;
  private ByteBuffer[] blocks = new ByteBuffer[16];
  private int blockCount;
  private int blockLength = 1 << BLOCK_SHIFT;

  // Of each piece: the address of its first line, highest bit turned so that signed comparison
  // sorts; its place, which is the number of its block and where in it; and its length.
  private long[] firsts = new long[2048];
  private int[] places = new int[2048];
  private int[] lengths = new int[2048];
  private int pieces;

  private boolean sorted = true;
  private boolean shown;
  private long textStart = Long.MAX_VALUE;
  private long textEnd = Long.MAX_VALUE;

  /** How many bytes of the file lie before the piece that has {@code _etext}. */
  private long bytesBefore;

  // The piece that was looked at last.
  private final byte[] lines = new byte[PIECE];
  private int length;
  private int loaded = -1;

  private KernelText(TableMemory memory) {
    this.memory = memory;
  }

  /**
   * Reads a file of the format of /proc/kallsyms.
   *
   * @throws IOException if it can't be read
   */
  static KernelText read(Path kallsyms, TableMemory memory) throws IOException {
    KernelText text = new KernelText(memory);
    try (InputStream in = new FileInputStream(kallsyms.toFile())) {
      byte[] piece = new byte[PIECE];
      int length = 0;
      for (int read = in.read(piece); read > 0; read = in.read(piece, length, PIECE - length)) {
        length += read;
        int end = behindLastLine(piece, length);
        if (end > 0) {
          text.add(piece, end);
          if (text.isComplete() || !text.shown) {
            return text;
          }
        }
        System.arraycopy(piece, end, piece, 0, length - end);
        // A line that is longer than a page is no line of this format.
        length = end == 0 && length == PIECE ? 0 : length - end;
      }
      if (length > 0) {
        text.add(piece, length);
      }
      return text;
    }
  }

  private static int behindLastLine(byte[] piece, int length) {
    int end = length;
    while (end > 0 && piece[end - 1] != '\n') {
      end--;
    }
    return end;
  }

  private void add(byte[] piece, int size) {
    if (blockLength + size > 1 << BLOCK_SHIFT) {
      if (blockCount == blocks.length) {
        blocks = Arrays.copyOf(blocks, 2 * blockCount);
      }
      blocks[blockCount++] = memory.allocate(1 << BLOCK_SHIFT);
      blockLength = 0;
    }
    if (pieces == firsts.length) {
      firsts = Arrays.copyOf(firsts, 2 * pieces);
      places = Arrays.copyOf(places, 2 * pieces);
      lengths = Arrays.copyOf(lengths, 2 * pieces);
    }
    blocks[blockCount - 1].put(blockLength, piece, 0, size);
    long first = address(piece, 0, size) ^ Long.MIN_VALUE;
    firsts[pieces] = first;
    places[pieces] = blockCount - 1 << BLOCK_SHIFT | blockLength;
    lengths[pieces] = size;
    blockLength += size;
    pieces++;
    if (pieces == 1) {
      bounds(0);
    } else {
      long last = firsts[pieces - 2];
      sorted &= first >= last;
      if (first - last < 0 || first - last > JUMP || !isText(piece, 0, size)) {
        bounds(pieces - 2);
        if (!isComplete()) {
          bounds(pieces - 1);
        }
      }
    }
  }

  /** Looks at all lines of a piece for those that say where the kernel's code begins and ends. */
  private void bounds(int piece) {
    load(piece);
    for (int line = 0; line < length; line = nextLine(line)) {
      long address = address(lines, line, length);
      shown |= address != 0;
      int name = nameOf(line);
      if (name >= length || lines[name] != '_' || address == 0) {
        continue;
      }
      int end = nameEnd(name);
      if (end < length && lines[end] == '\t') {
        continue; // a module's
      }
      long turned = address ^ Long.MIN_VALUE;
      if (is(STEXT, name, end) || is(TEXT, name, end)) {
        textStart = Math.min(textStart, turned);
      } else if (is(ETEXT, name, end) && textStart != Long.MAX_VALUE) {
        textEnd = turned;
        if (sorted) {
          // What follows is not the kernel's own code; modules are not sorted.
          for (int i = 0; i < piece; i++) {
            bytesBefore += lengths[i];
          }
          pieces = piece + 1;
          lengths[piece] = Math.min(nextLine(line), length);
          loaded = -1;
          return;
        }
      }
    }
  }

  private boolean is(byte[] name, int from, int to) {
    return Arrays.equals(name, 0, name.length, lines, from, to);
  }

  /** Whether an address was met that is not 0. */
  boolean isShown() {
    return shown;
  }

  /** Whether all of the kernel's own code is here, in order; else it is the whole file. */
  boolean isComplete() {
    return sorted && textEnd != Long.MAX_VALUE;
  }

  @Override
  public long textStart() {
    return textStart ^ Long.MIN_VALUE;
  }

  @Override
  public long textEnd() {
    return textEnd ^ Long.MIN_VALUE;
  }

  /** Behind so many bytes of the file stand the modules' symbols. */
  long bytesBefore() {
    return bytesBefore;
  }

  /** Gives the lines to a builder. */
  void giveTo(KernelSymbolsBuilder builder) {
    for (int i = 0; i < pieces; i++) {
      load(i);
      builder.line(lines, builder.lines(lines, length), length);
    }
  }

  /** Gives the memory back; nothing may be asked any more. */
  void release() {
    for (int i = 0; i < blockCount; i++) {
      memory.release(blocks[i]);
    }
  }

  /** Behind the places of all symbols. */
  @Override
  public int limit() {
    return blockCount << BLOCK_SHIFT;
  }

  /** How many symbols of code there are; reads all. */
  @Override
  public int size() {
    int size = 0;
    for (int i = 0; i < pieces; i++) {
      load(i);
      for (int line = 0; line < length; line = nextLine(line)) {
        long turned = address(lines, line, length) ^ Long.MIN_VALUE;
        size += isText(lines, line, length) && turned >= textStart && turned < textEnd ? 1 : 0;
      }
    }
    return size;
  }

  /**
   * The symbol of code at or below an address; the first one where several begin there.
   *
   * @param address of the kernel's own code
   * @return its line's place, or {@link KernelSymbols#NONE}
   */
  @Override
  public int find(long address) {
    long turned = address ^ Long.MIN_VALUE;
    int piece = Arrays.binarySearch(firsts, 0, pieces, turned);
    piece = piece < 0 ? -2 - piece : piece;
    while (piece + 1 < pieces && firsts[piece + 1] == turned) {
      piece++;
    }
    if (piece < 0) {
      return KernelSymbols.NONE;
    }
    load(piece);
    int line = lastLineUpTo(turned);
    int found = KernelSymbols.NONE;
    long foundAt = 0;
    while (true) {
      long at = address(lines, line, length) ^ Long.MIN_VALUE;
      if (at < textStart || (found != KernelSymbols.NONE && at != foundAt)) {
        return found;
      }
      if (isText(lines, line, length)) {
        found = places[piece] + line;
        foundAt = at;
      }
      if (line > 0) {
        line = lineOf(line - 1);
      } else if (piece > 0) {
        load(--piece);
        line = lineOf(length - 1);
      } else {
        return found;
      }
    }
  }

  /** The last line of the loaded piece that is not above an address, as its first one is. */
  private int lastLineUpTo(long turned) {
    int low = 0;
    int high = length;
    while (true) {
      int middle = lineOf((low + high) >>> 1);
      if (middle <= low) {
        middle = nextLine(low);
        if (middle >= high) {
          return low;
        }
      }
      if ((address(lines, middle, length) ^ Long.MIN_VALUE) <= turned) {
        low = middle;
      } else {
        high = middle;
      }
    }
  }

  @Override
  public long start(int place) {
    return address(lines, loadPlace(place), length);
  }

  @Override
  public String name(int place) {
    int name = nameOf(loadPlace(place));
    return new String(lines, name, nameEnd(name) - name, StandardCharsets.UTF_8);
  }

  /** Loads the piece of a place; returns where its line is in it. */
  private int loadPlace(int place) {
    int piece = Arrays.binarySearch(places, 0, pieces, place);
    piece = piece < 0 ? -2 - piece : piece;
    load(piece);
    return place - places[piece];
  }

  private void load(int piece) {
    if (loaded != piece) {
      loaded = piece;
      length = lengths[piece];
      int place = places[piece];
      blocks[place >>> BLOCK_SHIFT].get(place & (1 << BLOCK_SHIFT) - 1, lines, 0, length);
    }
  }

  /** Where the line begins that has a byte of the loaded piece, its line feed included. */
  private int lineOf(int at) {
    int line = at;
    while (line > 0 && lines[line - 1] != '\n') {
      line--;
    }
    return line;
  }

  private int nextLine(int line) {
    int at = line;
    while (at < length && lines[at] != '\n') {
      at++;
    }
    return at + 1;
  }

  private int nameOf(int line) {
    int at = line;
    while (at < length && lines[at] > ' ') {
      at++;
    }
    return at + 3;
  }

  private int nameEnd(int name) {
    int end = name;
    while (end < length && lines[end] > ' ') {
      end++;
    }
    return end;
  }

  /** The address that a line begins with. */
  static long address(byte[] text, int line, int limit) {
    long address = 0;
    for (int at = line; at < limit && text[at] > ' '; at++) {
      address = address << 4 | DIGITS[text[at]];
    }
    return address;
  }

  private static boolean isText(byte[] text, int line, int limit) {
    int at = line;
    while (at < limit && text[at] > ' ') {
      at++;
    }
    int type = at + 1 < limit ? text[at + 1] | 0x20 : 0;
    return type == 't' || type == 'w';
  }
}
