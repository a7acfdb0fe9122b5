package stackweave.agent.decode.name;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import stackweave.jfr.process.SampledProcess;
import stackweave.maps.jit.GdbJit;
import stackweave.maps.jit.JitDump;
import stackweave.maps.jit.JitFormatException;
import stackweave.maps.jit.JitSymbols;
import stackweave.maps.jit.PerfMap;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.maps.proc.ProcessFiles;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.UnreadableMemoryException;

/**
 * Names of code that other runtimes generate, if these publish them: by GDB's JIT interface, {@code
 * /tmp/perf-PID.map}, or {@code jit-PID.dump}, which its writer maps. They are looked for when a
 * sample has generated code without a name, and read again after a change; waits keep this below a
 * fiftieth of a core. Used by {@link StackNames}; for the drain thread only.
 */
public final class JitNames {
  private static final long MIN_WAIT_NANOS = 500_000_000L;
  private static final long MAX_WAIT_NANOS = 30_000_000_000L;

  /** The wait after a look, in multiples of the time that it took, at least. */
  private static final int REST = 50;

  /** Libraries of which each may say that it has 32 MiB of objects. */
  private static final int MAX_DESCRIPTORS = 16;

  private static final String JDK = System.getProperty("java.home");

  private final ModuleIndex modules;
  private final MemoryReader memory;
  private final JitFiles files;
  private final Path perfMap;
  private final String jitDump;

  /** The address of each module's descriptor, 0 for none; by the module's id. */
  private final Map<Integer, Long> descriptors = new HashMap<>();

  private JitSymbols symbols = new JitSymbols();
  private List<Object> state = List.of();
  private int version;
  private long waitNanos;
  private long lookedNanos = System.nanoTime();

  /**
   * Of a process.
   *
   * @param files opens its files
   */
  public JitNames(
      ModuleIndex modules, MemoryReader memory, SampledProcess process, ProcessFiles files) {
    this(
        modules,
        memory,
        new JitFiles(process, files),
        Path.of("/tmp"),
        process.innermostPid()); // as its runtimes know it
  }

  /**
   * @param directory where perf maps are
   */
  JitNames(ModuleIndex modules, MemoryReader memory, JitFiles files, Path directory, long pid) {
    this.modules = modules;
    this.memory = memory;
    this.files = files;
    this.perfMap = directory.resolve("perf-" + pid + ".map");
    this.jitDump = "jit-" + pid + ".dump";
  }

  /** The names as last read. */
  JitSymbols symbols() {
    return symbols;
  }

  /** Another number after each change of {@link #symbols}. */
  int version() {
    return version;
  }

  /** Looks for new names, after code without one, if the last look is long enough ago. */
  void look() {
    long begin = System.nanoTime();
    if (begin - lookedNanos < waitNanos) {
      return;
    }
    boolean changed = read();
    lookedNanos = System.nanoTime();
    long least = Math.max(MIN_WAIT_NANOS, REST * (lookedNanos - begin));
    waitNanos = changed ? least : Math.max(least, Math.min(2 * waitNanos, MAX_WAIT_NANOS));
  }

  private boolean read() {
    List<MappedModule> mapped = modules.latest().modules();
    List<Object> now = new ArrayList<>();
    now.add(files.identity(perfMap));
    Path dump = null;
    for (MappedModule module : mapped) {
      if (module.name().equals(jitDump)) {
        dump = Path.of(module.path());
        now.add(files.identity(dump));
      }
      long descriptor = descriptorOf(module);
      if (descriptor != 0) {
        now.add(signature(descriptor));
      }
    }
    if (now.equals(state)) {
      return false;
    }
    state = now;
    descriptors.keySet().retainAll(mapped.stream().map(MappedModule::id).toList());
    JitSymbols read = new JitSymbols();
    file(perfMap, PerfMap::read, read);
    if (dump != null) {
      file(dump, JitDump::read, read);
    }
    for (MappedModule module : mapped) {
      objects(module, read);
    }
    read.finish();
    symbols = read;
    version++;
    return true;
  }

  /** Reads a file's bytes. */
  @FunctionalInterface
  private interface Parser {
    void read(byte[] file, JitSymbols to) throws JitFormatException;
  }

  private void file(Path file, Parser parser, JitSymbols to) {
    List<Object> identity = files.identity(file);
    if (identity.isEmpty()) {
      return;
    }
    try {
      parser.read(files.read(file, identity), to);
    } catch (IOException | JitFormatException e) {
      // What was read before that is used.
    }
  }

  private void objects(MappedModule module, JitSymbols to) {
    long descriptor = descriptorOf(module);
    if (descriptor != 0) {
      try {
        GdbJit.read(memory, descriptor, module.name(), to);
      } catch (JitFormatException | UnreadableMemoryException e) {
        // Changed meanwhile, or too many: what was read before that is used.
      }
    }
  }

  private boolean mayHaveMore() {
    return descriptors.values().stream().filter(address -> address != 0).count() < MAX_DESCRIPTORS;
  }

  private long signature(long descriptor) {
    try {
      return GdbJit.signature(memory, descriptor);
    } catch (JitFormatException | UnreadableMemoryException e) {
      return 0;
    }
  }

  private long descriptorOf(MappedModule module) {
    Long known = descriptors.get(module.id());
    if (known == null) {
      boolean mayHave = !module.path().startsWith(JDK) && !module.isLibc() && mayHaveMore();
      known = mayHave ? module.addressOfAny(GdbJit.DESCRIPTOR) : 0;
      descriptors.put(module.id(), known);
    }
    return known;
  }
}
