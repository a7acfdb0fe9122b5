package stackweave.maps.kernel;

import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Symbols of the kernel sorted by address, as {@link KernelSymbolsBuilder} makes them: 12 bytes a
 * symbol plus the names. Immutable.
 *
 * @param addresses where symbols and gaps begin, ascending, with the highest bit turned
 * @param nameOffsets where their names are; {@link KernelSymbolsBuilder#GAP}: what begins here has
 *     no name
 * @param size how many of them are symbols
 * @param textStart of the kernel's own code
 * @param textEnd of the kernel's own code, the first address behind it
 */
record KernelSymbolTable(
    LongBuffer addresses,
    IntBuffer nameOffsets,
    ByteBuffer names,
    int size,
    long textStart,
    long textEnd)
    implements KernelTable {

  @Override
  public int find(long address) {
    int i = lastUpTo(address ^ Long.MIN_VALUE);
    if (i < 0 || nameOffsets.get(i) == KernelSymbolsBuilder.GAP) {
      return KernelSymbols.NONE;
    }
    while (i > 0 && addresses.get(i - 1) == addresses.get(i)) {
      i--;
    }
    return i;
  }

  /** The last place whose address, turned, is not above this one; −1 if there is none. */
  private int lastUpTo(long turned) {
    int low = 0;
    int high = addresses.limit() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (addresses.get(middle) <= turned) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }

  @Override
  public int limit() {
    return addresses.limit();
  }

  @Override
  public long start(int i) {
    return addresses.get(i) ^ Long.MIN_VALUE;
  }

  @Override
  public String name(int i) {
    int begin = nameOffsets.get(i);
    int end = begin;
    while (names.get(end) != 0) {
      end++;
    }
    byte[] name = new byte[end - begin];
    names.get(begin, name);
    return new String(name, StandardCharsets.UTF_8);
  }
}
