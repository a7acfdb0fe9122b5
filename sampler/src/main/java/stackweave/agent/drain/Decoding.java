package stackweave.agent.drain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import stackweave.agent.decode.Decoder;
import stackweave.agent.decode.ProcessView;
import stackweave.agent.decode.SamplePipeline;
import stackweave.agent.decode.SignalStacks;
import stackweave.agent.decode.failure.FailureFiles;
import stackweave.agent.decode.failure.FailureRecorder;
import stackweave.agent.drain.limit.Throttle;
import stackweave.agent.jdk.hook.HookException;
import stackweave.agent.message.Notes;
import stackweave.engine.EngineDescription;
import stackweave.engine.SignalTargets;
import stackweave.engine.ThreadStack;
import stackweave.engine.ThreadStacks;
import stackweave.engine.ThreadStarts;
import stackweave.jfr.process.StartFacts;
import stackweave.jfr.store.EventStore;
import stackweave.maps.modules.MappedModule;

/**
 * Makes what a session decodes samples with, step by step: first the view of the process, then the
 * decoder. Engines with signals need the names of what is mapped before they start, and of the view
 * nothing where the C library knows the threads' stacks. Both outlast the engine, because they are
 * slow to make. For the drain thread.
 */
final class Decoding implements SignalTargets, AutoCloseable {
  private final DrainParts parts;
  private final AgentTools tools;
  private final Status status;
  private final StopSignal stop;

  /** Null before {@link #lookAtProcess}. */
  private ProcessView process;

  /** Null before {@link #open}, as the pipeline. */
  private Decoder decoder;

  private SamplePipeline samples;
  private ThreadStarts threadStarts = ThreadStarts.NONE;

  /** Why Thread.start is not instrumented although it would help; else empty. */
  private String hookNote = "";

  Decoding(DrainParts parts, AgentTools tools, Status status, StopSignal stop) {
    this.parts = parts;
    this.tools = tools;
    this.status = status;
    this.stop = stop;
  }

  /**
   * Looks at what is mapped and at the VM, at the first call.
   *
   * @param areSamplesTaken whether samples may have been taken before
   */
  void lookAtProcess(boolean areSamplesTaken) {
    if (process != null) {
      return;
    }
    process =
        ProcessView.open(
            parts.machine().process(),
            parts.options().memory(),
            areSamplesTaken,
            modules -> tools.features().forEach(feature -> feature.prepare(modules)));
    if (!process.nativeOnly().isEmpty()) {
      tools.messages().sampling(process.nativeOnly());
    }
    status.flushIfRequested(); // a rotation may have begun to wait meanwhile
  }

  /** Makes the decoder, at the first call, and opens the store for it. */
  void open() {
    if (decoder != null) {
      return;
    }
    EventStore store = status.openStore(stop::wake);
    store.nameService(StartFacts.of(parts.machine().process()));
    if (process.hotSpot() != null) {
      store.nameJvm(process.hotSpot().name());
    }
    decoder =
        new Decoder(
            process,
            store,
            status.totals().counts,
            parts.request().depth(),
            tools.instrumentation(),
            tools.messages());
    status.totals().decodeWith(decoder.unwinder().counters());
    samples = new SamplePipeline(decoder, failures());
    status.flushIfRequested();
  }

  /** Null if no stacks are recorded as files. */
  private FailureRecorder failures() {
    FailureFiles files = tools.failureFiles();
    return files == null || process.hotSpot() == null || !files.isUsable()
        ? null
        : new FailureRecorder(
            files,
            process.libjvm(),
            process.memory(),
            process.rules(),
            decoder.methods(),
            parts.request().depth());
  }

  /** Lets the pipeline take the samples of an engine that runs. */
  void follow(EngineDescription engine, Throttle throttle) {
    // Its first samples may be in mappings made after the process was read and before the engine
    // reported any.
    process.lookAgain();
    samples.refreshModules();
    samples.follow(engine, throttle);
  }

  /** Reads the tables of libraries that nearly every stack needs. */
  void loadTables() {
    for (MappedModule module : process.neededByMost()) {
      module.symbols();
      module.unwindTable();
      status.flushIfRequested();
    }
  }

  /** Instruments {@code Thread.start} if permitted, for an engine that has to find threads. */
  void hookThreadStarts() {
    hookNote = "";
    try {
      threadStarts = tools.hookThreadStarts(decoder.vmThreads());
    } catch (HookException e) {
      hookNote = e.getMessage();
    }
  }

  /** Pauses the instrumentation of {@code Thread.start}. */
  void unhookThreadStarts() {
    threadStarts = ThreadStarts.NONE;
    tools.unhookThreadStarts();
  }

  /** The mappings and the VM of the process. */
  ProcessView process() {
    return process;
  }

  /** What stacks are unwound and named with. */
  Decoder decoder() {
    return decoder;
  }

  /** Decodes and writes the engine's samples. */
  SamplePipeline samples() {
    return samples;
  }

  /** A note for users; empty for none. */
  String note() {
    return new Notes().add(process.note()).add(decoder.threads().note()).add(hookNote).toString();
  }

  @Override
  public String heapStackLibrary() {
    return process == null
        ? SignalStacks.heapStackLibrary(mappedNames())
        : process.signalStacks().heapStackLibrary();
  }

  @Override
  public boolean signalStacksMayVanish() {
    if (process == null && SignalStacks.unmaps(mappedNames())) {
      lookAtProcess(false); // for symbols decide
    }
    return process != null && process.signalStacks().mayVanish();
  }

  private List<String> mappedNames() {
    try {
      return SignalStacks.names(parts.machine().process());
    } catch (IOException e) {
      throw new UncheckedIOException("the process's mappings can't be read", e);
    }
  }

  /** Looks at the process when they are asked for: the C library mostly knows the stacks. */
  @Override
  public ThreadStacks javaStacks() {
    return new ThreadStacks() {
      private ThreadStacks stacks;

      @Override
      public void find(List<ThreadStack> threads) {
        if (stacks == null) {
          lookAtProcess(false);
          stacks = process.javaStacks();
        }
        stacks.find(threads);
      }
    };
  }

  @Override
  public ThreadStarts threadStarts() {
    return threadStarts;
  }

  @Override
  public void close() {
    try {
      if (decoder != null) {
        decoder.close();
      }
    } finally {
      if (process != null) {
        process.close();
      }
    }
  }
}
