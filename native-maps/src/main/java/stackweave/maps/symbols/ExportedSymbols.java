package stackweave.maps.symbols;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import stackweave.maps.elf.ElfImage.Symbols;
import stackweave.maps.elf.Strings;

/** Looks up the few exported symbols that are wanted by name, functions or data. */
public final class ExportedSymbols {
  private static final int SYMBOL_SIZE = 24;
  private static final int SHN_UNDEF = 0;

  private ExportedSymbols() {}

  /** The virtual address of the defined symbol with this very name, or 0. */
  public static long find(Symbols symbols, String name) {
    byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
    ByteBuffer table = symbols.table();
    for (int at = 0; at <= table.limit() - SYMBOL_SIZE; at += SYMBOL_SIZE) {
      if (table.getShort(at + 6) != SHN_UNDEF
          && Strings.equal(symbols.names(), table.getInt(at), wanted)) {
        return table.getLong(at + 8);
      }
    }
    return 0;
  }
}
