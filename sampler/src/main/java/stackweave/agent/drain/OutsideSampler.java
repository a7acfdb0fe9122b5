package stackweave.agent.drain;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.drain.limit.HeapRoom;
import stackweave.agent.drain.status.StatusReport;
import stackweave.agent.feature.Feature;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.control.AskedAt;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.status.SamplerFigures;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.output.FileOutput;

/**
 * Samples another process from this one, into a file. Nothing of the agent is in that process.
 * Thread-safe.
 */
public final class OutsideSampler implements AutoCloseable {
  private final SampledProcess process;
  private final EventStore store;
  private final Sampler sampler;

  /** The figures when the file was begun. */
  private volatile SamplerFigures begin = SamplerFigures.NONE;

  /**
   * @param jdk name and version of the process's JVM
   * @param file is overwritten
   * @param features what is recorded beside CPU time
   * @throws IOException if the file can't be written
   */
  public OutsideSampler(
      SampledProcess process,
      String jdk,
      Path file,
      Options options,
      Supplier<List<Feature>> features,
      Messages messages)
      throws IOException {
    this.process = process;
    // Here and not on the drain thread, which may not have the rights to write the file.
    this.store =
        EventStore.toFile(
            new FileOutput(file, Set.of(SampleRecord.Kind.values())),
            process,
            jdk,
            SessionLegend.info());
    Machine machine =
        new Machine(process, EngineSource.OF_MACHINE, HeapRoom.Heap.OF_JVM, info -> store);
    this.sampler = new Sampler(machine, null, options, features, messages, StatusBoard.NONE);
  }

  /** Begins to sample. */
  public void start(SamplingRequest request) {
    sampler.onFirstAsked();
    sampler.onRequest(request, new AskedAt(System.nanoTime(), process.cpuNanos()));
  }

  /** Whether samples are taken, or the reason is known why not. */
  public boolean hasStarted() {
    return sampler.hasStarted();
  }

  /** Why no samples are taken; empty if they are, or that is not known yet. */
  public String obstacle() {
    SamplerFigures now = sampler.latest();
    return now == null || !now.engine().isEmpty() ? "" : now.note();
  }

  /**
   * Goes on in another file. The one before is complete then, and no sample is missing between
   * them.
   *
   * @param file is overwritten
   * @throws IOException if it can't be written; then nothing has changed
   */
  public void rotate(Path file) throws IOException {
    store.goOnIn(file);
    SamplerFigures now = sampler.latest();
    begin = now == null ? SamplerFigures.NONE : now;
  }

  /** What became of the samples of the present file, one topic a line; up to a second old. */
  public String report() {
    SamplerFigures now = sampler.latest();
    return now == null ? "" : String.join("\n", StatusReport.lines(now.since(begin)));
  }

  /** Ends sampling; the file is complete then, and {@link #report} has all of it. */
  @Override
  public void close() {
    sampler.close();
    if (!sampler.hasStore()) {
      store.close(); // nothing was sampled
    }
  }
}
