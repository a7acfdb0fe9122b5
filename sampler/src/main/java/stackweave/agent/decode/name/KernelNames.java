package stackweave.agent.decode.name;

import java.nio.file.Path;
import java.util.function.LongSupplier;
import stackweave.maps.kernel.KernelModules;
import stackweave.maps.kernel.KernelSymbols;
import stackweave.unwind.TableMemory;

/**
 * The kernel's symbols as they are now. Its own code keeps its names; modules come and go, and
 * another may lie where one was. So frames outside of its own code have names only as long as the
 * same modules are loaded as when the symbols were read, which is looked at again every {@link
 * #LOOK_NANOS} while there are such frames; after a change the symbols are read again, and until
 * then there are none for these frames.
 *
 * <p>To read the symbols takes tens of milliseconds of CPU time: so those of its own code are read
 * at the first kernel frame, once; the others at the first one outside of it, and again only after
 * a change, {@link #REREAD_NANOS} after the last time at the soonest. For the drain thread only.
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

  /** What was loaded when the symbols outside of its own code were read; null before that. */
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

  /** Changes whenever the numbers of symbols do; those of its own code never do. */
  int generation() {
    return generation;
  }
}
