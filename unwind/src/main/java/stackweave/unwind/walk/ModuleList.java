package stackweave.unwind.walk;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import stackweave.unwind.rule.UnwindTable;

/**
 * Modules that the caller adds one by one. Each {@link #add} and {@link #clear} begins a new
 * generation, so that unwinders forget what they have found in older ones. Belongs to the thread
 * that unwinds.
 */
public final class ModuleList implements CodeModules {
  private record Module(long start, long end, long bias, UnwindTable unwindTable)
      implements CodeModule {}

  private final List<Module> modules = new ArrayList<>();
  private int generation;

  /**
   * Adds a module.
   *
   * @param start first address of its code in the process
   * @param end first address behind it
   * @param bias address in the process minus ELF virtual address
   * @param table of the unwinder's rules, opened for this module alone
   * @return this
   * @throws IllegalArgumentException if the range is empty or another module lies in it
   */
  public ModuleList add(long start, long end, long bias, UnwindTable table) {
    Objects.requireNonNull(table, "table");
    if (Long.compareUnsigned(start, end) >= 0) {
      throw new IllegalArgumentException("empty range");
    }
    for (Module module : modules) {
      if (Long.compareUnsigned(start, module.end) < 0
          && Long.compareUnsigned(module.start, end) < 0) {
        throw new IllegalArgumentException(
            "overlaps the module at " + Long.toHexString(module.start));
      }
    }
    modules.add(new Module(start, end, bias, table));
    generation++;
    return this;
  }

  /** Removes all modules. */
  public void clear() {
    modules.clear();
    generation++;
  }

  @Override
  public int generation() {
    return generation;
  }

  @Override
  public CodeModule find(long pc) {
    for (int i = 0; i < modules.size(); i++) {
      Module module = modules.get(i);
      if (Long.compareUnsigned(pc, module.start) >= 0 && Long.compareUnsigned(pc, module.end) < 0) {
        return module;
      }
    }
    return null;
  }
}
