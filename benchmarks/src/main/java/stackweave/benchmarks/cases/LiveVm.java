package stackweave.benchmarks.cases;

import java.io.IOException;
import stackweave.engine.EngineConfig;
import stackweave.engine.EngineSink;
import stackweave.engine.SampleEngine;
import stackweave.engine.choice.EngineChooser;
import stackweave.hotspot.HotSpot;
import stackweave.hotspot.MixedUnwinder;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.linux.ProcessMemory;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleIndex;
import stackweave.maps.symbols.SymbolTable;
import stackweave.unwind.Architecture;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.snapshot.StackSnapshot;
import stackweave.unwind.walk.NativeUnwinder;

/** This JVM, opened for sampling without the agent. Belongs to the thread that made it. */
public final class LiveVm implements AutoCloseable {
  final ProcessMemory memory = new ProcessMemory();
  final RuleTable rules = new RuleTable(Architecture.X86_64);
  final HotSpotMethods methods = new HotSpotMethods();
  final ModuleIndex modules = new ModuleIndex(memory, rules);
  final SymbolAddresses libjvm;
  final HotSpot hotspot;

  /**
   * Opens libjvm and reads the mapped modules.
   *
   * @throws UnsupportedVmException if this JVM is none that the unwinder knows
   */
  public LiveVm() throws IOException, UnsupportedVmException {
    modules.refresh(System.nanoTime());
    MappedModule module = modules.latest().named("libjvm.so");
    libjvm = module::addressOf;
    hotspot = HotSpot.open(libjvm, memory);
  }

  /** Takes samples; the snapshot is overwritten by the next one. */
  @FunctionalInterface
  public interface Visitor {
    /** Takes a sample; false ends sampling. */
    boolean sample(StackSnapshot sample);
  }

  /** The mapped modules. */
  public ModuleIndex modules() {
    return modules;
  }

  /** This process's memory. */
  public MemoryReader memory() {
    return memory;
  }

  /** An unwinder with empty caches. */
  public MixedUnwinder unwinder() {
    return new MixedUnwinder(new NativeUnwinder(rules), hotspot, methods);
  }

  /** The function at a runtime address as {@code name+0xoffset}; empty where there is none. */
  String symbolAt(MappedModule module, long pc) {
    int symbol = module.symbolAt(pc);
    return symbol == SymbolTable.NONE
        ? ""
        : module.symbols().name(symbol)
            + "+0x"
            + Long.toHexString(pc - module.bias() - module.symbols().start(symbol));
  }

  /**
   * Samples all threads until the visitor has enough.
   *
   * @param intervalNanos CPU time of a thread between two samples
   */
  public void sample(long intervalNanos, Visitor visitor) throws IOException {
    try (SampleEngine engine =
        EngineChooser.start(EngineConfig.every(intervalNanos))
            .engine()
            .orElseThrow(() -> new IllegalStateException("no perf here: run as root"))) {
      modules.refresh(System.nanoTime());
      Sink sink = new Sink(visitor);
      while (!sink.enough) {
        engine.await(5);
        engine.drain(Long.MAX_VALUE, sink);
      }
    }
  }

  @Override
  public void close() {
    memory.close();
  }

  private final class Sink implements EngineSink {
    private final Visitor visitor;
    private boolean enough;

    Sink(Visitor visitor) {
      this.visitor = visitor;
    }

    @Override
    public void sample(StackSnapshot sample) {
      sample.setElsewhere(memory);
      if (!enough) {
        enough = !visitor.sample(sample);
      }
    }
  }
}
