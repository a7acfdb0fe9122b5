package stackweave.agent.decode.failure;

import java.util.HashMap;
import java.util.Map;
import stackweave.agent.attach.Version;
import stackweave.hotspot.model.FrameBuffer;
import stackweave.hotspot.model.HotSpotMethods;
import stackweave.hotspot.replay.ModuleDescriptions.ModuleDescription;
import stackweave.hotspot.replay.ReplayFile;
import stackweave.hotspot.replay.ReplayWriter;
import stackweave.hotspot.replay.SampleRecorder;
import stackweave.hotspot.vmstructs.SymbolAddresses;
import stackweave.hotspot.vmstructs.UnsupportedVmException;
import stackweave.maps.modules.MappedModule;
import stackweave.maps.modules.ModuleMap;
import stackweave.maps.symbols.SymbolTable;
import stackweave.unwind.MemoryReader;
import stackweave.unwind.StopReason;
import stackweave.unwind.rule.RuleTable;
import stackweave.unwind.rule.UnwindTable;
import stackweave.unwind.snapshot.StackSnapshot;

/**
 * Writes replay files of samples, if the user asked for them (option record-failures). Part of one
 * pipeline, called by it for each stack; for the drain thread only.
 */
public final class FailureRecorder {
  private final FailureFiles files;
  private final SymbolAddresses libjvm;
  private final MemoryReader memory;
  private final RuleTable rules;
  private final HotSpotMethods methods;
  private final int depth;
  private SampleRecorder recorder;

  /**
   * @param methods the names of the frames to be recorded
   */
  public FailureRecorder(
      FailureFiles files,
      SymbolAddresses libjvm,
      MemoryReader memory,
      RuleTable rules,
      HotSpotMethods methods,
      int depth) {
    this.files = files;
    this.libjvm = libjvm;
    this.memory = memory;
    this.rules = rules;
    this.methods = methods;
    this.depth = depth;
  }

  /**
   * Records the sample if {@link FailureFiles} wants it. A failure here ends the recording of
   * failures and nothing else.
   *
   * @param stackId of its stack in the recording
   */
  public void record(StackSnapshot sample, ModuleMap modules, FrameBuffer frames, long stackId) {
    StopReason reason = frames.end();
    if (reason.isComplete() && !files.isEvery()) {
      return;
    }
    long place = files.isEvery() ? stackId : place(modules, frames);
    if (!files.wants(reason, place, System.nanoTime())) {
      return;
    }
    try {
      String sampled = SampleRecorder.text(frames, methods, at -> describe(modules, at), modules);
      ReplayFile file = recorder().record(sample, modules, at -> describe(modules, at));
      files.write(reason, place, ReplayWriter.toBytes(file.with(ReplayFile.SAMPLED, sampled)));
    } catch (UnsupportedVmException | RuntimeException | Error e) {
      files.giveUp("gets none, for recording failed (" + e + ")");
    }
  }

  /** Identifies where the stack ended: by the native function, or else by the pc. */
  private static long place(ModuleMap modules, FrameBuffer frames) {
    long pc = frames.count() == 0 ? 0 : frames.pc(frames.count() - 1);
    MappedModule module = modules.find(pc);
    if (module == null) {
      return pc;
    }
    long function = module.functionStart(pc);
    if (function != 0) {
      return function;
    }
    long start = module.unwindTable().functionStart(pc - module.bias());
    return start == UnwindTable.NO_ADDRESS ? pc : module.bias() + start;
  }

  private SampleRecorder recorder() throws UnsupportedVmException {
    if (recorder == null) {
      recorder = new SampleRecorder(libjvm, memory, rules, facts(), depth);
    }
    return recorder;
  }

  private static Map<String, String> facts() {
    Map<String, String> facts = new HashMap<>();
    facts.put(
        ReplayFile.JVM,
        System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
    facts.put("agent", Version.current());
    return facts;
  }

  private static ModuleDescription describe(ModuleMap modules, long pc) {
    MappedModule module = modules.find(pc);
    int symbol = module.symbolAt(pc);
    return new ModuleDescription(
        module.path(),
        module.buildId() == null ? "" : module.buildId(),
        modules.rangeStart(pc),
        modules.rangeEnd(pc),
        symbol == SymbolTable.NONE
            ? ""
            : module.symbols().name(symbol)
                + "+0x"
                + Long.toHexString(pc - module.bias() - module.symbols().start(symbol)));
  }
}
