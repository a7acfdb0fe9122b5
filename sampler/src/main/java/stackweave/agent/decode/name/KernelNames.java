package stackweave.agent.decode.name;

import java.nio.file.Path;
import java.util.function.LongSupplier;
import stackweave.maps.kernel.KernelModules;
import stackweave.maps.kernel.KernelSymbols;
import stackweave.unwind.TableMemory;

/**
 * The kernel's present symbols. Those of its core never change; modules come and go, and one may be
 * loaded where another was. So frames in modules have names only as long as the same modules are
 * loaded as when the symbols were read, which is checked every {@link #LOOK_NANOS} while there are
 * such frames. After a change they have no names until the symbols are read again.
 *
 * <p>Reading symbols takes tens of milliseconds of CPU time: so those of the core are read once, at
 * the first kernel frame; the others at the first frame in a module, and again only after a change,
 * at least {@link #REREAD_NANOS} after the last time. For the drain thread only.
 */
public final class KernelNames {
  /** How old the list of modules may be; reading it costs some 50 µs. */
  static final long LOOK_NANOS = 1_000_000_000L;

  /** Shortest time between two readings of all symbols. */
  static final long REREAD_NANOS = 10_000_000_000L;

  private final Path kallsyms;
  private final Path modulesFile;
  private final LongSupplier clock;

  /** Null until the first kernel frame. */
  private KernelSymbols symbols;

  /** The modules that were loaded when their symbols were read; null before that. */
  private KernelModules modules;

  private int generation = 1;
  private long readAt;
  private long lookedAt;
  private boolean changed;

  private final TableMemory memory;

  /** For the running kernel; the symbols are kept in {@code memory}. */
  public KernelNames(TableMemory memory) {
    this(Path.of("/proc/kallsyms"), Path.of("/proc/modules"), System::nanoTime, memory);
  }

  /** For other files; for tests. */
  public KernelNames(Path kallsyms, Path modulesFile, LongSupplier clock, TableMemory memory) {
    this.memory = memory;
    this.kallsyms = kallsyms;
    this.modulesFile = modulesFile;
    this.clock = clock;
  }

  /** The symbols for this address; empty if its name isn't known at present. */
  KernelSymbols symbolsFor(long pc) {
    if (symbols == null) {
      symbols = KernelSymbols.read(kallsyms, memory);
    }
    if (symbols.isEmpty() || symbols.isOwnText(pc)) {
      return symbols;
    }
    if (modules == null) {
      read();
      return symbols;
    }
    long now = clock.getAsLong();
    if (!changed && now - lookedAt >= LOOK_NANOS) {
      lookedAt = now;
      changed = !KernelModules.read(modulesFile).equals(modules);
    }
    if (changed && now - readAt >= REREAD_NANOS) {
      read();
    }
    return changed ? KernelSymbols.EMPTY : symbols;
  }

  private void read() {
    // The list before the symbols: a change in between is noticed at the next check.
    modules = KernelModules.read(modulesFile);
    symbols.readOthers(modules);
    generation++;
    readAt = clock.getAsLong();
    lookedAt = readAt;
    changed = false;
  }

  /** Changes whenever numbers of symbols change; those of the core never do. */
  int generation() {
    return generation;
  }
}
