package stackweave.maps.elf;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import stackweave.maps.elf.ElfImage.Symbols;

/**
 * Looks up the few exported symbols that are wanted by name, functions or data: by .gnu.hash, and
 * one by one what that does not lead to. Source: "GNU hash ELF sections" of the System V ABI's
 * supplements.
 */
public final class ExportedSymbols {
  private static final int SHN_UNDEF = 0;

  private ExportedSymbols() {}

  /**
   * The virtual address of the defined symbol with this very name, or 0.
   *
   * @param hash the table's .gnu.hash, of its byte order; null where it has none
   */
  public static long find(Symbols symbols, ByteBuffer hash, String name) {
    byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
    ByteBuffer table = symbols.table();
    int hashed = hash == null ? -1 : hashed(symbols, hash, wanted);
    if (hashed >= 0) {
      return table.getLong(hashed + 8);
    }
    for (int at = 0; at <= table.limit() - ElfHeaders.SYMBOL_SIZE; at += ElfHeaders.SYMBOL_SIZE) {
      if (is(wanted, symbols, at)) {
        return table.getLong(at + 8);
      }
    }
    return 0;
  }

  private static boolean is(byte[] wanted, Symbols symbols, int at) {
    return symbols.table().getShort(at + 6) != SHN_UNDEF
        && Strings.equal(symbols.names(), symbols.table().getInt(at), wanted);
  }

  /** Where in the table the symbol is, or −1. */
  private static int hashed(Symbols symbols, ByteBuffer hash, byte[] wanted) {
    if (hash.limit() < 16) {
      return -1;
    }
    int key = 5381;
    for (byte b : wanted) {
      key = 33 * key + (b & 0xff);
    }
    long buckets = hash.getInt(0) & 0xffffffffL;
    long first = hash.getInt(4) & 0xffffffffL;
    long bucketStart = 16 + (hash.getInt(8) & 0xffffffffL) * 8;
    long chainStart = bucketStart + buckets * 4;
    if (buckets == 0 || chainStart > hash.limit()) {
      return -1;
    }
    long bucket = bucketStart + (key & 0xffffffffL) % buckets * 4;
    long symbol = hash.getInt((int) bucket) & 0xffffffffL;
    for (long at = chainStart + (symbol - first) * 4;
        symbol >= first && at <= hash.limit() - 4;
        at += 4, symbol++) {
      int entry = hash.getInt((int) at);
      if ((entry | 1) == (key | 1)
          && symbol < symbols.table().limit() / ElfHeaders.SYMBOL_SIZE
          && is(wanted, symbols, (int) symbol * ElfHeaders.SYMBOL_SIZE)) {
        return (int) symbol * ElfHeaders.SYMBOL_SIZE;
      }
      if ((entry & 1) != 0) {
        return -1;
      }
    }
    return -1;
  }
}
