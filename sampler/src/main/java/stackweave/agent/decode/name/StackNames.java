package stackweave.agent.decode.name;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.FrameKind;
import stackweave.hotspot.model.HotSpotMethod;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.jfr.event.LibraryName;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.MethodDefinition;
import stackweave.jfr.store.ModuleDefinition;
import stackweave.maps.demangle.Demangler;
import stackweave.maps.elf.LinkageStub;
import stackweave.maps.elf.UnknownCode;
import stackweave.maps.jit.JitSymbols;
import stackweave.maps.kernel.KernelSymbols;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleMap;
import stackweave.maps.symbols.SymbolTable;
import stackweave.unwind.HeapShare;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.rule.UnwindTable;

/**
 * Names the frames of a stack and returns the stack's id in the recording. Called by the pipeline
 * for each sample; for the drain thread only.
 *
 * <p>A known pc costs one probe of a direct-mapped cache and one of the store's tree; a new pc a
 * symbol lookup, a new symbol its name. A function without a symbol is named by its start in the
 * unwind information.
 */
public final class StackNames {
  /**
   * Direct-mapped slots, a power of two; 4 arrays, 224 KiB in all, less where the heap is small. A
   * service's warm stacks have a few thousand pcs.
   */
  private static final int SLOTS = Math.max(1024, HeapShare.of(8192));

  private static final int SYMBOL_SLOTS = Math.max(512, HeapShare.of(4096));

  /** The shift that leaves the upper bits of a product as the number of a slot. */
  private static final int SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SLOTS);

  private static final int SYMBOL_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SYMBOL_SLOTS);

  /** Marks the key of a function without a symbol. */
  private static final long FUNCTION = 1L << 32;

  /** Code in no module and no executable memory: unloaded since. The pc is its offset. */
  private static final String UNKNOWN_CODE = "[unknown code]";

  /** The function that threads start in, for which a stripped C library has no symbol. */
  private static final String THREAD_START = "thread_start";

  /** No generation: the slot is filled again each time. */
  private static final int NEVER = -1;

  private final EventStore store;
  private final HotSpotMethods methods;
  private final KernelNames kernel;
  private final JitNames jit;
  private final MemoryReader memory;

  /** By the module's id and not the object, so that an unloaded module can be freed. */
  private final Map<Integer, Long> moduleIds = new HashMap<>();

  private long[] methodIds = new long[1024];
  private final long[] pcs = new long[SLOTS];
  private final int[] generations = new int[SLOTS];
  private final long[] symbolIds = new long[SLOTS];
  private final long[] offsets = new long[SLOTS];

  /** A direct-mapped cache, too: the store's ids of symbols, by module and symbol index. */
  private final long[] knownSymbols = new long[SYMBOL_SLOTS];

  private final long[] knownIds = new long[SYMBOL_SLOTS];
  private long misses;

  /** Whether a frame had generated code without a name. */
  private boolean unnamed;

  private int methodGeneration;

  /**
   * @param kernel used from the first kernel frame on
   * @param jit names of code of no file
   * @param memory of this process
   */
  public StackNames(
      EventStore store,
      HotSpotMethods methods,
      KernelNames kernel,
      JitNames jit,
      MemoryReader memory) {
    this.store = store;
    this.methods = methods;
    this.kernel = kernel;
    this.jit = jit;
    this.memory = memory;
  }

  /** Forgets all ids; call it when the store's generation has changed. */
  public void forget() {
    moduleIds.clear();
    Arrays.fill(methodIds, 0);
    Arrays.fill(symbolIds, 0);
    Arrays.fill(knownIds, 0);
  }

  /** How often a symbol had to be looked up. */
  long misses() {
    return misses;
  }

  /** The id of the stack's innermost frame, 0 for a stack without frames. */
  public long stackId(FrameBuffer frames, ModuleMap modules) {
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
                Math.max(frames.bci(i), 0),
                frames.found(i).code());
      } else {
        boolean entry = i == root && reachesEntry(frames.end());
        int slot = slotOf(frames, i, modules, entry);
        node =
            store.node(
                node,
                symbolIds[slot],
                kind.code(),
                FrameBuffer.UNKNOWN,
                offsets[slot],
                frames.found(i).code());
      }
    }
    return node;
  }

  private static boolean reachesEntry(StopReason end) {
    return end == StopReason.COMPLETE || end.hasGuesses() || end == StopReason.GAP;
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

  /** The slot of native frame {@code i}, filled if needed. */
  private int slotOf(FrameBuffer frames, int i, ModuleMap modules, boolean entry) {
    long pc = frames.isInterrupted(i) ? frames.pc(i) : frames.pc(i) - 1;
    int slot = (int) ((pc * 0x9E3779B97F4A7C15L) >>> SHIFT);
    if (pcs[slot] != pc || generations[slot] != generation(modules) || symbolIds[slot] == 0) {
      misses++;
      pcs[slot] = pc;
      MappedModule module = frames.kind(i) == FrameKind.KERNEL ? null : modules.find(pc);
      if (frames.kind(i) == FrameKind.KERNEL) {
        generations[slot] = generation(modules);
        nameKernel(slot, pc);
      } else if (module == null && modules.isExecutable(pc)) {
        nameGenerated(slot, pc, frames, i, modules);
        generations[slot] = generation(modules);
      } else {
        generations[slot] = generation(modules);
        nameNative(slot, pc, module, entry);
      }
    }
    return slot;
  }

  private int generation(ModuleMap modules) {
    return modules.generation() ^ jit.version() << 20;
  }

  /** Names code that another runtime generated: as that does, or by the library that called it. */
  private void nameGenerated(int slot, long pc, FrameBuffer frames, int i, ModuleMap modules) {
    int function = jit.symbols().find(pc);
    if (function == JitSymbols.NONE) {
      jit.look();
      function = jit.symbols().find(pc);
    }
    if (function == JitSymbols.NONE) {
      String library = callingLibrary(frames, i, modules);
      String name = library.isEmpty() ? "[JIT code]" : "[JIT code of " + library + "]";
      fill(slot, store.method(MethodDefinition.symbol(0, name, 0)), pc);
      unnamed = true;
      return;
    }
    long start = jit.symbols().start(function);
    String owner = jit.symbols().owner(function);
    String library = owner.isEmpty() ? callingLibrary(frames, i, modules) : owner;
    String name =
        jit.symbols().name(function)
            + (library.isEmpty() ? " [JIT]" : " [JIT: " + LibraryName.of(library) + "]");
    fill(slot, store.method(MethodDefinition.symbol(0, name, start)), pc - start);
  }

  /** The library of the nearest caller; empty if that is Java code, or there is none. */
  private static String callingLibrary(FrameBuffer frames, int i, ModuleMap modules) {
    for (int caller = i + 1; caller < frames.count(); caller++) {
      if (frames.method(caller) != FrameBuffer.NO_METHOD) {
        return "";
      }
      MappedModule module = modules.find(frames.pc(caller) - 1);
      if (module != null) {
        return LibraryName.of(module.path());
      }
    }
    return "";
  }

  /** Looks for new names of generated code, if a frame had none. */
  public void refresh() {
    if (unnamed) {
      unnamed = false;
      int before = jit.version();
      jit.look();
      // if there are new names, the next frame without one sets it
      unnamed = jit.version() == before;
    }
  }

  private void fill(int slot, long symbolId, long offset) {
    symbolIds[slot] = symbolId;
    offsets[slot] = offset;
  }

  private void nameKernel(int slot, long pc) {
    KernelSymbols symbols = kernel.symbolsFor(pc);
    int symbol = symbols.find(pc);
    if (symbol == KernelSymbols.NONE) {
      // Without an offset, which would make a frame of every instruction.
      fill(slot, store.method(MethodDefinition.symbol(0, "", 0)), 0);
    } else {
      long start = symbols.start(symbol);
      int known = knownSymbol(-kernel.generation(), symbol);
      if (knownIds[known] == 0) {
        knownIds[known] = store.method(MethodDefinition.symbol(0, symbols.name(symbol), start));
      }
      fill(slot, knownIds[known], pc - start);
    }
    if (!symbols.isOwnText(pc)) {
      // Code there may be replaced: look it up at every frame.
      generations[slot] = NEVER;
    }
  }

  private void nameNative(int slot, long pc, MappedModule module, boolean entry) {
    if (module == null) {
      fill(slot, store.method(MethodDefinition.symbol(0, UNKNOWN_CODE, 0)), pc);
      return;
    }
    long address = pc - module.bias();
    int symbol = module.symbolAt(pc);
    if (symbol != SymbolTable.NONE) {
      SymbolTable symbols = module.symbols();
      long start = symbols.start(symbol);
      int known = knownSymbol(module.id(), symbol);
      if (knownIds[known] == 0) {
        knownIds[known] =
            store.method(MethodDefinition.symbol(moduleId(module), symbols.name(symbol), start));
      }
      fill(slot, knownIds[known], address - start);
      return;
    }
    LinkageStub stub = module.linkageStubAt(pc);
    if (stub != null) {
      String name = Demangler.shortName(stub.name()) + LinkageStub.SUFFIX;
      fill(
          slot,
          store.method(MethodDefinition.symbol(moduleId(module), name, stub.start())),
          address - stub.start());
      return;
    }
    long start = module.unwindTable().functionStart(address);
    if (start == UnwindTable.NO_ADDRESS) {
      nameUnknown(slot, pc, module, entry);
      return;
    }
    offsets[slot] = address - start;
    if (entry && module.isLibc()) {
      symbolIds[slot] =
          store.method(MethodDefinition.symbol(moduleId(module), THREAD_START, start));
      return;
    }
    int known = knownSymbol(module.id(), FUNCTION | (start & 0xffffffffL));
    if (knownIds[known] == 0) {
      String chosen = module.chosenName(start, memory);
      String name =
          chosen != null ? chosen : LibraryName.of(module.path()) + "+0x" + Long.toHexString(start);
      knownIds[known] = store.method(MethodDefinition.symbol(moduleId(module), name, start));
    }
    symbolIds[slot] = knownIds[known];
  }

  /**
   * Names code without symbols and unwind information: one name for the range between the
   * neighbouring functions, since a name for each pc would make a frame of every instruction.
   */
  private void nameUnknown(int slot, long pc, MappedModule module, boolean entry) {
    UnknownCode code = module.unknownCodeAt(pc);
    long start = code == null ? 0 : code.start();
    String name = "";
    if (entry && module.isLibc()) {
      name = THREAD_START;
    } else if (code != null) {
      name =
          LibraryName.of(module.path())
              + "+0x"
              + Long.toHexString(start)
              + "..0x"
              + Long.toHexString(code.end());
    }
    fill(
        slot,
        store.method(MethodDefinition.symbol(moduleId(module), name, start)),
        pc - module.bias() - start);
  }

  /**
   * The slot of a symbol, or of a function without one; its id is 0 if not known.
   *
   * @param module the module's id, above 0; negative for the kernel's symbols
   * @param number the symbol's index; or {@link #FUNCTION} and the low half of the function's start
   */
  private int knownSymbol(int module, long number) {
    long key = (long) module << 33 | number;
    int slot = (int) (key * 0x9E3779B97F4A7C15L >>> SYMBOL_SHIFT);
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
