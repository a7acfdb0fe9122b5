package stackweave.unwind.walk;

import stackweave.unwind.rule.UnwindTable;

/** A mapped ELF image as the unwinder sees it. */
public interface CodeModule {

  /** Runtime address minus ELF virtual address, the same for the whole module. */
  long bias();

  /**
   * The module's unwind information, opened at first use; never null. A module without any gives a
   * table that finds nothing.
   */
  UnwindTable unwindTable();

  /**
   * Where the function at a pc begins, by the module's symbols: a runtime address.
   *
   * @param pc of this module
   * @return 0 if no symbol covers it
   */
  default long functionStart(long pc) {
    return 0;
  }

  /** Whether a function begins at an address, by the module's symbols. */
  default boolean isFunctionStart(long address) {
    return functionStart(address) == address;
  }
}
