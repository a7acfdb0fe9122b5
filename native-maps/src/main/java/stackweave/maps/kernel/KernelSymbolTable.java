package stackweave.maps.kernel;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Symbols of kernel code sorted by address, one for each address, as {@link KernelSymbolsReader}
 * makes them: 16 bytes a symbol plus the names. Immutable.
 *
 * @param symbols of each symbol its address, its length, and where its name is
 * @param names of all symbols; a character up to a space ends each
 */
record KernelSymbolTable(ByteBuffer symbols, ByteBuffer names) {
  /** Bytes of a symbol: address, length, place of the name. */
  static final int SYMBOL = 16;

  private static final int LENGTH = 8;
  private static final int NAME = 12;

  int size() {
    return symbols.limit() / SYMBOL;
  }

  /** The symbol that covers {@code address}, or {@link KernelSymbols#NONE}. */
  int find(long address) {
    int low = 0;
    int high = size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (Long.compareUnsigned(start(middle), address) <= 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    boolean covered =
        high >= 0
            && Long.compareUnsigned(address - start(high), symbols.getInt(high * SYMBOL + LENGTH))
                < 0;
    return covered ? high : KernelSymbols.NONE;
  }

  /** Whether the address is between the first symbol's begin and the last one's end. */
  boolean spans(long address) {
    int last = size() - 1;
    return last >= 0
        && Long.compareUnsigned(address, start(0)) >= 0
        && (Long.compareUnsigned(address, start(last)) < 0 || find(address) == last);
  }

  long start(int i) {
    return symbols.getLong(i * SYMBOL);
  }

  String name(int i) {
    int begin = symbols.getInt(i * SYMBOL + NAME);
    int end = begin;
    while (names.get(end) > ' ') {
      end++;
    }
    byte[] name = new byte[end - begin];
    names.get(begin, name);
    return new String(name, StandardCharsets.UTF_8);
  }
}
