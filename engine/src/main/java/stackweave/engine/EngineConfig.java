package stackweave.engine;

import java.util.Set;
import stackweave.jfr.control.EngineKind;
import stackweave.jfr.control.SampledEvent;
import stackweave.jfr.control.SamplingRequest;
import stackweave.jfr.control.SamplingSettings;
import stackweave.jfr.process.SampledProcess;
import stackweave.linux.CallPolicy;
import stackweave.linux.GuardedCall;
import stackweave.linux.MemoryAccess;

/**
 * The configuration of an engine, made by the drain thread for each start. Immutable.
 *
 * @param intervalNanos CPU time between two samples of a thread, in ns; one of {@link
 *     SamplingSettings#INTERVALS}
 * @param stackBytes most bytes of the stack to copy per sample, 1 KiB to {@link #MAX_STACK_BYTES};
 *     an engine may copy less where the kernel or its ring demands it
 * @param preferred the engine to try first, or null for the default order; the others follow
 * @param memoryAccess how the process reads its own memory
 * @param event what is sampled; if that is not CPU time, with the interval that is used instead of
 *     {@code intervalNanos}
 * @param process the one that is sampled
 */
public record EngineConfig(
    long intervalNanos,
    int stackBytes,
    EngineKind preferred,
    MemoryAccess memoryAccess,
    SampledEvent event,
    SampledProcess process) {
  /** More than nearly every stack has; a full copy takes 3 µs. */
  public static final int MAX_STACK_BYTES = 256 * 1024;

  private static final int MIN_STACK_BYTES = 1024;

  /** Clamps values outside the limits. */
  public EngineConfig {
    intervalNanos = SamplingSettings.clamp(intervalNanos);
    stackBytes = Math.max(MIN_STACK_BYTES, Math.min(MAX_STACK_BYTES, stackBytes)) & -8;
  }

  /** A configuration for CPU time of this process. */
  public EngineConfig(
      long intervalNanos, int stackBytes, EngineKind preferred, MemoryAccess memoryAccess) {
    this(intervalNanos, stackBytes, preferred, memoryAccess, SampledEvent.CPU, SampledProcess.OWN);
  }

  /** With {@link MemoryAccess#AUTO}. */
  public EngineConfig(long intervalNanos, int stackBytes, EngineKind preferred) {
    this(intervalNanos, stackBytes, preferred, MemoryAccess.AUTO);
  }

  /**
   * Which guarded calls the calling thread may make. A user who names a perf engine asserts that
   * perf_event_open is safe here, and bpf if the engine can't do without it.
   */
  public CallPolicy callPolicy() {
    if (preferred == EngineKind.PERF) {
      return CallPolicy.ofThread(Set.of(GuardedCall.PERF_EVENT_OPEN, GuardedCall.BPF));
    }
    boolean perf = preferred != null && preferred.usesPerfEvents();
    return CallPolicy.ofThread(perf ? Set.of(GuardedCall.PERF_EVENT_OPEN) : Set.of());
  }

  /** The configuration for a request. */
  public static EngineConfig of(
      SamplingRequest request, MemoryAccess memoryAccess, SampledProcess process) {
    EngineKind preferred = null;
    for (EngineKind kind : EngineKind.values()) {
      if (kind.label().equals(request.engine())) {
        preferred = kind;
      }
    }
    return new EngineConfig(
        request.intervalNanos(),
        MAX_STACK_BYTES,
        preferred,
        memoryAccess,
        request.event(),
        process);
  }

  /** For tests and tools: with the largest stack copies and the default order of engines. */
  public static EngineConfig every(long intervalNanos) {
    return new EngineConfig(intervalNanos, MAX_STACK_BYTES, null);
  }
}
