package stackweave.agent.drain;

import java.lang.instrument.Instrumentation;
import java.util.Arrays;
import java.util.stream.Collectors;
import stackweave.agent.Version;
import stackweave.hotspot.FrameKind;
import stackweave.jfr.control.SamplingListener;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.store.EventStore;
import stackweave.jfr.store.SessionInfo;
import stackweave.jfr.store.StoreLimits;
import stackweave.unwind.StopReason;

/**
 * Starts and stops the drain thread as recordings ask. Called by the control thread only, one call
 * at a time.
 */
public final class Sampler implements SamplingListener {
  /** Closing the events of 4,096 threads takes well below a second. */
  private static final long STOP_MILLIS = 10_000;

  private final PipelineFactory pipelines;
  private final Messages messages;
  private final SamplerTotals totals = new SamplerTotals();
  private EventStore store;
  private DrainThread drain;

  /**
   * @param recordFailures the directory for replay files of stacks that don't reach their root, or
   *     empty
   */
  public Sampler(Instrumentation instrumentation, String recordFailures, Messages messages) {
    this.pipelines =
        new PipelineFactory(
            instrumentation,
            recordFailures.isEmpty() ? null : new FailureFiles(recordFailures, messages),
            messages);
    this.messages = messages;
  }

  @Override
  public void onRequest(SamplingRequest request) {
    if (drain != null && request != null && request.samplesLike(drain.request())) {
      return;
    }
    if (drain != null) {
      if (!drain.stop(STOP_MILLIS)) {
        messages.sampling(
            "the sampling thread does not end, so no sampling can be started until the JVM does");
        return;
      }
      drain = null;
    }
    if (request == null) {
      return;
    }
    request.notes().forEach(messages::sampling);
    if (store == null) {
      store = EventStore.open(sessionInfo(), StoreLimits.DEFAULT);
    } else {
      // Ids of the HotSpot methods and modules begin anew with each pipeline.
      store.newGeneration();
    }
    drain = new DrainThread(request, store, totals, pipelines, messages);
    drain.start();
  }

  private static SessionInfo sessionInfo() {
    return new SessionInfo(
        Version.current(),
        System.getProperty("os.arch") + "-linux",
        Arrays.stream(FrameKind.values())
            .map(kind -> kind.code() + "=" + kind.label())
            .collect(Collectors.joining(",")),
        Arrays.stream(StopReason.values())
            .map(reason -> reason.code() + "=" + reason.label())
            .collect(Collectors.joining(",")),
        Arrays.stream(StopReason.values())
            .filter(StopReason::isComplete)
            .map(reason -> Integer.toString(reason.code()))
            .collect(Collectors.joining(",")),
        SamplePipeline.ON_CPU + "=on CPU");
  }
}
