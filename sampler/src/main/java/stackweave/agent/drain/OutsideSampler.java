package stackweave.agent.drain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import stackweave.agent.attach.StatusBoard;
import stackweave.agent.drain.limit.HeapRoom;
import stackweave.agent.feature.Feature;
import stackweave.agent.message.Messages;
import stackweave.agent.option.Options;
import stackweave.engine.choice.EngineSource;
import stackweave.jfr.control.AskedAt;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.event.SampleRecord;
import stackweave.jfr.process.SampledProcess;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SessionInfo;

/**
 * Samples another process from this one, into a file. Nothing of the agent is in that process.
 * Thread-safe.
 */
public final class OutsideSampler implements AutoCloseable {
  private final SampledProcess process;
  private final Sampler sampler;

  /**
   * @param jdk name and version of the process's JVM
   * @param file is overwritten when sampling begins
   * @param features what is recorded beside CPU time
   */
  public OutsideSampler(
      SampledProcess process,
      String jdk,
      Path file,
      Options options,
      Supplier<List<Feature>> features,
      Messages messages) {
    this.process = process;
    Machine machine =
        new Machine(
            process,
            EngineSource.OF_MACHINE,
            HeapRoom.Heap.OF_JVM,
            info -> store(process, jdk, file, info));
    this.sampler = new Sampler(machine, null, options, features, messages, StatusBoard.NONE);
  }

  private static EventStore store(SampledProcess process, String jdk, Path file, SessionInfo info) {
    try {
      return EventStore.toFile(file, process, jdk, info, Set.of(SampleRecord.Kind.values()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

  /** The status, one topic a line; up to a second old. */
  public String report() {
    return sampler.report();
  }

  /** Ends sampling; the file is complete then. */
  @Override
  public void close() {
    sampler.close();
  }
}
