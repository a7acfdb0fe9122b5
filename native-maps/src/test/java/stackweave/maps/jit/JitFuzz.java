package stackweave.maps.jit;

import java.util.Arrays;
import stackweave.maps.elf.ElfFormatException;

/** What Jazzer runs on bytes as what an engine has written; the first one says which of them. */
public final class JitFuzz {
  private JitFuzz() {}

  /** Everything that is read of it. */
  public static void fuzzerTestOneInput(byte[] bytes) {
    if (bytes.length == 0) {
      return;
    }
    byte[] rest = Arrays.copyOfRange(bytes, 1, bytes.length);
    JitSymbols symbols = new JitSymbols();
    try {
      switch (bytes[0] % 3) {
        case 0 -> PerfMap.read(rest, symbols);
        case 1 -> JitDump.read(rest, symbols);
        default -> {
          symbols.source("lib");
          GdbJit.read(rest, symbols);
        }
      }
    } catch (JitFormatException | ElfFormatException e) {
      // What was read before that counts.
    }
    symbols.finish();
    for (int i = 0; i < Math.min(50, symbols.count()); i++) {
      int found = symbols.find(symbols.start(i));
      symbols.name(found);
      symbols.owner(found);
    }
  }
}
