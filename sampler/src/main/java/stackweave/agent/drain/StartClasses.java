package stackweave.agent.drain;

/**
 * The classes between a request for samples and the first sample, for a JVM that will be recorded
 * from its start: loaded while JFR starts, they don't have to be when the request comes. Loading
 * them has no other effect. Used by {@link Sampler}.
 */
final class StartClasses {
  /** In the order in which a start with perf needs them; of their own packages' choice. */
  static final String[] NAMES = {
    "stackweave.agent.drain.limit.MetaspaceRoom",
    "stackweave.agent.drain.limit.HeapRoom",
    "stackweave.agent.attach.ProcessRoom",
    "stackweave.maps.proc.PlainFiles",
    "stackweave.jfr.control.SamplingRule$Facts",
    "stackweave.jfr.control.SamplingSettings",
    "stackweave.jfr.control.EngineKind",
    "stackweave.jfr.event.Timespans",
    "stackweave.jfr.control.SamplingRequest",
    "stackweave.jfr.control.AskedAt",
    "stackweave.jfr.control.ProcessCpu",
    "stackweave.jfr.store.StartWatch",
    "stackweave.jfr.store.StartWatch$Hook",
    "stackweave.agent.drain.DrainThread",
    "stackweave.agent.drain.DrainParts",
    "stackweave.agent.drain.AgentTools",
    "stackweave.agent.drain.Status",
    "stackweave.agent.drain.StopSignal",
    "stackweave.agent.drain.EngineSession",
    "stackweave.agent.drain.Decoding",
    "stackweave.agent.feature.Features",
    "stackweave.agent.drain.Sampler$Stores",
    "stackweave.agent.drain.StatusPublisher",
    "stackweave.agent.drain.limit.Room",
    "stackweave.agent.attach.RecordName",
    "stackweave.agent.attach.Serving$Stage",
    "stackweave.agent.attach.Version",
    "stackweave.agent.attach.JvmProperties",
    "stackweave.linux.CpuTime",
    "stackweave.linux.SystemCalls",
    "stackweave.linux.task.TaskFiles",
    "stackweave.linux.OwnDirectory",
    "stackweave.agent.attach.SwitchPlaces",
    "stackweave.engine.perf.PerfBudget",
    "stackweave.engine.EngineConfig",
    "stackweave.engine.KernelVersion",
    "stackweave.engine.choice.EngineChooser",
    "stackweave.engine.choice.EngineOrder",
    "stackweave.engine.choice.EngineChoice",
    "stackweave.linux.CallPolicy",
    "stackweave.linux.GuardedCall",
    "stackweave.linux.Tasks",
    "stackweave.cpu.SystemCall",
    "stackweave.engine.perf.PerfEngine",
    "stackweave.engine.perf.PerfCpuEngine",
    "stackweave.engine.perf.PerfSizes",
    "stackweave.engine.perf.filter.ProcessFilter",
    "stackweave.engine.perf.filter.OlderParts",
    "stackweave.engine.perf.SampleRecords",
    "stackweave.engine.perf.CpuRecords",
    "stackweave.engine.perf.RingMerge",
    "stackweave.engine.perf.PerfRing",
    "stackweave.engine.perf.PerfRings",
    "stackweave.cpu.PerfRegisters",
    "stackweave.engine.perf.PerfAttr",
    "stackweave.engine.CpuSet",
    "stackweave.engine.Wakeup"
  };

  private StartClasses() {}

  /** Loads and initialises them. Ends early where that fails: who needs them says why. */
  static void load() {
    ClassLoader loader = StartClasses.class.getClassLoader();
    try {
      for (String name : NAMES) {
        Class.forName(name, true, loader);
      }
    } catch (ClassNotFoundException | LinkageError e) {
      return; // such as no memory left, or the agent is detached
    }
  }
}
