package stackweave.agent.drain;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import stackweave.hotspot.FrameBuffer;
import stackweave.hotspot.FrameKind;
import stackweave.hotspot.HotSpotMethod;
import stackweave.hotspot.HotSpotMethods;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.ModuleDefinition;
import stackweave.maps.KernelSymbols;
import stackweave.maps.MappedModule;
import stackweave.maps.ModuleMap;
import stackweave.maps.SymbolTable;
import stackweave.unwind.StopReason;

/**
 * Gives the frames of a stack their names and the stack its id in the recording.
 *
 * <p>A pc met before costs one probe of a direct-mapped cache and one of the store's tree; at a
 * pc's first hit its symbol is searched, at a symbol's first hit its name is made. For the drain
 * thread only.
 */
final class StackNames {
  /** Direct-mapped slots; 4 arrays, so 224 KiB in all. A service's warm stacks have a few 1,000. */
  private static final int SLOTS = 8192;

  private static final int SYMBOL_SLOTS = 4096;

  /** No generation of the modules: a slot that is filled again each time. */
  private static final int NEVER = -1;

  private final EventStore store;
  private final HotSpotMethods methods;
  private final KernelNames kernel;

  /** By the module's number: a module that is unloaded must not be kept for it. */
  private final Map<Integer, Long> moduleIds = new HashMap<>();

  private long[] methodIds = new long[1024];
  private final long[] pcs = new long[SLOTS];
  private final int[] generations = new int[SLOTS];
  private final long[] symbolIds = new long[SLOTS];
  private final long[] offsets = new long[SLOTS];

  /** Direct-mapped, too: the store's ids of symbols, by module and index. */
  private final long[] knownSymbols = new long[SYMBOL_SLOTS];

  private final long[] knownIds = new long[SYMBOL_SLOTS];
  private long misses;
  private int methodGeneration;

  /**
   * @param kernel asked from the first kernel frame on
   */
  StackNames(EventStore store, HotSpotMethods methods, KernelNames kernel) {
    this.store = store;
    this.methods = methods;
    this.kernel = kernel;
  }

  /** Forgets all ids of the store, whose generation has changed. */
  void forget() {
    moduleIds.clear();
    Arrays.fill(methodIds, 0);
    Arrays.fill(symbolIds, 0);
    Arrays.fill(knownIds, 0);
  }

  /** How often a symbol had to be searched. */
  long misses() {
    return misses;
  }

  /** The id of the stack's innermost frame, 0 for a stack without frames. */
  long stackId(FrameBuffer frames, ModuleMap modules) {
    if (methodGeneration != methods.generation()) {
      methodGeneration = methods.generation();
      Arrays.fill(methodIds, 0);
    }
    long node = EventStore.ROOT;
    int root = frames.count() - 1;
    for (int i = root; i >= 0; i--) {
      FrameKind kind = frames.kind(i);
      if (frames.method(i) != FrameBuffer.NO_METHOD) {
        node =
            store.node(
                node,
                hotSpotMethod(frames.method(i)),
                kind.code(),
                frames.line(i),
                Math.max(frames.bci(i), 0));
      } else {
        boolean entry = i == root && frames.end() == StopReason.COMPLETE;
        int slot = slotOf(frames, i, modules, entry);
        node = store.node(node, symbolIds[slot], kind.code(), FrameBuffer.UNKNOWN, offsets[slot]);
      }
    }
    return node;
  }

  private long hotSpotMethod(int method) {
    if (method >= methodIds.length) {
      methodIds = Arrays.copyOf(methodIds, Math.max(methods.size(), 2 * methodIds.length));
    }
    long id = methodIds[method];
    if (id == 0) {
      HotSpotMethod m = methods.get(method);
      id =
          store.method(
              m.isStub()
                  ? MethodDefinition.stub(m.name())
                  : MethodDefinition.java(
                      m.className(), m.name(), m.descriptor(), m.modifiers(), m.sourceFile()));
      methodIds[method] = id;
    }
    return id;
  }

  /** The slot that holds the names of native frame {@code i}, filled where need be. */
  private int slotOf(FrameBuffer frames, int i, ModuleMap modules, boolean entry) {
    long pc = frames.isInterrupted(i) ? frames.pc(i) : frames.pc(i) - 1;
    int slot = (int) ((pc * 0x9E3779B97F4A7C15L) >>> 51);
    if (pcs[slot] != pc || generations[slot] != modules.generation() || symbolIds[slot] == 0) {
      misses++;
      pcs[slot] = pc;
      generations[slot] = modules.generation();
      if (frames.kind(i) == FrameKind.KERNEL) {
        nameKernel(slot, pc);
      } else {
        nameNative(slot, pc, modules.find(pc), entry);
      }
    }
    return slot;
  }

  private void nameKernel(int slot, long pc) {
    KernelSymbols symbols = kernel.symbolsFor(pc);
    int symbol = symbols.find(pc);
    if (symbol == KernelSymbols.NONE) {
      // No offset either: it would make a new frame of every instruction, and tell nothing.
      symbolIds[slot] = store.method(MethodDefinition.symbol(0, "", 0));
      offsets[slot] = 0;
    } else {
      long start = symbols.start(symbol);
      int known = knownSymbol(-kernel.generation(), symbol);
      if (knownIds[known] == 0) {
        knownIds[known] = store.method(MethodDefinition.symbol(0, symbols.name(symbol), start));
      }
      symbolIds[slot] = knownIds[known];
      offsets[slot] = pc - start;
    }
    if (!symbols.isOwnText(pc)) {
      // Code comes and goes there: it is looked for at every frame.
      generations[slot] = NEVER;
    }
  }

  private void nameNative(int slot, long pc, MappedModule module, boolean entry) {
    if (module == null) {
      symbolIds[slot] = store.method(MethodDefinition.symbol(0, "0x" + Long.toHexString(pc), pc));
      offsets[slot] = 0;
      return;
    }
    long address = pc - module.bias();
    SymbolTable symbols = module.symbols();
    int symbol = symbols.find(address);
    if (symbol != SymbolTable.NONE) {
      long start = symbols.start(symbol);
      int known = knownSymbol(module.id(), symbol);
      if (knownIds[known] == 0) {
        knownIds[known] =
            store.method(MethodDefinition.symbol(moduleId(module), symbols.name(symbol), start));
      }
      symbolIds[slot] = knownIds[known];
      offsets[slot] = address - start;
    } else {
      // A stripped C library has no name for the function that its threads begin in.
      String name = entry && module.isLibc() ? "thread_start" : module.offsetName(pc);
      symbolIds[slot] = store.method(MethodDefinition.symbol(moduleId(module), name, address));
      offsets[slot] = 0;
    }
  }

  /**
   * The slot of a symbol, whose id is 0 there if it is not known.
   *
   * @param module the module's number, which is above 0; below it, the kernel's symbols
   */
  private int knownSymbol(int module, int symbol) {
    long key = (long) module << 32 | symbol;
    int slot = (int) (key * 0x9E3779B97F4A7C15L >>> 52);
    if (knownSymbols[slot] != key) {
      knownSymbols[slot] = key;
      knownIds[slot] = 0;
    }
    return slot;
  }

  private long moduleId(MappedModule module) {
    Long known = moduleIds.get(module.id());
    if (known != null) {
      return known;
    }
    long id =
        store.module(
            new ModuleDefinition(
                module.path(),
                module.buildId() == null ? "" : module.buildId(),
                module.start(),
                module.end(),
                module.unwindTable().source().label(),
                reason(module),
                module.unwindTable().functionCount(),
                module.symbolSource()));
    moduleIds.put(module.id(), id);
    return id;
  }

  private static String reason(MappedModule module) {
    String why = module.unwindTable().why();
    return module.why().isEmpty() || why.isEmpty() ? why + module.why() : why + "; " + module.why();
  }
}
