package stackweave.agent;

import java.io.IOException;
import java.nio.file.Path;
import stackweave.agent.cli.common.FailedException;
import stackweave.agent.cli.outside.OutsideSampling;
import stackweave.agent.cli.process.TargetProcess;
import stackweave.agent.drain.OutsideSampler;
import stackweave.agent.message.Messages;
import stackweave.agent.option.InvalidOptionException;
import stackweave.agent.option.Options;
import stackweave.engine.choice.EngineSource;
import stackweave.engine.choice.SharedEngines;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.control.SamplingSettings;
import stackweave.linux.NativeAccess;

/** Samples other processes for the commands. Thread-safe. */
class ProcessSampling implements OutsideSampling {
  /** All of a core: the commands take no CPU time of the JVM's that they sample. */
  private static final String OPTIONS = "drain=100,hooks=off,jit=all";

  private final EngineSource engines;

  /** Samples each process by events of its own. */
  ProcessSampling() {
    this(EngineSource.OF_MACHINE);
  }

  private ProcessSampling(EngineSource engines) {
    this.engines = engines;
  }

  @Override
  public String whyNot(TargetProcess process, SamplingRequest request) {
    String engine = request.engine();
    if (!engine.equals(SamplingSettings.DEFAULT_ENGINE)
        && !engine.equals(EngineKind.PERF.label())) {
      return "engine " + engine + " works there only";
    }
    NativeAccess.begin();
    return kept(
        process,
        OutsideSampler.whyNot(process.sampled(), request, FeatureList.ofAnyProcess(options())));
  }

  /** Sees to it that what a thread that hangs still uses stays open. */
  private static String kept(TargetProcess process, String whyNot) {
    if (whyNot.equals(OutsideSampler.NO_ANSWER)) {
      process.keepOpen();
    }
    return whyNot;
  }

  @Override
  public Shared shared(SamplingRequest request) throws FailedException {
    NativeAccess.begin();
    SharedEngines shared = new SharedEngines();
    String whyNot = shared.prepare(request);
    if (!whyNot.isEmpty()) {
      shared.close();
      throw new FailedException("--all is not possible here: " + whyNot);
    }
    return new SharedSampling(shared);
  }

  /** Samples many processes by the same events. */
  private static final class SharedSampling extends ProcessSampling implements Shared {
    private final SharedEngines shared;

    SharedSampling(SharedEngines shared) {
      super(shared);
      this.shared = shared;
    }

    /** Whether CPUs can be sampled here is known. */
    @Override
    public String whyNot(TargetProcess process, SamplingRequest request) {
      return kept(process, OutsideSampler.whyNoJvm(process.sampled()));
    }

    @Override
    void forget(TargetProcess process) {
      shared.forget((int) process.pid());
    }

    /** Say which process they are of. */
    @Override
    Messages messages(TargetProcess process) {
      String mine = Messages.BEGIN + "process " + process.pid() + ": ";
      return new Messages(line -> System.err.println(line.replace(Messages.BEGIN, mine)));
    }

    @Override
    public void close() {
      shared.close();
    }
  }

  /** Ends the sampling of a process whose sampling thread hangs. */
  void forget(TargetProcess process) {}

  /** What says why a process is not sampled, or not as asked. */
  Messages messages(TargetProcess process) {
    return new Messages();
  }

  @Override
  public Session begin(TargetProcess process, String jdk, SamplingRequest request, Path file)
      throws IOException {
    Options options = options();
    OutsideSampler sampler =
        new OutsideSampler(
            new OutsideSampler.Source(process.sampled(), jdk, engines),
            file,
            options,
            () -> FeatureList.ofAnyProcess(options),
            messages(process));
    SwitchWatch usersSwitch = new SwitchWatch(process::switchedOffBy);
    sampler.heedSwitch(usersSwitch::file);
    sampler.start(request);
    return new Session() {
      @Override
      public boolean hasStarted() {
        boolean hasStarted = sampler.hasStarted();
        if (hasStarted) {
          CommandJvm.lowerPriority(); // from now on it takes what others leave
        }
        return hasStarted;
      }

      @Override
      public String obstacle() {
        return sampler.obstacle();
      }

      @Override
      public String endReason() {
        return sampler.endReason();
      }

      @Override
      public String soFar() {
        return sampler.soFar();
      }

      @Override
      public void rotate(Path next) throws IOException {
        sampler.rotate(next);
      }

      @Override
      public String report() {
        return sampler.report();
      }

      @Override
      public void close() {
        sampler.close();
        if (!sampler.hasEnded()) {
          forget(process);
        }
        if (!usersSwitch.end() || !sampler.hasEnded()) {
          process.keepOpen();
        }
      }
    };
  }

  private static Options options() {
    try {
      return Options.parse(OPTIONS);
    } catch (InvalidOptionException e) {
      throw new IllegalStateException(e);
    }
  }
}
