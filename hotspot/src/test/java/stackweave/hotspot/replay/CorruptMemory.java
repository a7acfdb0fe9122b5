package stackweave.hotspot.replay;

import java.util.HashMap;
import java.util.Map;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Recorded memory of a JVM that lies: some of its words are others, and some of what was not
 * recorded can be read. What a word is depends on the seed and its address; in a mode of its own
 * also on the read, as where the target runs while it is read. Counts reads, and refuses to go on
 * at a bound that no sample may reach.
 */
final class CorruptMemory implements MemoryReader {
  private static final int PAGE = 4096;
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  /** What can be read where nothing was recorded. */
  private enum Elsewhere {
    NOTHING,
    ZEROS,
    ONES,
    OWN_ADDRESS,
    NEXT_ADDRESS,
    OTHER_ADDRESSES,
    RANDOM
  }

  /** A page, and which of its lines were recorded. */
  private static final class Page {
    final byte[] bytes = new byte[PAGE];
    long lines;
  }

  /** The memory that was recorded, by pages. */
  static final class Image {
    private final Map<Long, Page> pages = new HashMap<>();
    private final RecordedLines lines;

    Image(RecordedLines lines) {
      this.lines = lines;
      for (int i = 0; i < lines.lineCount(); i++) {
        long address = lines.lineAddress(i);
        Page page = pages.computeIfAbsent(address / PAGE, number -> new Page());
        int at = (int) (address & PAGE - 1);
        System.arraycopy(lines.lineBytes(i), 0, page.bytes, at, RecordedLines.LINE);
        page.lines |= 1L << at / RecordedLines.LINE;
      }
    }
  }

  private Image image;
  private long seed;
  private boolean corrupt;
  private boolean changing;

  /** One word in so many is another one; a power of two less 1. */
  private long rarity;

  private Elsewhere elsewhere = Elsewhere.NOTHING;
  private long reads;
  private long maxReads = Long.MAX_VALUE;
  private final byte[] word = new byte[Long.BYTES];

  /** Tells the truth of another image. */
  void setImage(Image memory) {
    image = memory;
    corrupt = false;
    elsewhere = Elsewhere.NOTHING;
  }

  /** Lies from here on, in a way that the seed determines. */
  void corrupt(long bySeed) {
    seed = mixed(bySeed);
    corrupt = true;
    rarity = (1L << (seed & 15) + 1) - 1;
    changing = (seed >> 4 & 7) == 0;
    Elsewhere[] all = Elsewhere.values();
    elsewhere =
        (seed >> 8 & 1) == 0 ? Elsewhere.NOTHING : all[(int) (seed >>> 10 & 0xff) % all.length];
  }

  /** Begins to count reads anew, of which there must not be more than so many. */
  void count(long most) {
    reads = 0;
    maxReads = most;
  }

  /** How many reads there were since {@link #count}. */
  long reads() {
    return reads;
  }

  static long mixed(long value) {
    long x = value * GOLDEN_RATIO;
    x = (x ^ x >>> 32) * GOLDEN_RATIO;
    return x ^ x >>> 29;
  }

  /** Another value for the word at an address. */
  long lie(long hash, long address, long truth) {
    return switch ((int) (hash >>> 20 & 15)) {
      case 0 -> address;
      case 1 -> address - (hash >>> 32 & 0xff8);
      case 2, 3, 4 -> recorded(hash);
      case 5 -> 0;
      case 6 -> -1;
      case 7 -> hash >>> 60;
      case 8 -> Integer.MAX_VALUE - (hash >>> 62);
      case 9 -> Integer.MIN_VALUE + (hash >>> 62);
      case 10 -> 0x0101010101010101L;
      case 11 -> truth ^ 1L << (hash >>> 32);
      case 12 -> truth + (hash >>> 32 & 15) - 8;
      case 13 -> Long.MAX_VALUE - (hash >>> 60);
      case 14 -> truth << 32 | truth >>> 32;
      default -> hash;
    };
  }

  /** Some address that was recorded. */
  private long recorded(long hash) {
    RecordedLines lines = image.lines;
    int line = (int) Math.floorMod(hash >>> 24, (long) lines.lineCount());
    return lines.lineAddress(line) + (hash >>> 54 & 56);
  }

  @Override
  public long readLong(long address) throws UnreadableMemoryException {
    read(address, word, 0, Long.BYTES);
    return longAt(word, 0);
  }

  @Override
  public void read(long address, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    if (length < 0 || offset < 0 || length > target.length - offset) {
      throw new AssertionError(length + " bytes at " + offset + " of " + target.length);
    }
    if (++reads > maxReads) {
      throw new AssertionError("more than " + maxReads + " reads");
    }
    for (int done = 0; done < length; ) {
      long at = address + done;
      int in = (int) at & PAGE - 1;
      int piece = Math.min(length - done, PAGE - in);
      copy(at, in, target, offset + done, piece);
      done += piece;
    }
    if (corrupt) {
      for (int i = (int) -address & 7; i + 8 <= length; i += 8) {
        long at = address + i;
        long hash = mixed(seed ^ at ^ (changing ? reads << 48 : 0));
        if ((hash & rarity) == 0) {
          put(target, offset + i, lie(hash, at, longAt(target, offset + i)));
        }
      }
    }
  }

  private void copy(long address, int in, byte[] target, int offset, int length)
      throws UnreadableMemoryException {
    Page page = image.pages.get(address >>> 12);
    int first = in / RecordedLines.LINE;
    int last = (in + length - 1) / RecordedLines.LINE;
    long needed = -1L << first & -1L >>> 63 - last;
    if (page != null && (page.lines & needed) == needed) {
      System.arraycopy(page.bytes, in, target, offset, length);
      return;
    }
    if (elsewhere == Elsewhere.NOTHING) {
      throw UnreadableMemoryException.UNREADABLE;
    }
    for (int i = 0; i < length; i++) {
      long at = address + i;
      boolean is = page != null && (page.lines & 1L << (in + i) / RecordedLines.LINE) != 0;
      target[offset + i] = is ? page.bytes[in + i] : (byte) (filler(at & -8) >>> 8 * (at & 7));
    }
  }

  private long filler(long address) {
    return switch (elsewhere) {
      case NOTHING, ZEROS -> 0;
      case ONES -> 0x0101010101010101L;
      case OWN_ADDRESS -> address;
      case NEXT_ADDRESS -> address + 64;
      case OTHER_ADDRESSES -> recorded(mixed(seed ^ address));
      case RANDOM -> mixed(seed ^ address);
    };
  }

  static long longAt(byte[] bytes, int index) {
    long value = 0;
    for (int i = 7; i >= 0; i--) {
      value = value << 8 | bytes[index + i] & 0xff;
    }
    return value;
  }

  static void put(byte[] bytes, int index, long value) {
    for (int i = 0; i < 8; i++) {
      bytes[index + i] = (byte) (value >>> 8 * i);
    }
  }
}
