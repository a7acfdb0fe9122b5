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
    "stackweave.agent.drain.limit.ProcessRoom",
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
    "stackweave.agent.drain.feature.Features",
    "stackweave.agent.drain.Sampler$Stores",
    "stackweave.agent.drain.StatusPublisher",
    "stackweave.agent.drain.limit.Room",
    "stackweave.agent.attach.RecordName",
    "stackweave.agent.attach.Serving$Stage",
    "stackweave.agent.message.Version",
    "stackweave.agent.jdk.JvmProperties",
    "stackweave.agent.linux.CpuTime",
    "stackweave.agent.linux.SystemCalls",
    "stackweave.agent.linux.ThreadCount",
    "stackweave.agent.linux.OwnDirectory",
    "stackweave.agent.attach.SwitchPlaces",
    "stackweave.agent.engine.perf.PerfBudget",
    "stackweave.agent.engine.EngineConfig",
    "stackweave.agent.engine.KernelVersion",
    "stackweave.agent.engine.choice.EngineChooser",
    "stackweave.agent.engine.choice.EngineOrder",
    "stackweave.agent.engine.choice.EngineChoice",
    "stackweave.agent.linux.CallPolicy",
    "stackweave.agent.linux.GuardedCall",
    "stackweave.agent.linux.Tasks",
    "stackweave.agent.cpu.SystemCall",
    "stackweave.agent.engine.perf.PerfEngine",
    "stackweave.agent.engine.perf.PerfCpuEngine",
    "stackweave.agent.engine.perf.PerfSizes",
    "stackweave.agent.engine.perf.filter.ProcessFilter",
    "stackweave.agent.engine.perf.filter.OlderParts",
    "stackweave.agent.engine.perf.SampleRecords",
    "stackweave.agent.engine.perf.CpuRecords",
    "stackweave.agent.engine.perf.RingMerge",
    "stackweave.agent.engine.perf.PerfRing",
    "stackweave.agent.engine.perf.PerfRings",
    "stackweave.agent.engine.perf.PerfRegisters",
    "stackweave.agent.engine.perf.PerfAttr",
    "stackweave.agent.engine.CpuSet",
    "stackweave.agent.engine.Wakeup"
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
