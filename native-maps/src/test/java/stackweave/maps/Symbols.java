package stackweave.maps;

import stackweave.maps.modules.MappedModule;
import stackweave.maps.symbols.SymbolTable;

/** Names of places in modules, as the tests write them. */
public final class Symbols {
  private Symbols() {}

  /** The name of the symbol at a pc, or "none". */
  public static String at(MappedModule module, long pc) {
    int symbol = module.symbolAt(pc);
    return symbol == SymbolTable.NONE ? "none" : module.symbols().name(symbol);
  }
}
